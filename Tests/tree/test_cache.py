"""Two scripts make the same tree at once: one makes it, the other waits and then uses it."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
# A stand-in for mmdebstrap: it reads its sources, and then goes on only when the test says so.
MMDEBSTRAP = r"""#!/bin/bash
cat >/dev/null
echo "${@: -2:1}" >>"$CALLS"
mkdir -p "${@: -2:1}/bin"
read -r <"$GO"
[ -e "${@: -2:1}/bin" ]
"""


class Cache:
    """An empty cache, and stand-ins for the programs that make a tree."""

    def __init__(self, folder):
        self.path = folder / "cache"
        self.go, self.calls = folder / "go", folder / "calls"
        self.programs = folder / "programs"
        self.programs.mkdir()
        os.mkfifo(self.go)
        self.calls.touch()
        self.program("mmdebstrap", MMDEBSTRAP)
        self.program("apt-get", "#!/bin/sh\necho http://example.org/debian\n")

    def program(self, name, text):
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def maker(self, script):
        return subprocess.Popen(
            ["unshare", "--map-root-user", TREE / "deploy/device" / script],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
            env={"PATH": f"{self.programs}:/usr/bin:/bin", "LC_ALL": "C",
                 "HOME": str(self.path), "CLOCKSMITH_CACHE": str(self.path),
                 "GO": str(self.go), "CALLS": str(self.calls)})

    def keep_newest(self, prefix, count):
        subprocess.run(
            ["unshare", "--map-root-user", "bash", "-euc", '. "$0"; keep_newest "$@"',
             TREE / "deploy/device/lib.sh", prefix, str(count)],
            check=True, env={"PATH": "/usr/bin:/bin", "CLOCKSMITH_CACHE": str(self.path)})

    def wait_until_it_is_made(self):
        end = time.monotonic() + 20
        while not self.calls.read_text():
            assert time.monotonic() < end, "nothing is made"
            time.sleep(0.01)


@pytest.fixture
def cache(tmp_path):
    tried = subprocess.run(
        ["unshare", "--map-root-user", "true"], stderr=subprocess.DEVNULL, check=False)
    if tried.returncode:
        pytest.skip("no user namespace here, and trees are made as root")
    return Cache(tmp_path)


@pytest.mark.parametrize("script, machine", [("root-tree", "arm64"), ("build-tree", "amd64")])
def test_the_second_to_make_a_tree_waits_and_takes_it(cache, script, machine):
    cache.program("dpkg", f"#!/bin/sh\necho {machine}\n")
    first = cache.maker(script)
    cache.wait_until_it_is_made()
    second = cache.maker(script)
    try:
        assert second.stderr.readline() == f"{script}: waiting for another {script}\n"
        cache.go.write_text("go\n", encoding="ascii")
        made, complaints = first.communicate(timeout=20)
        assert first.returncode == 0, complaints
        taken, complaints = second.communicate(timeout=20)
        assert (second.returncode, taken) == (0, made), complaints
        assert Path(made.strip()).is_dir() and len(cache.calls.read_text().splitlines()) == 1
    finally:
        for maker in first, second:
            if maker.poll() is None:
                os.killpg(maker.pid, signal.SIGKILL)
            maker.wait()
