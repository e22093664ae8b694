"""What speaks PostgreSQL's protocol and means no good."""
import contextlib
import socket
import struct
import threading


def message(kind, body=b""):
    return kind + struct.pack("!I", len(body) + 4) + body


def _whole(connection, size):
    got = b""
    while len(got) < size:
        piece = connection.recv(size - len(got))
        if not piece:
            raise ConnectionError("the client has gone")
        got += piece
    return got


OK = message(b"R", struct.pack("!I", 0))
READY = message(b"Z", b"I")
PARAMETERS = b"".join(message(b"S", f"{name}\0{value}\0".encode()) for name, value in
                      (("server_version", "15.4"), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on"),
                       ("integer_datetimes", "on"), ("server_encoding", "UTF8")))


class Listener:
    """Serves each connection on a thread of its own."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        raise NotImplementedError

    def close(self):
        self.listener.close()


class FalsePostgres(Listener):
    """Serves each connection with `talk(connection)` once its start-up packet is read, inside TLS when there is a context."""

    def __init__(self, talk, tls=None):
        self.talk = talk
        self.tls = tls
        super().__init__()

    def _serve(self, connection):
        with contextlib.ExitStack() as open_ones:
            open_ones.enter_context(connection)
            try:
                self.talk(self._start_up(connection, open_ones))
            except OSError:
                pass

    def _start_up(self, connection, open_ones):
        while True:
            size, code = struct.unpack("!II", _whole(connection, 8))
            _whole(connection, size - 8)
            if code == 80877103 and self.tls:  # TLS
                connection.sendall(b"S")
                connection = open_ones.enter_context(self.tls.wrap_socket(connection, server_side=True))
            elif code in (80877103, 80877104):  # TLS, GSSAPI: neither
                connection.sendall(b"N")
            else:
                return connection


def asks_for_rounds(count, pieces=False, proofs=None):
    """SCRAM with so many iterations. What the client answers is added to proofs."""
    def talk(connection):
        connection.sendall(message(b"R", struct.pack("!I", 10) + b"SCRAM-SHA-256\0\0"))
        nonce = connection.recv(4096).rpartition(b"r=")[2]
        challenge = message(b"R", struct.pack("!I", 11) + b"r=" + nonce + b"more,s=QSXCR+Q6sek8bf92,i=" + str(count).encode())
        if pieces:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for begin in range(0, len(challenge), 3 if pieces else len(challenge)):
            connection.sendall(challenge[begin:begin + (3 if pieces else len(challenge))])
        proof = connection.recv(4096)
        if proofs is not None:
            proofs.append(proof)
    return talk


def answers_without_end(connection):
    connection.sendall(OK + PARAMETERS + message(b"K", struct.pack("!II", 1, 1)) + READY)
    connection.recv(65536)
    connection.sendall(message(b"T", struct.pack("!H", 1) + b"v\0" + struct.pack("!IHIHIH", 0, 0, 25, 65535, 0xFFFFFFFF, 0)))
    rows = message(b"D", struct.pack("!HI", 1, 1000) + b"x" * 1000) * 1000
    while True:
        connection.sendall(rows)


def answers_with_one_column(connection):
    """Whatever it is asked, it has one row of one column."""
    connection.sendall(OK + PARAMETERS + message(b"K", struct.pack("!II", 1, 1)) + READY)
    described = message(b"T", struct.pack("!H", 1) + b"v\0" + struct.pack("!IHIHIH", 0, 0, 25, 65535, 0xFFFFFFFF, 0))
    while connection.recv(65536):
        connection.sendall(described + message(b"D", struct.pack("!HI", 1, 1) + b"1") + message(b"C", b"SELECT 1\0") + READY)


class ShorteningRelay(Listener):
    """Leads to a real server, and takes something away from one answer to a query: its last column, all of its columns, or its
    rows. Answers are counted over all connections, from 0; `questions` are what they answer, in that order: whose session asked, and the
    statement."""

    def __init__(self, server, take, which):
        self.server, self.take, self.which = server, take, which
        self.questions = []
        self.counting = threading.Lock()
        super().__init__()

    def question(self):
        """(application_name, statement) whose answer was shortened; None: there were fewer."""
        return self.questions[self.which] if self.which < len(self.questions) else None

    def _serve(self, client):
        with client, contextlib.suppress(OSError), socket.create_connection((self.server.host, self.server.port)) as server:
            while True:  # the packets without a type: TLS and GSSAPI are refused here, the last one goes on
                head = _whole(client, 8)
                size, code = struct.unpack("!II", head)
                rest = _whole(client, size - 8)
                if code not in (80877103, 80877104):
                    break
                client.sendall(b"N")
            server.sendall(head + rest)
            named = rest.decode(errors="replace").split("\0")
            application = named[named.index("application_name") + 1]
            asked = [""]
            threading.Thread(target=_copy_questions, args=(client, server, asked), daemon=True).start()
            shortened = False
            while True:
                kind = _whole(server, 1)
                body = _whole(server, struct.unpack("!I", _whole(server, 4))[0] - 4)
                if kind == b"T":
                    with self.counting:
                        shortened = len(self.questions) == self.which
                        self.questions.append((application, asked[0]))
                if shortened and kind in b"TD":
                    body = self._short(kind, body)
                if body is not None:
                    client.sendall(message(kind, body))

    def _short(self, kind, body):
        """None: left out."""
        if self.take == "rows":
            return body if kind == b"T" else None
        count = struct.unpack("!H", body[:2])[0]
        kept = 0 if self.take == "columns" else count - 1
        at = 2
        for _ in range(kept):
            if kind == b"T":
                at = body.index(b"\0", at) + 19
            else:
                size = struct.unpack("!i", body[at:at + 4])[0]
                at += 4 + max(size, 0)
        return struct.pack("!H", kept) + body[2:at]


def _copy_questions(client, server, asked):
    """Message by message; asked[0] becomes the statement that was sent last."""
    with contextlib.suppress(OSError):
        while True:
            kind = _whole(client, 1)
            body = _whole(client, struct.unpack("!I", _whole(client, 4))[0] - 4)
            if kind == b"Q":
                asked[0] = body.split(b"\0")[0].decode(errors="replace")
            elif kind == b"P":
                asked[0] = body.split(b"\0")[1].decode(errors="replace")
            server.sendall(message(kind, body))


def _copy(source, target):
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
