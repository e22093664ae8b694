"""The Debian package on a copy of this machine: installed, its unit's command streams as an unprivileged user, removed."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.machine import Machine
from support.paths import ROOT

UNIT = "/usr/lib/systemd/system/walduct@.service"
USER = "65534"  # as DynamicUser: nobody's
CREDENTIALS = "/run/credentials/walduct@shop.service"


@pytest.fixture
def machine():
    scratch = Path(tempfile.mkdtemp(prefix="walduct-machine-"))
    try:
        made = Machine(scratch)
    except OSError as error:
        pytest.skip(f"no overlay can be mounted here: {error}")
    yield made
    made.remove()
    scratch.rmdir()


@pytest.fixture
def package():
    subprocess.run([ROOT / "scripts" / "package"], check=True)
    [made] = (ROOT / "build/release/dist").glob("*.deb")
    return made


def setting(unit, name):
    return re.search(rf"^{name}=(.*)$", unit, re.M)[1]


def start(machine, connector):
    """What systemd would do for walduct@shop: credentials, state folder, user, command."""
    unit = machine.run("cat", UNIT).stdout
    connector.write_files()
    for credential in re.findall(r"^LoadCredential=(\S+):(\S+)$", unit, re.M):
        target, source = credential[0], credential[1].replace("%i", "shop")
        text = (connector.dir / target).read_text()
        machine.write(source, text)
        machine.write(f"{CREDENTIALS}/{target}", text, owner=USER, mode="400")
    folder = setting(unit, "WorkingDirectory").replace("%S", "/var/lib").replace("%i", "shop")
    machine.run("install", "-d", "-o", USER, "-m", "700", folder)
    command = setting(unit, "ExecStart").replace("%d", CREDENTIALS).split()
    with open(connector.log, "wb") as log:
        connector.process = subprocess.Popen(
            machine.line(["env", f"--chdir={folder}", *command], user=USER), stdin=subprocess.DEVNULL, stderr=log,
            env={"PATH": os.environ["PATH"]}, cwd="/")
    return folder


def test_installed_streams_and_removed(machine, package, db, connectors):
    machine.run("dpkg", "--install", package)
    assert machine.run("/usr/bin/walduct", "version").stdout.startswith("walduct ")
    if Path("/usr/bin/systemd-analyze").exists():
        machine.run("systemd-analyze", "verify", "walduct@shop.service", "walduct-serve.service")

    db.script("create table items (id int primary key); insert into items values (1)")
    connector = connectors(db, worker={"offset.storage.file.filename": "offsets.dat"})
    folder = start(machine, connector)
    connector.wait_streaming()
    db.execute("insert into items values (2)")
    assert [event.after["id"] for event in connector.wait_events(2)] == [1, 2]
    connector.stop()
    assert machine.run("stat", "--format=%u", f"{folder}/offsets.dat").stdout == f"{USER}\n"

    machine.run("dpkg", "--remove", "walduct")
    assert machine.run("test", "-e", "/usr/bin/walduct", check=False).returncode == 1
    machine.run("test", "-e", "/etc/walduct/shop.json")
    machine.run("test", "-e", f"{folder}/offsets.dat")
    machine.run("dpkg", "--purge", "walduct")
    assert machine.run("test", "-e", f"{folder}/offsets.dat", check=False).returncode == 1
