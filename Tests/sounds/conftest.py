import os
import sys

import pytest

# The tree stays as it was checked out.
sys.dont_write_bytecode = True
# What is solved here is small: threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from voice_pack import Pack, shipped_packs  # noqa: E402

PACKS = {folder.name: Pack(folder) for folder in shipped_packs()}


@pytest.fixture(params=sorted(PACKS))
def pack(request):
    return PACKS[request.param]
