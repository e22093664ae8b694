"""Doors in front of a real Redis or NATS that refuse some of what is written, in the server's own words."""
import contextlib
import json
import socket
import threading


class Door:
    """judge(number): what befalls that one: "ok"; "close": the connection ends before it; "lost": behind it, without the answer; or a word
    of ANSWERS. refused: how many so far."""

    def __init__(self, address, judge):
        host, _, port = address.rpartition(":")
        self.behind, self.judge, self.refused, self.written = (host, int(port)), judge, 0, 0
        self.server, self.lock = socket.create_server(("127.0.0.1", 0)), threading.Lock()
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._connection, args=(self.server.accept()[0],), daemon=True).start()

    def _connection(self, client):
        with client, contextlib.suppress(OSError, ValueError), socket.create_connection(self.behind) as target:
            try:
                self.serve(client, target)
            finally:
                client.shutdown(socket.SHUT_RDWR)
                target.shutdown(socket.SHUT_RDWR)

    def fate(self):
        with self.lock:
            fate = self.judge(self.written)
            self.written += 1
            self.refused += fate != "ok"
            return fate

    def close(self):
        self.server.close()


class RedisDoor(Door):
    """One that is written is a transaction: what the server refuses while it is gathered, it refuses of all of it."""
    ANSWERS = {"no-memory": "OOM command not allowed when used memory > 'maxmemory'.",
               "replica": "READONLY You can't write against a read only replica.",
               "no-permission": "NOPERM User walduct has no permissions to run the 'xadd' command",
               "no-replicas": "NOREPLICAS Not enough good replicas to write.",
               "no-disk": "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk."}

    def serve(self, client, target):
        asked, answers, fate = client.makefile("rb"), target.makefile("rb"), None
        while (command := self._command(asked)):
            words, raw = command
            if words[0] == b"XADD" and fate is None and words[-2:] != [b"k", b"v"]:  # not what a start tries
                fate = self.fate()
            refusal = self.ANSWERS.get(fate, "").encode()
            if refusal and words[0] == b"XADD":
                client.sendall(b"-" + refusal + b"\r\n")
                continue
            if words[0] == b"EXEC" and fate == "close":
                return
            target.sendall(b"DISCARD\r\n" if refusal else raw)
            answer = self._answer(answers)
            if words[0] == b"EXEC" and fate == "lost":
                return
            client.sendall(b"-EXECABORT Transaction discarded because of: " + refusal + b"\r\n" if refusal else answer)
            fate = None if words[0] in (b"EXEC", b"DISCARD") else fate

    @staticmethod
    def _command(file):
        """Its words and its bytes; nothing at the end."""
        if not (raw := file.readline()):
            return None
        words = []
        for _ in range(int(raw[1:])):
            length = file.readline()
            words.append(file.read(int(length[1:]) + 2))
            raw += length + words[-1]
        return [word[:-2] for word in words], raw

    def _answer(self, file):
        line = file.readline()
        if not line:
            raise OSError("the server has gone")
        if line[:1] == b"$" and line[1:2] != b"-":
            return line + file.read(int(line[1:]) + 2)
        if line[:1] == b"*" and line[1:2] != b"-":
            return line + b"".join(self._answer(file) for _ in range(int(line[1:])))
        return line


class NatsDoor(Door):
    """One that is written is a message that is to be acknowledged."""
    ANSWERS = {"full": (503, 10077, "maximum messages exceeded"), "no-room": (503, 10023, "insufficient resources"), "nobody": None}

    def __init__(self, url, judge):
        super().__init__(url.removeprefix("nats://"), judge)
        self.url = f"nats://{self.address}"

    def serve(self, client, target):
        of_client, subscriptions = threading.Lock(), {}
        threading.Thread(target=self._back, args=(client, target, of_client), daemon=True).start()
        asked = client.makefile("rb")
        while (line := asked.readline()):
            words = line.split()
            if words[0] == b"SUB":
                subscriptions[words[1].rstrip(b"*>")] = words[-1]
            if words[0] not in (b"PUB", b"HPUB"):
                target.sendall(line)
                continue
            message = line + asked.read(int(words[-1]) + 2)
            to_be_acknowledged = words[0] == b"HPUB" and b"Nats-Msg-Id" in message
            fate = self.fate() if to_be_acknowledged else "ok"
            if fate == "close":
                return
            if fate in self.ANSWERS:
                with of_client:
                    client.sendall(self._refusal(fate, words[2], subscriptions))
                continue
            if fate == "lost":
                client.shutdown(socket.SHUT_RDWR)
            target.sendall(message)
            if fate == "lost":
                target.shutdown(socket.SHUT_WR)
                return

    def _refusal(self, fate, inbox, subscriptions):
        number = next(number for prefix, number in subscriptions.items() if inbox.startswith(prefix))
        if self.ANSWERS[fate] is None:
            return b"HMSG %s %s 16 16\r\nNATS/1.0 503\r\n\r\n\r\n" % (inbox, number)
        code, own, words = self.ANSWERS[fate]
        body = json.dumps({"error": {"code": code, "err_code": own, "description": words}, "stream": "t", "seq": 0}).encode()
        return b"MSG %s %s %d\r\n%s\r\n" % (inbox, number, len(body), body)

    @staticmethod
    def _back(client, target, lock):
        """Whole lines and bodies: an answer of ours never comes inside one of the server's."""
        file = target.makefile("rb")
        with contextlib.suppress(OSError, ValueError):
            while (line := file.readline()):
                words = line.split()
                if words[0] in (b"MSG", b"HMSG"):
                    line += file.read(int(words[-1]) + 2)
                with lock:
                    client.sendall(line)


class Way:
    """An address that leads to one server, and then to another: what is connected stays so."""

    def __init__(self, to):
        self.to = to
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._connection, args=(self.server.accept()[0],), daemon=True).start()

    def _connection(self, client):
        host, _, port = self.to.rpartition(":")
        with client, contextlib.suppress(OSError), socket.create_connection((host, int(port))) as target:
            threading.Thread(target=self._pump, args=(target, client), daemon=True).start()
            self._pump(client, target)

    @staticmethod
    def _pump(from_, to):
        with contextlib.suppress(OSError):
            while part := from_.recv(65536):
                to.sendall(part)
        with contextlib.suppress(OSError):
            to.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.server.close()
