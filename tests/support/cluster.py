"""Copies of a private PostgreSQL server: a standby that follows it, or its state at a moment, to go back to."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from support.paths import DEPS
from support.postgres import PostgresServer
from support.servers import free_ports
from support.wait import wait_until


def _as_owner(*command):
    """Runs a command as whoever owns the clusters; a daemon must not hold our pipe."""
    command = [str(c) for c in command]
    if os.getuid() == 0:
        command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", *command]
    with tempfile.TemporaryFile("w+") as out:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd="/",
                              env={**os.environ, "LC_ALL": "C"})
        out.seek(0)
        assert done.returncode == 0, f"{' '.join(command)}: {out.read()}"


def _copy(source, target):
    subprocess.run(["cp", "-a", source, target], check=True)


class Standby:
    """A physical standby of a private server, made of a copy of its files. data: where they go."""

    def __init__(self, servers, port, slot="standby", settings=None, data=None):
        self.primary, self.slot = servers.postgres, slot
        self.bin, self.data = Path(servers.values["PG_BIN"]), Path(data or servers.values["PG_DATA"] + "-standby")
        self.values = {"PG_PORT": port, "PG_DATA": str(self.data)}
        self.all_values = {**servers.values, **self.values}
        self.postgres = PostgresServer(self.all_values)
        self.primary.query("select pg_create_physical_replication_slot(%s, true)", slot)
        self._copy(Path(servers.values["PG_DATA"]))
        conninfo = (f"host={self.primary.host} port={self.primary.port} user={self.primary.user} "
                    f"password={self.primary.password} dbname=postgres application_name={slot}")
        self.configure({"port": port, "primary_conninfo": conninfo, "primary_slot_name": slot, "hot_standby_feedback": "on",
                        **(settings or {})})
        self._write("standby.signal", "")
        self.start()

    def _copy(self, source):
        with self.primary.connect() as session:
            session.execute("select pg_backup_start('copy', true)")
            _copy(source, self.data)
            label = session.execute("select labelfile from pg_backup_stop(false)").fetchone()[0]
        self._write("backup_label", label)
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for slot in (self.data / "pg_replslot").iterdir():
            shutil.rmtree(slot)

    def _write(self, name, text):
        (self.data / name).write_text(text)
        owner = self.data.stat()
        os.chown(self.data / name, owner.st_uid, owner.st_gid)

    def configure(self, settings):
        with open(self.data / "walduct.conf", "a") as conf:
            conf.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def start(self):
        _as_owner(self.bin / "pg_ctl", "start", "-D", self.data, "-l", self.data / "server.log", "-w", "-t", 60)
        return self

    def stop(self, mode="fast"):
        if (self.data / "postmaster.pid").exists():
            _as_owner(self.bin / "pg_ctl", "stop", "-D", self.data, "-m", mode, "-w", "-t", 60)

    def promote(self):
        _as_owner(self.bin / "pg_ctl", "promote", "-D", self.data, "-w", "-t", 60)

    def wait_replayed(self):
        end = self.primary.query("select pg_current_wal_lsn()")[0][0]
        wait_until(lambda: self.postgres.query("select pg_last_wal_replay_lsn() >= %s::pg_lsn", end)[0][0], 30, "replayed")

    def sync_slots(self):
        """Copies the primary's failover slots now (PostgreSQL 17 and later)."""
        def synced():
            self.primary.query("select pg_log_standby_snapshot()")
            self.wait_replayed()
            self.postgres.query("select pg_sync_replication_slots()")
            rows = self.postgres.query("select count(*) from pg_replication_slots where synced and not temporary")
            return rows[0][0] > 0
        wait_until(synced, 30, "the slot is synced", interval_s=0.2)


class Pair:
    """A primary and its standby that can change places any number of times (PostgreSQL 17 and later). `servers` is always the
    primary: its commands, its `postgres`. The standby's slot is called standby; whether the primary waits for it
    (synchronized_standby_slots) is among the settings that the servers were made with."""

    def __init__(self, servers):
        self.servers = servers
        self._directories = [servers.values["PG_DATA"], servers.values["PG_DATA"] + "-other"]
        self._ports = [int(servers.values["PG_PORT"]), *free_ports(1)]
        self.ports = tuple(self._ports)
        self.standby = None
        self.make_standby()

    def make_standby(self):
        """In the place that the primary has not, and with the other port."""
        here = self._directories.index(self.servers.values["PG_DATA"])
        shutil.rmtree(self._directories[1 - here], ignore_errors=True)
        self.standby = Standby(self.servers, self._ports[1 - here], settings={"sync_replication_slots": "on"},
                               data=self._directories[1 - here])

    def wait_synced(self, slot):
        """Under load only the server's own worker gets there, which goes on from what it has; the slot moves at each snapshot of what
        is running, every 15 s if nobody asks."""
        found = ("select 1 from pg_replication_slots where slot_name = %s and synced and not temporary "
                 "and invalidation_reason is null")

        def synced():
            self.servers.postgres.query("select pg_log_standby_snapshot()")
            return self.standby.postgres.query(found, slot)
        wait_until(synced, 90, f"slot {slot} is synced", interval_s=0.3)

    def fail_over(self):
        """The primary is gone at once, what it had not sent with it; the standby takes over, also one that was stopped before. It has
        no standby itself yet."""
        self.servers.do("kill-postgres")
        if not (self.standby.data / "postmaster.pid").exists():
            self.standby.start()
        self.standby.promote()
        self.servers.adopt(self.standby.values)
        self.standby = None

    def close(self):
        if self.standby is not None:
            self.standby.stop("immediate")


def save_state(servers):
    """The server's files as they are now, it being stopped for a moment."""
    source = Path(servers.values["PG_DATA"])
    servers.do("stop-postgres")
    _copy(source, f"{source}-saved")
    servers.do("start-postgres")


def go_back(servers):
    """The server as it was at save_state, as if it had been restored from a copy of its disk."""
    source = Path(servers.values["PG_DATA"])
    servers.do("stop-postgres")
    shutil.rmtree(source)
    _copy(f"{source}-saved", source)
    servers.do("start-postgres")


class Upgrade:
    """A private server of PostgreSQL 17, or the `old` of its major, becomes one of 18: pg_upgrade, as docs/upgrade.md has it.
    The server's port, user and password stay."""

    OLD, NEW = DEPS / "upgrade/17/bin", DEPS / "upgrade/18/bin"

    def __init__(self, servers):
        assert (self.NEW / "pg_upgrade").exists(), "PostgreSQL with pg_upgrade is missing; run scripts/deps upgrade"
        self.servers, self.old = servers, Path(servers.values["PG_DATA"])
        self.new, self.out = Path(f"{self.old}-upgraded"), Path(f"{self.old}-pg_upgrade")

    def initdb(self, *arguments):
        """A new server beside the old one; it may run."""
        for directory in (self.new, self.out):
            directory.mkdir()
            os.chown(directory, self.old.stat().st_uid, self.old.stat().st_gid)
        _as_owner(self.NEW / "initdb", "-D", self.new, "-U", "postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust",
                  "--no-data-checksums", "--no-sync", *arguments)
        shutil.copy(self.old / "walduct.conf", self.new / "walduct.conf")
        with open(self.new / "postgresql.conf", "a") as conf:
            conf.write("include 'walduct.conf'\n")
        return self

    def run(self):
        """The old server is stopped."""
        old, new = free_ports(2)
        _as_owner("env", "-C", self.out, "PGPASSWORD=postgres", self.NEW / "pg_upgrade", "-b", self.OLD, "-B", self.NEW, "-d", self.old,
                  "-D", self.new, "-U", "postgres", "-p", old, "-P", new, "-s", "/tmp")
        return self

    def start(self):
        """In the place of the old server."""
        shutil.copy(self.old / "pg_hba.conf", self.new / "pg_hba.conf")
        self.servers.adopt({"PG_DATA": str(self.new), "PG_BIN": str(self.NEW), "PG_VERSION": 18})
        self.servers.do("start-postgres")
