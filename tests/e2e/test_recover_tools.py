"""The gap of a lost slot out of the backups of real tools, by the commands that `walduct recover plan` prints, as they are.
E2E_RECOVER_TOOLS=1 runs it; what a tool needs is said where it is skipped."""
import os
import shlex
import shutil
import subprocess

import pytest

from support.backup_tools import SOCKET, Barman, PgBackRest, PgBackRestAhead, PlainCopy
from support.paths import BINARY
from support.postgres import PostgresServer
from support.recovery import Scene, gap
from support.restored import ARCHIVED
from support.servers import free_ports

pytestmark = pytest.mark.skipif("E2E_RECOVER_TOOLS" not in os.environ or os.getuid() != 0,
                                reason="runs by name, as root: E2E_RECOVER_TOOLS=1")
PGBACKREST = ("pgbackrest 2.54 or later in PATH, or named by PGBACKREST: apt install pgbackrest (Debian 13; "
              "on 12 the program of that package runs, unpacked by dpkg -x)")
NEEDS = {PgBackRest: PGBACKREST, PgBackRestAhead: PGBACKREST,
         Barman: "Barman and ssh in PATH: apt install barman barman-cli rsync openssh-server, or pip install barman psycopg2-binary "
                 "in a folder that the user postgres may enter"}


class Typed:
    """What the plan says to type, with what it leaves open: folders, port, the name of the backup."""

    def __init__(self, scene, plan):
        self.scene, self.backup, values = scene, scene.backup, scene.servers.values
        root = self.backup.dir / "restored"
        root.mkdir()
        self.data, self.state, port = root / "data", root / "state", free_ports(1)[0]
        self.postgres = PostgresServer({**values, "PG_PORT": port, "PG_DATA": str(self.data)})
        for old, new in {"/restore": root, f"/var/tmp/{scene.lost.slot}": self.state, "5433": port, "BACKUP": self.backup.newest(),
                         **self.backup.words}.items():
            plan = plan.replace(old, str(new))
        print(plan)
        steps = plan[plan.index("What to type"):].splitlines()
        owner, settings, then = (next(i for i, line in enumerate(steps) if line.startswith(word))
                                 for word in ("Then as", "At the end", "Then, in"))
        self.as_root, self.commands, self.settings = steps[1:owner], steps[owner + 1:settings], steps[settings + 1:then]
        self.run, self.start = steps[then + 1:then + 3]
        shutil.copy(BINARY, self.backup.bin / "walduct")  # the servers' user may not enter the checkout
        self.path = f"{self.backup.bin}:{values['PG_BIN']}"

    def restore(self):
        for command in self.as_root:
            subprocess.run(command, shell=True, check=True)
        for command in self.commands:
            self.backup.do(command, path=self.path)
        with open(self.data / "postgresql.auto.conf", "a") as conf:
            conf.writelines(line.strip() + "\n" for line in self.settings)

    def recover(self):
        words = shlex.split(self.run)
        files = [str(word) for word in self.scene.lost.files()]
        assert words[:7] == ["walduct", "recover", "run", *files], words
        self.scene.lost.start(*words[7:], command="recover run")

    def start_server(self):
        self.backup.do(f"{self.start} > {self.state}/started", path=self.path)

    def stop_server(self):
        if (self.data / "postmaster.pid").exists():
            self.backup.do(f"pg_ctl -D {self.data} -m immediate stop", path=self.path)

    def log(self):
        log = self.state / "server.log"
        return log.read_text(errors="replace") if log.exists() else ""


@pytest.mark.parametrize(("version", "tool"), [(16, PgBackRest), (17, PgBackRest), (17, PgBackRestAhead), (17, Barman), (18, Barman), (17, PlainCopy), (18, PlainCopy)],
                         ids=lambda it: getattr(it, "__name__", it))
def test_by_what_the_plan_says(version, tool, request, private_servers, databases, connectors):
    if tool in NEEDS and tool.program() is None:
        pytest.skip(f"needs {NEEDS[tool]}")
    servers = private_servers(postgres=version, pg_set={**ARCHIVED, **SOCKET})
    scene = Scene(servers, databases, connectors, backup=lambda servers: tool(servers, request.addfinalizer))
    scene.lose()
    gap(scene.db)
    for first in range(1000, 4000, 1000):
        gap(scene.db, first)
        scene.db.execute("select pg_switch_wal()")
    scene.hold()
    gap(scene.db, 200)
    scene.backup.wait_archived()
    typed = Typed(scene, scene.plan(0))
    try:
        typed.restore()
        typed.recover()
        typed.start_server()
        assert scene.lost.wait_exit(120) == 0, scene.lost.log_text()
        assert scene.lost.logged("the gap is closed"), scene.lost.log_text()
    finally:
        typed.stop_server()
        print(typed.log()[-3000:])  # shown of a test that failed
    scene.lost.start().wait_streaming()
    scene.db.execute("insert into items values (9000, 'behind')")
    scene.wait_same()
    scene.lost.stop()
