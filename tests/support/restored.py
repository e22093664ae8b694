"""A backup of a private PostgreSQL, its WAL archive, and the server that is restored of them with `walduct recover gate`."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

from support.cluster import _as_owner, _copy
from support.paths import BINARY, DEPS
from support.postgres import PostgresServer, lsn
from support.servers import free_ports
from support.wait import wait_until

ARCHIVED = {"archive_mode": "on", "archive_command": "true", "autovacuum": "off", "full_page_writes": "on"}


def lsn_text(number):
    return f"{number >> 32:X}/{number & 0xFFFFFFFF:X}"


class Backup:
    """Of the server as it is now, with an archive of all WAL from now on. Made of a server with the settings ARCHIVED."""

    def __init__(self, servers):
        self.servers, self.primary = servers, servers.postgres
        data = Path(servers.values["PG_DATA"])
        self.data, self.archive = Path(f"{data}-backup"), Path(f"{data}-archive")
        self.archive.mkdir()
        self.owner = data.stat()
        os.chown(self.archive, self.owner.st_uid, self.owner.st_gid)
        with self.primary.connect() as session:
            session.execute(f"alter system set archive_command = 'cp %p {self.archive}/%f.new && mv {self.archive}/%f.new {self.archive}/%f'")
            session.execute("select pg_reload_conf()")
        self.take()

    def take(self):
        """Of the server as it is now, in place of the one before."""
        shutil.rmtree(self.data, ignore_errors=True)
        with self.primary.connect() as session:
            session.execute("select pg_switch_wal()")
            session.execute("select pg_backup_start('backup', true)")
            _copy(Path(self.servers.values["PG_DATA"]), self.data)
            self.end, label = session.execute("select lsn::text, labelfile from pg_backup_stop(false)").fetchone()
        (self.data / "backup_label").write_text(label)
        os.chown(self.data / "backup_label", self.owner.st_uid, self.owner.st_gid)
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for folder in ("pg_replslot", "pg_wal"):
            for entry in (self.data / folder).iterdir():
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def segment_of(self, position):
        """The file of the WAL that an LSN is in, a number or text; of the timeline that the server is on."""
        return self.primary.query("select pg_walfile_name(%s::pg_lsn)", position if isinstance(position, str) else lsn_text(position))[0][0]

    def wait_archived(self, timeout_s=30):
        """All that is written so far; where the archive ends."""
        name = self.primary.query("select pg_walfile_name(pg_switch_wal())")[0][0]
        wait_until(lambda: (self.archive / name).exists(), timeout_s, f"{name} is archived", interval_s=0.05)
        return lsn(self.primary.query("select pg_current_wal_lsn()::text")[0][0])


class Restored:
    """The restored server, and what a recovery does for its gate: it says how far the slot has come."""

    def __init__(self, backup, slot, plugin="test_decoding", database="postgres", fetch=None):
        self.backup, self.slot, self.plugin, self.database = backup, slot, plugin, database
        values = backup.servers.values
        self.bin, self.data = Path(values["PG_BIN"]), Path(values["PG_DATA"] + "-restored")
        self.state, self.how_far = Path(f"{self.data}-state"), {}
        _copy(backup.data, self.data)
        self.state.mkdir()
        os.chown(self.state, backup.owner.st_uid, backup.owner.st_gid)
        port = free_ports(1)[0]
        self.postgres = PostgresServer({**values, "PG_PORT": port, "PG_DATA": str(self.data)})
        program = shutil.copy(BINARY, self.state / "walduct")  # the servers' user may not enter the checkout
        gate = f"{program} recover gate --state {self.state} -- " + (fetch or f'cp {backup.archive}/%f "%p"')
        self.configure({"port": port, "restore_command": gate, "hot_standby": "on", "archive_mode": "off",
                        "wal_retrieve_retry_interval": "50ms", "log_min_messages": "warning"})
        # ALTER SYSTEM of the primary.
        (self.data / "postgresql.auto.conf").write_text("")
        self.own(self.data / "postgresql.auto.conf")
        (self.data / "standby.signal").touch()
        self.own(self.data / "standby.signal")

    def own(self, path):
        os.chown(path, self.backup.owner.st_uid, self.backup.owner.st_gid)

    def configure(self, settings):
        with open(self.data / "walduct.conf", "a") as conf:
            conf.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def say(self, **how_far):
        """Replaces recovery.json; what is not given stays."""
        self.how_far.update(how_far)
        new = self.state / "recovery.json.test"
        new.write_text(json.dumps({k: v for k, v in self.how_far.items() if v is not None}))
        new.rename(self.state / "recovery.json")

    def notes(self):
        with contextlib.suppress(FileNotFoundError):
            return json.loads((self.state / "gate.json").read_text())
        return {}

    def log(self):
        log = self.data / "server.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def start(self, waits=True):
        _as_owner(self.bin / "pg_ctl", "start", "-D", self.data, "-l", self.data / "server.log", "-w" if waits else "-W", "-t", 60)
        return self

    def stop(self, mode="fast"):
        if (self.data / "postmaster.pid").exists():
            _as_owner(self.bin / "pg_ctl", "stop", "-D", self.data, "-m", mode, "-w", "-t", 60)

    def kill(self):
        """SIGKILL of the postmaster; its children end with it."""
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self._lives(), 30, "the restored server's processes have ended", interval_s=0.05)
        (self.data / "postmaster.pid").unlink()

    def _lives(self):
        """Processes of it, which hold its data folder."""
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (process / "cwd").readlink() == self.data:
                    return True
        return False

    def forget(self):
        """Its files, so that the backup can be restored once more."""
        shutil.rmtree(self.data)
        shutil.rmtree(self.state)

    def query(self, sql, *parameters):
        return self.postgres.query(sql, *parameters, database=self.database)

    def make_slot(self):
        """Raises free_to, a segment at a time, until the slot is there."""
        self.say(free_to=self.backup.end)
        self.start()
        made = threading.Thread(target=self.query, daemon=True,
                                args=("select pg_create_logical_replication_slot(%s, %s)", self.slot, self.plugin))
        made.start()
        segment = 16 << 20
        while made.is_alive():
            before = self.notes().get("number", 0)
            made.join(1)
            if made.is_alive() and self.notes().get("waits_for") == "slot":
                self.say(free_to=lsn_text((before + 1) * segment + 1))
        self.look()
        self.say(settled_to=self.how_far["confirmed"])

    def look(self):
        """Tells the gate what the slot says of itself; that."""
        row = self.query("select confirmed_flush_lsn::text, catalog_xmin::text, wal_status, "
                         "conflicting, (select pg_last_wal_replay_lsn()::text) from pg_replication_slots where slot_name = %s", self.slot)[0]
        confirmed, catalog_xmin, wal_status, conflicting, replayed = row
        if confirmed and catalog_xmin:
            self.say(confirmed=confirmed, catalog_xmin=catalog_xmin)
        return {"confirmed": confirmed and lsn(confirmed), "catalog_xmin": catalog_xmin, "lost": wal_status == "lost" or conflicting,
                "replayed": lsn(replayed)}

    def decode(self):
        """What the slot has up to where replay has come, and confirms it."""
        return [text for _, _, text in self.query("select lsn, xid, data from pg_logical_slot_get_changes(%s, null, null)", self.slot)]

    @contextlib.contextmanager
    def receiving(self):
        """Streams from the slot in one session, which must not end; gives what returns the changes so far."""
        out = self.state / "received"
        server = self.postgres
        command = [DEPS / "upgrade/17/bin/pg_recvlogical", "-h", server.host, "-p", server.port, "-U", server.user, "-d", self.database,
                   "-S", self.slot, "--start", "-f", out, "-s", "1", "-F", "0", "--no-loop"]
        process = subprocess.Popen([str(word) for word in command], env={**os.environ, "PGPASSWORD": server.password})
        try:
            yield lambda: out.read_text().splitlines()
            assert process.poll() is None, "pg_recvlogical has ended"
        finally:
            process.terminate()
            process.wait()

    def decode_to(self, end, timeout_s=20):
        """By SQL until the slot has come to that LSN, or is lost; the changes."""
        changes = []

        def is_there():
            seen = self.look()
            if seen["lost"]:
                return True
            changes.extend(self.decode())
            return (self.look()["confirmed"] or 0) >= end
        try:
            wait_until(is_there, timeout_s, f"the slot is at {lsn_text(end)}", interval_s=0.02)
        except AssertionError as late:
            raise AssertionError(f"{self.look()} {self.how_far} {self.notes()}") from late
        return changes
