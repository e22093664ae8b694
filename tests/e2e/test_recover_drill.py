"""`walduct recover drill`: a slot that is lost on purpose on scratch servers, and its gap got back."""
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.paths import BINARY, DEPS

# Of the shell that it is typed in, for another server.
ELSEWHERE = {"PGSERVICE": "nowhere", "PGHOSTADDR": "192.0.2.1", "PGPORT": "1", "PGSSLMODE": "require"}
OWNER = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


def drill(directory, *arguments, program=None, version=17, owner=OWNER):
    return subprocess.run([*owner, program or str(BINARY), "recover", "drill", "--bin", str(DEPS / f"upgrade/{version}/bin"), *arguments],
                          cwd=directory, env={**os.environ, **ELSEWHERE}, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def place():
    """A folder that the servers' user can write to, with the program, which it may not reach in the checkout."""
    folder = Path(tempfile.mkdtemp(prefix="walduct-drill-test-"))
    folder.chmod(0o755)
    shutil.copy(BINARY, folder / "walduct")
    if OWNER:
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("version", [17, 18])
def test_a_drill_gets_the_gap_back(version, place):
    done = drill(place, "--directory", str(place / "here"), program=str(place / "walduct"), version=version)
    assert done.returncode == 0, done
    assert "the slot was lost, and nothing is: r1 c2 c3 c4 u3 d3 c5 c6" in done.stdout
    assert not (place / "here/primary/postmaster.pid").exists() and not (place / "here/restored/postmaster.pid").exists()
    again = drill(place, "--directory", str(place / "here"), program=str(place / "walduct"), version=version)
    assert again.returncode == 2 and "is there already" in again.stderr


def test_a_drill_that_cannot_be(place):
    done = drill(place, program=str(place / "walduct"), version=99)
    assert done.returncode == 2 and "there is no" in done.stderr and "upgrade/99/bin/initdb" in done.stderr
    printed = drill(place, "--print", program=str(place / "walduct"))
    assert printed.returncode == 0 and printed.stdout.startswith("set -eu") and "recover run" in printed.stdout
    if OWNER:
        done = drill(place, owner=[])
        assert done.returncode == 2 and "does not run as root" in done.stderr and "runuser" in done.stderr
    # What fails says so, and where to look: its archive loses what it gets.
    broken = place / "broken.sh"
    broken.write_text(printed.stdout.replace('mv "$dir/archive/%f.part" "$dir/archive/%f"', 'rm "$dir/archive/%f.part"')
                      .replace('"$walduct" recover run ', "false "))
    (place / "work").mkdir()
    if OWNER:
        os.chown(place / "work", pwd.getpwnam("postgres").pw_uid, -1)
    done = subprocess.run([*OWNER, "sh", str(broken), str(place / "walduct"), str(place / "work"), str(DEPS / "upgrade/17/bin")],
                          cwd=place, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1 and "drill: FAILED" in done.stderr and str(place / "work") in done.stderr, done
