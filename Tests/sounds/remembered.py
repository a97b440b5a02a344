"""Keeps slow results from one run to the next, named by a hash of the files they depend on."""

import hashlib
import json
import os
import pathlib


def place(what, files):
    """The file for the result of WHAT. It depends on FILES: the sounds, and the code that judges them."""
    digest = hashlib.sha256()
    for file in sorted(map(pathlib.Path, files)):
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    folder = pathlib.Path(os.environ.get("CLOCKSMITH_CACHE") or pathlib.Path.home() / ".cache" / "clocksmith")
    return folder / f"{what}-{digest.hexdigest()[:24]}.json"


def remembered(what, files, function):
    """FUNCTION's result for FILES, from this run or an earlier one, after a round trip through JSON."""
    kept = place(what, files)
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        half_written = kept.with_suffix(f".{os.getpid()}")
        half_written.write_text(json.dumps(function()))
        half_written.rename(kept)
    return json.loads(kept.read_text())
