"""Results that take long, kept from one run to the next under the content of what they were made from."""

import hashlib
import json
import os
import pathlib


def place(what, files):
    """Where the result of WHAT stands, once it is known for FILES: the sounds, and the code that judges them."""
    digest = hashlib.sha256()
    for file in sorted(map(pathlib.Path, files)):
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    folder = pathlib.Path(os.environ.get("CLOCKSMITH_CACHE") or pathlib.Path.home() / ".cache" / "clocksmith")
    return folder / f"{what}-{digest.hexdigest()[:24]}.json"


def remembered(what, files, function):
    """FUNCTION's result for FILES, as JSON has it, of this run or of an earlier one."""
    kept = place(what, files)
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        half_written = kept.with_suffix(f".{os.getpid()}")
        half_written.write_text(json.dumps(function()))
        half_written.rename(kept)
    return json.loads(kept.read_text())
