"""A PgBouncer before a PostgreSQL server; nothing is set in it but what it needs to run."""
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from support.paths import DEPS
from support.postgres import CDC_PASSWORD, CDC_ROLE
from support.servers import free_ports
from support.wait import wait_until

PROGRAM = DEPS / "pgbouncer" / "pgbouncer"


class PgBouncer:
    """Of every database of the server, under its own name. settings: lines of pgbouncer.ini."""

    def __init__(self, server, pool_mode, **settings):
        assert PROGRAM.exists(), "PgBouncer is missing; run scripts/deps pgbouncer"
        self.host, self.port = "127.0.0.1", settings.pop("listen_port", None) or free_ports(1)[0]
        self.dir = Path(tempfile.mkdtemp(prefix="walduct-pgbouncer-"))
        shutil.copy(PROGRAM, self.dir / "pgbouncer")
        passwords = {server.user: server.password, CDC_ROLE: CDC_PASSWORD}
        (self.dir / "users.txt").write_text("".join(f'"{user}" "{password}"\n' for user, password in passwords.items()))
        options = {"listen_addr": self.host, "listen_port": self.port, "unix_socket_dir": "", "auth_type": "scram-sha-256",
                   "auth_file": self.dir / "users.txt", "pool_mode": pool_mode, **settings}
        (self.dir / "pgbouncer.ini").write_text(f"[databases]\n* = host={server.host} port={server.port}\n[pgbouncer]\n" +
                                                "".join(f"{name} = {value}\n" for name, value in options.items()))
        command = [self.dir / "pgbouncer", self.dir / "pgbouncer.ini"]
        if os.getuid() == 0:  # it refuses to be root
            owner = pwd.getpwnam("postgres")
            for path in (self.dir, *self.dir.iterdir()):
                os.chown(path, owner.pw_uid, owner.pw_gid)
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", *command]
        self.log = self.dir / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self._answers, 30, "PgBouncer listens")

    def _answers(self):
        assert self.process.poll() is None, self.log.read_text()
        with contextlib.suppress(OSError):
            socket.create_connection((self.host, self.port), 1).close()
            return True
        return False

    @property
    def properties(self):
        return {"database.hostname": self.host, "database.port": str(self.port)}

    def end(self):
        """At once: SIGTERM waits until the last client has gone."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def close(self):
        self.end()
        shutil.rmtree(self.dir)
