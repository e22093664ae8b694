"""A client of Redis: commands and their answers as they are, errors raised."""
import socket


class RedisError(Exception):
    pass


class Redis:
    def __init__(self, address, user=None, password=None, database=0):
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), 10)
        self._file = self._socket.makefile("rb")
        if password:
            self.do("AUTH", *([user] if user else []), password)
        if database:
            self.do("SELECT", database)

    def do(self, *command):
        parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
        self._socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
        return self._answer()

    def _answer(self):
        line = self._file.readline()
        kind, rest = line[:1], line[1:-2]
        if not line:
            raise ConnectionError("the server has gone")
        if kind == b"-":
            raise RedisError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self._file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self._answer() for _ in range(int(rest))]
        return rest.decode()

    def entries(self, stream):
        """[(id, [(field, value), ...]), ...], all as text."""
        return [(entry.decode(), [(a.decode(), b.decode()) for a, b in zip(fields[::2], fields[1::2])])
                for entry, fields in self.do("XRANGE", stream, "-", "+")]

    def keys(self):
        return sorted(key.decode() for key in self.do("KEYS", "*"))

    def close(self):
        self._file.close()
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
