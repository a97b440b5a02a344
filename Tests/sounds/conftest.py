import os
import sys

import pytest

# Write no bytecode into the tree.
sys.dont_write_bytecode = True
# The computations here are small: threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from voice_pack import Pack, shipped_packs  # noqa: E402

PACKS = {folder.name: Pack(folder) for folder in shipped_packs()}


@pytest.fixture(params=sorted(PACKS))
def pack(request):
    return PACKS[request.param]
