"""A proxy of HTTP: it tunnels (CONNECT), and passes on what names a whole URL; all of it to one address, whatever host is asked for."""
import contextlib
import socket
import threading


class Proxy:
    """asked: the first lines of what came."""

    def __init__(self, to):
        self.to, self.asked = to, []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self.server.accept()[0],), daemon=True).start()

    def _serve(self, client):
        host, _, port = self.to.rpartition(":")
        with client, contextlib.suppress(OSError), socket.create_connection((host, int(port))) as target:
            head = b""
            while b"\r\n\r\n" not in head:
                if not (part := client.recv(65536)):
                    return
                head += part
            self.asked.append(head.split(b"\r\n")[0].decode())
            if head.startswith(b"CONNECT "):
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                target.sendall(head)
            threading.Thread(target=self._pump, args=(target, client), daemon=True).start()
            self._pump(client, target)

    @staticmethod
    def _pump(from_, to):
        with contextlib.suppress(OSError):
            while part := from_.recv(65536):
                to.sendall(part)
            to.shutdown(socket.SHUT_WR)

    def close(self):
        self.server.close()
