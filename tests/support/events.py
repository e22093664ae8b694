"""A record as a consumer sees it, with shortcuts into the Debezium envelope."""
import base64
import json
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

_PLAIN_ID = re.compile(rb'\{"id":(-?\d+)\}')


@dataclass
class Event:
    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    header_source: Callable[[], list] = list  # asked once, by `headers`: most tests look at none
    timestamp_ms: int = 0

    @cached_property
    def headers(self):
        """[(name, bytes or None), …]"""
        return self.header_source() or []

    def rewritten(self, of):
        """The same with `of` of its key, of its value, and of the values of its headers; `of` gets None, too."""
        return replace(self, key=of(self.key), value=of(self.value), header_source=lambda: [(name, of(value)) for name, value in self.headers])

    @cached_property
    def key_json(self):
        return _payload(self.key)

    @cached_property
    def envelope(self):
        return _payload(self.value)

    @property
    def table(self):
        """The topic's last part; the tests' table names have no dots."""
        return self.topic.rpartition(".")[2]

    @property
    def op(self):
        """r, c, u, d, t, m; None for a tombstone. Found without parsing: the envelope's own is the last `op`."""
        at = self.value.rfind(b'"op":"') if self.value else -1
        return chr(self.value[at + 6]) if at >= 0 else None

    @property
    def before(self):
        return self.envelope["before"] if self.envelope else None

    @property
    def after(self):
        return self.envelope["after"] if self.envelope else None

    @property
    def source(self):
        return self.envelope["source"]

    @property
    def id(self):
        """The key's `id`."""
        if self.key is None:
            return None
        plain = _PLAIN_ID.fullmatch(self.key)
        return int(plain.group(1)) if plain else self.key_json["id"]

    def header(self, name):
        return next((v for k, v in self.headers if k == name), None)


def fold(events, topic):
    """What a consumer has in the end of rows with `id` and `v`: {id: v}. Updates that tell the row before may have moved it."""
    rows = {}
    for event in events:
        if event.topic != topic or event.value is None:
            continue
        if event.before:
            rows.pop(event.before["id"], None)
        if event.op != "d":
            rows[event.after["id"]] = event.after["v"]
    return rows


def _payload(content):
    if content is None:
        return None
    parsed = json.loads(content)
    return parsed["payload"] if isinstance(parsed, dict) and set(parsed) == {"schema", "payload"} else parsed


def as_text(content):
    """Bytes as the recorded corpus writes them: text, null or base64."""
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def as_bytes(text):
    if text is None:
        return None
    return base64.b64decode(text["base64"]) if isinstance(text, dict) else text.encode()


def to_line(event):
    """The JSON object of one record in the corpus and in the file sink."""
    return {"topic": event.topic, "partition": event.partition, "key": as_text(event.key), "value": as_text(event.value),
            "headers": [[name, as_text(value)] for name, value in event.headers]}


def from_lines(text, first=0):
    """Events of the file sink or of stdout; a last line without its end is still being written. first: the number of the first line."""
    events = []
    for offset, line in enumerate(text.split("\n")[:-1], first):  # splitlines would also split at U+2028 and the like
        record = json.loads(line)
        events.append(Event(record["topic"], record["partition"], offset, as_bytes(record["key"]), as_bytes(record["value"]),
                            lambda pairs=record["headers"]: [(name, as_bytes(value)) for name, value in pairs]))
    return events


class GrowingFile:
    """Events of a file that grows: each line is parsed once, however often it is looked at. What is cut at its end, or another file of that
    name, is noticed."""

    def __init__(self, path):
        self.path = path
        self._reading = threading.Lock()
        self._begin(None)

    def _begin(self, inode):
        self._inode, self._events, self._at, self._end = inode, [], 0, b""

    def read(self):
        """All so far."""
        with self._reading:
            try:
                with open(self.path, "rb") as file:
                    self._read_more(file)
            except FileNotFoundError:
                self._begin(None)
            return list(self._events)

    def _read_more(self, file):
        if os.fstat(file.fileno()).st_ino != self._inode or not self._goes_on(file):
            self._begin(os.fstat(file.fileno()).st_ino)
            file.seek(0)
        new = file.read()
        whole = new[:new.rfind(b"\n") + 1]
        self._events += from_lines(whole.decode(errors="surrogateescape"), len(self._events))
        self._at += len(whole)
        self._end = (self._end + whole[-100:])[-100:]

    def _goes_on(self, file):
        """Whether what was read last is still there; the file then stands behind it."""
        file.seek(self._at - len(self._end))
        return file.read(len(self._end)) == self._end
