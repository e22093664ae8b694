"""A receiver of HTTP in a process of its own, which may be stopped (SIGSTOP), with HTTP/2 where it has TLS: hypercorn, of PyPI.

Each request is a line of a file before it is answered: {"version", "path", "headers", "body"}."""
import json
import os
import signal
import socket
import subprocess
import sys

from support.paths import ROOT
from support.servers import free_ports
from support.wait import wait_until


async def app(scope, receive, send):
    """What hypercorn runs."""
    if scope["type"] != "http":
        return
    body = b""
    while True:
        part = await receive()
        body += part.get("body", b"")
        if not part.get("more_body"):
            break
    line = {"version": scope["http_version"], "path": scope["path"], "headers": {name.decode(): value.decode() for name, value in scope["headers"]},
            "body": body.decode()}
    with open(os.environ["RECEIVED"], "a") as file:
        file.write(json.dumps(line) + "\n")
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


class ReceiverProcess:
    def __init__(self, directory, identity=None):
        """identity: certificate and key."""
        self.file, (port,) = directory / "received.jsonl", free_ports(1)
        self.file.touch()
        self.host, self.url = f"127.0.0.1:{port}", f"{'https' if identity else 'http'}://127.0.0.1:{port}"
        tls = ["--certfile", identity[0], "--keyfile", identity[1]] if identity else []
        with open(directory / "receiver.log", "ab") as log:
            self.process = subprocess.Popen([sys.executable, "-m", "hypercorn", "--workers", "0", "--bind", self.host, *tls, "support.receiver_process:app"],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), "RECEIVED": str(self.file)})
        wait_until(self._listens, 30, "the receiver")

    def _listens(self):
        assert self.process.poll() is None, (self.file.parent / "receiver.log").read_text()
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", int(self.host.rpartition(":")[2]))) == 0

    @property
    def requests(self):
        return [json.loads(line) for line in self.file.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        self.process.kill()
        self.process.wait()
