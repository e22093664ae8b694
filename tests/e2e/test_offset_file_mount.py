"""An offset file that is a mount of its own, as a container's subPath makes it: it cannot be replaced by rename."""
import os
import subprocess

import pytest

from support.paths import BINARY

# In a user and mount namespace of its own, where an ordinary user may mount.
NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]


def may_mount():
    return subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode == 0


def run_mounted(connector, source, target, seconds):
    """walduct with source bound over target; the exit code, None when it still ran."""
    connector.write_files()
    arguments = [str(a) for a in (BINARY, "run", *connector.files())]
    script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
    with open(connector.log, "ab") as log:
        process = subprocess.Popen([*NAMESPACE, "sh", "-c", script, "sh", str(source), str(target), *arguments],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.terminate()
        assert process.wait(20) == 0
        return None


@pytest.mark.skipif(not may_mount(), reason="no unprivileged user namespaces here; tests/offset has the rule itself")
@pytest.mark.parametrize("existing", [False, True], ids=["empty", "with-a-position"])
@pytest.mark.parametrize("mounted", ["file", "directory"])
def test_mounted(mounted, existing, db, connectors, tmp_path):
    """The file alone is refused at the start, before anything is created; its directory works."""
    db.script("create table items (id int primary key); insert into items values (1)")
    connector = connectors(db)
    outside = tmp_path / "volume"
    outside.mkdir()
    (outside / "offsets.dat").touch()
    if existing:
        connector.start().wait_streaming()
        connector.wait_events(1)
        connector.stop()
        os.replace(connector.offset_file, outside / "offsets.dat")
    inside = connector.dir / "mounted"
    inside.mkdir()
    (inside / "offsets.dat").touch()
    connector.worker["offset.storage.file.filename"] = str(inside / "offsets.dat")
    if mounted == "directory":
        assert run_mounted(connector, outside, inside, 6) is None
        assert (outside / "offsets.dat").stat().st_size > 0
        return
    assert run_mounted(connector, outside / "offsets.dat", inside / "offsets.dat", 20) == 3
    log = connector.log.read_text()
    assert "reason=offset_file_mounted" in log and f"mount the directory" in log and str(inside) in log
    assert existing or db.slots() == [] and connector.events() == []
