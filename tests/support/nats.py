"""A client of NATS: requests to JetStream and what its streams hold."""
import base64
import json
import re
import socket
import uuid
from urllib.parse import urlsplit


class NatsError(Exception):
    pass


class Nats:
    def __init__(self, url, user=None, password=None):
        where = urlsplit(url)
        self._socket = socket.create_connection((where.hostname, where.port), 10)
        self._file = self._socket.makefile("rb")
        self._file.readline()  # INFO
        login = {"user": user, "pass": password} if user else {}
        connect = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, **login}
        self._inbox = f"_INBOX.test.{uuid.uuid4().hex}.of.this".encode()  # five parts: no stream over *.*.* takes them
        self._socket.sendall(b"CONNECT " + json.dumps(connect).encode() + b"\r\nSUB " + self._inbox + b" 1\r\n")

    def request(self, subject, body=b""):
        """The payload of the answer."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._socket.sendall(b"PUB %s %s %d\r\n%s\r\n" % (subject.encode(), self._inbox, len(body), body))
        while True:
            line = self._file.readline().split()
            if not line:
                raise ConnectionError("the server has gone")
            if line[0] == b"PING":
                self._socket.sendall(b"PONG\r\n")
            elif line[0] == b"-ERR":
                raise NatsError(b" ".join(line).decode())
            elif line[0] in (b"MSG", b"HMSG"):
                payload = self._file.read(int(line[-1]) + 2)[:-2]
                if line[0] == b"HMSG":
                    raise NatsError(payload.decode().splitlines()[0])  # NATS/1.0 503
                return payload

    def api(self, what, body=b""):
        answer = json.loads(self.request(f"$JS.API.{what}", body))
        if "error" in answer:
            raise NatsError(f"{answer['error']['description']} ({answer['error']['err_code']})")
        return answer

    def publish(self, subject, body):
        self._socket.sendall(b"PUB %s %d\r\n%s\r\n" % (subject.encode(), len(body), body))

    def create(self, name, subjects, change="CREATE", **settings):
        defaults = {"storage": "file", "retention": "limits", "discard": "old", "num_replicas": 1}
        return self.api(f"STREAM.{change}.{name}", {**defaults, "name": name, "subjects": subjects, **settings})

    def update(self, name, subjects, **settings):
        return self.create(name, subjects, "UPDATE", **settings)

    def delete(self, name):
        return self.api(f"STREAM.DELETE.{name}")

    def info(self, name):
        return self.api(f"STREAM.INFO.{name}")

    def streams(self):
        return sorted(self.api("STREAM.NAMES")["streams"] or [])

    def last(self, name):
        """The last sequence number."""
        return self.info(name)["state"]["last_seq"]

    def messages(self, name, begin=1):
        """[(subject, {header: value}, body), ...]"""
        state, found = self.info(name)["state"], []
        for sequence in range(max(begin, state["first_seq"]), state["last_seq"] + 1):
            try:
                message = self.api(f"STREAM.MSG.GET.{name}", {"seq": sequence})["message"]
            except NatsError:
                continue  # deleted
            lines = base64.b64decode(message.get("hdrs", "")).decode().split("\r\n")[1:]
            headers = dict(re.match(r"([^:]*): ?(.*)", line).groups() for line in lines if line)
            found.append((message["subject"], headers, base64.b64decode(message.get("data", "")).decode()))
        return found

    def close(self):
        self._file.close()
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
