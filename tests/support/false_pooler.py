"""What stands before a server and treats what a session is opened with as some poolers do: old PgBouncers and RDS Proxy refuse it,
Supavisor drops it without a word. Behind that it passes bytes on."""
import socket
import socketserver
import struct
import threading

SSL_REQUEST = 80877103


def _read(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionError("closed")
        data += more
    return data


def _error(code, text):
    fields = b"".join(kind + value.encode() + b"\0" for kind, value in
                      ((b"S", "FATAL"), (b"V", "FATAL"), (b"C", code), (b"M", text))) + b"\0"
    return b"E" + struct.pack(">i", len(fields) + 4) + fields


class _Session(socketserver.BaseRequestHandler):
    def handle(self):
        pooler = self.server.pooler
        try:
            length, protocol = struct.unpack(">ii", _read(self.request, 8))
            if protocol == SSL_REQUEST:
                self.request.sendall(b"N")
                length, protocol = struct.unpack(">ii", _read(self.request, 8))
            body = _read(self.request, length - 8)
            words = body.rstrip(b"\0").split(b"\0") if protocol == 196608 else []
            parameters = dict(zip(words[::2], words[1::2]))
            for name, refusal in pooler.refuses.items():
                if name.encode() in parameters:
                    self.request.sendall(_error(*refusal))
                    return
            if parameters:
                kept = {k: v for k, v in parameters.items() if k.decode() not in pooler.drops}
                body = b"".join(k + b"\0" + v + b"\0" for k, v in kept.items()) + b"\0"
            with socket.create_connection((pooler.server.host, pooler.server.port)) as server:
                server.sendall(struct.pack(">ii", len(body) + 8, protocol) + body)
                threading.Thread(target=_copy, args=(server, self.request), daemon=True).start()
                _copy(self.request, server)
        except OSError:
            pass


def _copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64


class FalsePooler:
    """refuses: {parameter: (SQLSTATE, text)}; drops: parameters that never reach the server."""

    def __init__(self, server, refuses=None, drops=()):
        self.server, self.refuses, self.drops = server, refuses or {}, set(drops)
        self._listener = _Listener(("127.0.0.1", 0), _Session)
        self._listener.pooler = self
        threading.Thread(target=self._listener.serve_forever, daemon=True).start()

    @property
    def properties(self):
        host, port = self._listener.server_address
        return {"database.hostname": host, "database.port": str(port)}

    def close(self):
        self._listener.shutdown()
        self._listener.server_close()
