"""The HTTP sink: nginx that answers 200 to what it counts, and a receiver that tells when each request has come."""
import http.client
import shutil
import socket
import subprocess
import threading
from pathlib import Path

from sinks import Sink
from support import servers
from support.paths import DEPS
from support.servers import children
from support.wait import wait_until

CONF = """worker_processes 1; daemon off; pid {dir}/pid; error_log {dir}/error.log;
events {{ worker_connections 1024; }}
http {{ access_log off; keepalive_requests 1000000000; client_body_buffer_size 64k;
client_body_temp_path {dir}/body; fastcgi_temp_path {dir}/f; proxy_temp_path {dir}/p; scgi_temp_path {dir}/s; uwsgi_temp_path {dir}/u;
server {{ listen 127.0.0.1:{port}; location / {{ return 200; }} location /count {{ stub_status; }} }} }}
"""
NGINX = shutil.which("nginx") or next((str(path) for path in (Path("/usr/sbin/nginx"), DEPS / "nginx/usr/sbin/nginx") if path.exists()), None)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class OfHttp(Sink):
    name, kind = "http", "http"
    variants = {"": {}, "16": {"walduct.sink.http.max.in.flight": "16"}}

    def place(self):
        if NGINX is None:
            raise SystemExit("bench: nginx is missing; run scripts/deps debezium-server")
        folder, (port,) = self.directory / "nginx", servers.free_ports(1)
        folder.mkdir()
        (folder / "conf").write_text(CONF.format(dir=folder, port=port))
        self.nginx = subprocess.Popen([NGINX, "-c", folder / "conf"], stderr=subprocess.DEVNULL)
        self.url, self.looks, self.before = f"http://127.0.0.1:{port}/events", 0, 0
        self.status = http.client.HTTPConnection("127.0.0.1", port)
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0 and children(self.nginx.pid), 10, "nginx answers")
        return "127.0.0.1", str(port)

    def target(self, variant):
        return variant or "1"

    def pid(self):
        return children(self.nginx.pid)[0]

    def properties(self, variant):
        return {"debezium.sink.http.url": self.url, **self.variants[variant]}

    def begin(self, prefix):
        self.before = self._all()

    def count(self, prefix):
        return self._all() - self.before

    def _all(self):
        """Requests but those that ask for this."""
        self.looks += 1
        self.status.request("GET", "/count")
        return int(self.status.getresponse().read().split()[9]) - self.looks

    def watch(self, prefix, note):
        """From now on requests go to a receiver of our own: nginx does not say when."""
        listening = socket.create_server(("127.0.0.1", 0))
        where = listening.getsockname()
        self.url = f"http://127.0.0.1:{where[1]}/events"

        def serve(connection):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection.makefile("rb") as file:
                while file.readline():
                    size = 0
                    while (line := file.readline()) not in (b"\r\n", b""):
                        name, _, value = line.partition(b":")
                        size = int(value) if name.lower() == b"content-length" else size
                    note(file.read(size))
                    connection.sendall(OK)

        def accept():
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        self.prober = socket.create_connection(where)

    def probe(self, value):
        self.prober.sendall(b"POST /events HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (len(value), value))
        self.prober.recv(len(OK))

    def close(self):
        self.nginx.terminate()
        self.nginx.wait()
