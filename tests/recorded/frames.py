"""A recording of converters with a registry: its registry, and its records opened by their schemas, in a form that can be compared.

Of a body this is the list of its pieces: of each the path and the bytes, or, where no run can repeat them, the mask. A length that
measures such a piece has no bytes either: the reader has checked it."""
import base64
import json
import re
from collections import defaultdict
from dataclasses import dataclass

from recorded.avro import Avro
from recorded.masks import EVENTS, Masks
from recorded.pieces import STRUCTURE, Malformed
from recorded.protobuf import Protobuf
from recorded.records import load, without_repeats

_READERS = {"AVRO": Avro, "PROTOBUF": Protobuf}
_EVENT_DATA = re.compile(r'(?<="data":")AAAA[A-Za-z0-9+/]*={0,2}(?=")')


class Registry:
    """entries: of registry.json, in the order of registration."""

    def __init__(self, entries):
        self.entries, self._readers = entries, {}
        self._by_id = {}
        for entry in entries:
            self._by_id.setdefault(("contentId", entry["id"]), entry)
            self._by_id.setdefault(("globalId", entry.get("globalId", entry["id"])), entry)

    def find(self, ids, number):
        return self._by_id.get((ids, number))

    def _entry(self, reference):
        return next(entry for entry in self.entries if (entry["subject"], entry["version"]) == (reference["subject"], reference["version"]))

    def _referenced(self, entry):
        """Texts of what a schema refers to, and what that does."""
        for reference in entry.get("references") or ():
            other = self._entry(reference)
            yield from self._referenced(other)
            yield other["schema"]

    def reader(self, entry):
        """None: what the schema describes is JSON."""
        where = entry["subject"], entry["version"]
        if where not in self._readers:
            reader = _READERS.get(entry.get("schemaType", "AVRO"))
            self._readers[where] = reader and reader(entry["schema"], list(dict.fromkeys(self._referenced(entry))))
        return self._readers[where]


# --- what a key or a value can be ---

@dataclass
class Raw:
    """Bytes that nothing describes."""
    content: bytes

    def learn(self, masks):
        pass

    def comparable(self, masks):
        return {"bytes": self.content.hex()}


@dataclass
class Text:
    """inside: (begin, end, Frame) of each frame that it holds in base64."""
    text: str
    inside: list

    def learn(self, masks):
        masks.learn(self.text)
        for _, _, frame in self.inside:
            frame.learn(masks)

    def comparable(self, masks):
        around, at = "", 0
        for number, (begin, end, _) in enumerate(self.inside):
            around, at = f"{around}{self.text[at:begin]}<{number}>", end
        return {"text": masks.text(around + self.text[at:]), "frames": [frame.comparable(masks) for _, _, frame in self.inside]}


@dataclass
class Frame:
    """header: without the id, which the entry stands for. value: of JSON its text, with no pieces. inside: of the piece of that number."""
    header: bytes
    entry: dict
    value: object
    pieces: list
    inside: dict

    def _of_schema(self):
        return {"header": self.header.hex(), "schema": f"{self.entry['subject']} version {self.entry['version']}", "text": self.entry["schema"]}

    def learn(self, masks):
        if isinstance(self.value, str) and not self.pieces:
            masks.learn(self.value)
        for piece in self.pieces:
            masks.learn_member(_name(piece.path), piece.value)
        for frame in self.inside.values():
            frame.learn(masks)

    def comparable(self, masks):
        if isinstance(self.value, str) and not self.pieces:
            return {**self._of_schema(), "json": masks.text(self.value)}
        masked = [self.inside[number].comparable(masks) if number in self.inside else
                  None if piece.value is STRUCTURE else masks.member(_name(piece.path), piece.value)
                  for number, piece in enumerate(self.pieces)]
        told = []
        for number, piece in enumerate(self.pieces):
            moves = any(masked[number + 1:number + 1 + piece.inside])
            told.append([".".join(piece.path), masked[number] or ("length" if moves else self._shown(piece))])
        return {**self._of_schema(), "pieces": told}

    @staticmethod
    def _shown(piece):
        """Its bytes; of a text also the text, for who reads the difference."""
        return f"{piece.raw.hex()} {piece.value}" if isinstance(piece.value, str) else piece.raw.hex()


def _name(path):
    """Of the member; Protobuf's wrappers have their value a level below."""
    return "" if not path else path[-2] if path[-1] == "value" and len(path) > 1 else path[-1]


class Recording:
    def __init__(self, folder):
        self.meta = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
        self.registry = Registry(json.loads((folder / "registry.json").read_text(encoding="utf-8")))
        self.records = load(folder / "records.jsonl")

    def opened(self, content):
        """Malformed, KeyError and the like where the bytes do not follow the schema."""
        if content is None:
            return None
        if "text" in content:
            found = [(*match.span(), self._framed(base64.b64decode(match[0]), "contentId")) for match in _EVENT_DATA.finditer(content["text"])]
            return Text(content["text"], [one for one in found if isinstance(one[2], Frame)])
        body = bytes.fromhex(content["hex"])
        header = content.get("header")
        if header is None:
            return self._framed(body, content.get("ids"))
        entry = self.registry.find(header["ids"], header["id"])  # the record's header has the id
        return self._read(entry, body, 0) if entry else Raw(body)

    def _framed(self, body, ids):
        """A zero, an id in four bytes or in eight, the value. ids: which ids they are; None: what Confluent's and Apicurio's have."""
        for size, usual in ((5, "contentId"), (9, "globalId")):
            entry = body[:1] == b"\0" and len(body) >= size and self.registry.find(ids or usual, int.from_bytes(body[1:size], "big"))
            if entry:
                return self._read(entry, body, size)
        return Raw(body)

    def _read(self, entry, body, at):
        header, reader = body[:1] + bytes(at - 1) if at else b"", self.registry.reader(entry)
        if reader is None:
            return Frame(header, entry, body[at:].decode(), [], {})
        value, pieces = reader.decode(body, at)
        events = {number: self._framed(bytes.fromhex(piece.value["bytes"]), "contentId") for number, piece in enumerate(pieces)
                  if piece.path == ("data",) and isinstance(piece.value, dict) and "bytes" in piece.value}
        return Frame(header, entry, value, pieces, {number: frame for number, frame in events.items() if isinstance(frame, Frame)})

    def _opened_or_raw(self, record, number, part, wrong):
        content = record[part]
        try:
            opened = self.opened(content)
            if isinstance(opened, Frame) and opened.value != content.get("decoded", opened.value):
                wrong.append(f"{record['topic']} record {number} {part}: 'decoded' does not say what the bytes say")
            return opened
        except (Malformed, UnicodeDecodeError, KeyError, IndexError, ValueError) as error:
            wrong.append(f"{record['topic']} record {number} {part}: the bytes do not follow the schema: {error}")
            return Raw(bytes.fromhex(content.get("hex", "")))

    def comparable(self, strict):
        """({(topic, partition): records}, lines about bytes that are wrong)"""
        masks, wrong, opened = Masks(strict, EVENTS), [], []
        for number, record in enumerate(self.records):
            parts = {part: self._opened_or_raw(record, number, part, wrong) for part in ("key", "value")}
            for content in parts.values():
                if content:
                    content.learn(masks)
            opened.append(parts)
        partitions = defaultdict(list)
        for record, parts in zip(self.records, opened):
            if record["topic"] in self.meta.get("ignore_topics", ()):
                continue
            of = {part: content and content.comparable(masks) for part, content in parts.items()}
            of["headers"] = [[name, masks.header(name, value)] for name, value in record["headers"]]
            partitions[record["topic"], record["partition"]].append(of)
        return {where: without_repeats(where[0], found) for where, found in partitions.items()}, wrong
