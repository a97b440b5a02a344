"""A relay as it is installed, beside a clocksmith of which a test says what it does."""

import shutil

import relay as parts
from program import ROOT


class Installed:
    """The files. Set `relay.RELAY` to the program."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        self.program = shutil.copy(parts.RELAY, folder / "bin/clocksmith-relay")
        shutil.copytree(ROOT / "face", folder / "share/clocksmith/face")
        for voice in "heart", "rms":
            (folder / f"share/clocksmith/voices/{voice}").mkdir(parents=True)
            (folder / f"share/clocksmith/voices/{voice}/voice.conf").touch()
        self.does('printf "%s" "$*" >"$file"')

    def does(self, line):
        program = self.folder / "bin/clocksmith"
        new = program.with_suffix(".new")
        new.write_text(f"""#!/bin/sh
for file; do :; done
echo "$*" >>{self.folder}/calls
env >{self.folder}/environment
{line}
""")
        new.chmod(0o755)
        new.rename(program)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []
