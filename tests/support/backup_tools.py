"""Backup tools as operators have them: what they archive and take, in place of the copies of support/restored.py."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from support.paths import DEPS
from support.postgres import lsn
from support.servers import free_ports
from support.wait import wait_until

# Tools ask a server through its socket; the servers of tests have none else.
SOCKET = {"unix_socket_directories": "/tmp"}

SWITCHED = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] if os.getuid() == 0 else []


def major(version_text):
    """Of "pgBackRest 2.55.1": (2, 55)."""
    return tuple(map(int, re.search(r"(\d+)\.(\d+)", version_text).groups()))


def as_owner(command, path, environment):
    """By sh, as whoever the server runs as, with the tools of that folder first; what it says."""
    all_of = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", **environment}
    done = subprocess.run([*SWITCHED, "sh", "-c", str(command)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          cwd="/", env=all_of, timeout=120)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class ToolBackup:
    """A tool's archive and backup of a private server. at_end: takes what is to be called when the test has ended."""
    tool, words = "", {}  # words: of the plan, for which this tool has others

    def __init__(self, servers, at_end):
        self.servers, self.primary = servers, servers.postgres
        self.data = Path(servers.values["PG_DATA"])
        self.owner = self.data.stat()
        self.dir = Path(f"{self.data}-{self.tool}")
        self.bin = self.dir / "bin"
        self.folder(self.bin)
        self.environment = {"PGPASSWORD": self.primary.password}
        self.set_up(at_end)
        with self.primary.connect() as session:
            session.execute(f"alter system set archive_command = '{self.archive_command()}'")
            session.execute("select pg_reload_conf()")
        self.take()

    def folder(self, path):
        path.mkdir(parents=True, exist_ok=True)
        for each in (path, *path.parents):
            if each == self.data.parent:
                break
            os.chown(each, self.owner.st_uid, self.owner.st_gid)
        return path

    def do(self, command, path=None):
        return as_owner(command, path or self.bin, self.environment)

    def wait_archived(self):
        """All that is written so far."""
        name = self.primary.query("select pg_walfile_name(pg_switch_wal())")[0][0]
        last = "select coalesce(last_archived_wal, '') from pg_stat_archiver"
        wait_until(lambda: self.primary.query(last)[0][0] >= name, 60, f"{name} is archived")
        return lsn(self.primary.query("select pg_current_wal_lsn()::text")[0][0])


class PgBackRest(ToolBackup):
    tool, more = "pgbackrest", ""

    @staticmethod
    def program():
        """2.54 is the first that knows PostgreSQL 17; None: none is there."""
        program = shutil.which(os.environ.get("PGBACKREST", "pgbackrest"))
        version = program and subprocess.run([program, "version"], capture_output=True, text=True).stdout
        return program if version and major(version) >= (2, 54) else None

    def set_up(self, at_end):
        (self.bin / "pgbackrest").write_bytes(Path(self.program()).read_bytes())
        (self.bin / "pgbackrest").chmod(0o755)
        for name in ("repo", "log", "lock", "spool"):
            self.folder(self.dir / name)
        config = self.dir / "pgbackrest.conf"
        config.write_text(f"""[global]
repo1-path={self.dir}/repo
log-path={self.dir}/log
lock-path={self.dir}/lock
spool-path={self.dir}/spool
start-fast=y
{self.more}
[shop]
pg1-path={self.data}
pg1-port={self.primary.port}
pg1-socket-path=/tmp
pg1-user={self.primary.user}
""")
        self.command = f"{self.bin}/pgbackrest --config={config} --stanza=shop"
        self.do(f"{self.command} stanza-create")

    def archive_command(self):
        return f"{self.command} archive-push %p"

    def take(self):
        self.do(f"{self.command} --type=full backup")

    def newest(self):
        return json.loads(self.do(f"{self.command} --output=json info"))[0]["backup"][-1]["label"]


class PgBackRestAhead(PgBackRest):
    """It fetches segments before the server asks for them."""
    more = "archive-async=y\narchive-get-queue-max=64MiB"


class PlainCopy(ToolBackup):
    """pg_basebackup and cp."""
    tool = "copy"

    def set_up(self, at_end):
        self.archive, self.backups = self.folder(self.dir / "archive"), self.folder(self.dir / "backups")
        self.words = {"/archive/%f": f"{self.archive}/%f", "/backups": self.backups}

    def archive_command(self):
        return f"cp %p {self.archive}/%f.new && mv {self.archive}/%f.new {self.archive}/%f"

    def take(self):
        self.do(f"{DEPS}/upgrade/18/bin/pg_basebackup -h {self.primary.host} -p {self.primary.port} -U {self.primary.user} "
                f"-c fast -D {self.backups}/first")

    def newest(self):
        return "first"


class Barman(ToolBackup):
    """By ssh in both directions, to the server's own user on this machine: as where Barman has a machine of its own."""
    tool = "barman"

    @staticmethod
    def program():
        there = all(map(shutil.which, ("barman", "barman-wal-restore", "rsync", "ssh", "ssh-keygen"))) and Path("/usr/sbin/sshd").exists()
        return shutil.which("barman") if there else None

    def set_up(self, at_end):
        self.words = {"RESTORED": "restored"}
        home, key, port = self.folder(self.dir / "home"), self.dir / "key", free_ports(1)[0]
        config, ssh, sshd = self.dir / "barman.conf", self.dir / "ssh.conf", self.dir / "sshd.conf"
        path = f"{self.bin}:{DEPS}/upgrade/18/bin:/usr/bin:/bin"
        conninfo = " ".join(f"{name}={getattr(self.primary, name)}" for name in ("host", "port", "user", "password")) + " dbname=postgres"
        config.write_text(f"[barman]\nbarman_home={home}\nbarman_user=postgres\nlog_file={home}/log\n[shop]\ndescription=shop\n"
                          f"conninfo={conninfo}\nstreaming_conninfo={conninfo}\nbackup_method=postgres\narchiver=on\nimmediate_checkpoint=true\n"
                          f"path_prefix={DEPS}/upgrade/18/bin\n")
        as_owner(f"ssh-keygen -q -t ed25519 -N '' -f {key}", self.bin, {})
        sshd.write_text(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {key}\nAuthorizedKeysFile {key}.pub\nStrictModes no\nUsePAM no\n"
                        f"PidFile none\nSetEnv PATH={path}\n")
        ssh.write_text(f"Host *\nHostName 127.0.0.1\nPort {port}\nIdentityFile {key}\nStrictHostKeyChecking no\n"
                       "UserKnownHostsFile /dev/null\nLogLevel ERROR\n")
        own = Path(self.program()).parent
        for name, command in (("ssh", f"{shutil.which('ssh')} -F {ssh}"), ("barman", f"{own}/barman -c {config}"),
                              ("barman-wal-archive", f"{own}/barman-wal-archive"), ("barman-wal-restore", f"{own}/barman-wal-restore")):
            (self.bin / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
            (self.bin / name).chmod(0o755)
        self.sshd = subprocess.Popen([*SWITCHED, "/usr/sbin/sshd", "-D", "-f", sshd, "-E", self.dir / "sshd.log"])
        at_end(self.stop)
        self.do("barman cron --keep-descriptors")

    def archive_command(self):
        return f"env PATH={self.bin}:/usr/bin:/bin {self.bin}/barman-wal-archive -U postgres backups shop %p"

    def take(self):
        self.wait_archived()
        self.do("barman backup --wait shop")

    def wait_archived(self):
        end = super().wait_archived()
        self.do("barman archive-wal shop")
        return end

    def newest(self):
        return self.do("barman list-backups --minimal shop").splitlines()[0]

    def stop(self):
        self.sshd.terminate()
        self.sshd.wait()
