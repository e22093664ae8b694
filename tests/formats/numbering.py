"""Bytes of records as the corpus has them: the ids of a registry as their rank in the order of registration, its address as a word."""
import base64
import re

EVENT_SCHEMA = re.compile(r'("dataschema":")([^"]*)/schemas/ids/(\d+)(")')
EVENT_DATA = re.compile(r'("data":")(AAAA[A-Za-z0-9+/]*={0,2})(")')
SCHEMA_ID = re.compile(r'^(\{"schemaId":)(\d+)')


def varint(number):
    """As Avro writes the length of a text."""
    number, out = number << 1, b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


class Numbering:
    """Of one scenario. registry: its RegistryView, whose entries have been read."""

    def __init__(self, props, registry):
        self.props, self.registry = props, registry

    def rank(self, kind, identifier):
        """The number that the corpus has for an id of the registry; None: it has no such id."""
        return (self.registry.ranks if kind == "contentId" else self.registry.global_ranks).get(identifier)

    def _frame(self, role):
        """(which id, in how many bytes) of a key or a value, by the options of its converter."""
        option = lambda name: self.props.get(f"{role}.converter.apicurio.registry.{name}") or \
            self.props.get(f"{role}.converter.avro.apicurio.registry.{name}")
        if option("url") is None:
            return "contentId", 4
        return option("use-id") or "globalId", 4 if option("as-confluent") == "true" else 8

    def part(self, role, content, headers):
        if content is None:
            return None
        kind, width = self._frame(role)
        for name, value in headers:
            if name in (f"apicurio.{role}.globalId", f"apicurio.{role}.contentId"):
                kind = name.rpartition(".")[2]
                return {"hex": content.hex(), "header": {"ids": kind, "id": self.rank(kind, int.from_bytes(value, "big"))}}
        content, rank = self._framed(content, kind, width)
        if rank is not None:
            return {"hex": self._inside(content, kind, width).hex(), "ids": kind, "id": rank}
        return self._text(content, lambda text: {"text": self._event(text, kind, width)})

    def _framed(self, content, kind, width):
        """With its id as a rank, and the rank; None: it is in no frame."""
        framed = content[:1] == b"\0" and len(content) > width
        rank = self.rank(kind, int.from_bytes(content[1:1 + width], "big")) if framed else None
        return (content, None) if rank is None else (b"\0" + rank.to_bytes(width, "big") + content[1 + width:], rank)

    def _address(self, address):
        return {self.registry.url: "${confluent}", self.registry.own: "${apicurio}"}.get(address, address)

    def _event(self, text, kind, width):
        """JSON: a CloudEvent, or a value of ExtJsonConverter."""
        text = SCHEMA_ID.sub(lambda m: m.group(1) + str(self.rank("globalId", int(m.group(2)))), text)
        if not EVENT_SCHEMA.search(text):
            return text
        text = EVENT_SCHEMA.sub(lambda m: f"{m.group(1)}{self._address(m.group(2))}/schemas/ids/{self.rank(kind, int(m.group(3))) or 0}{m.group(4)}", text)
        data = lambda m: base64.b64encode(self._framed(base64.b64decode(m.group(2)), kind, width)[0]).decode()
        return EVENT_DATA.sub(lambda m: m.group(1) + data(m) + m.group(3), text)

    def _inside(self, content, kind, width):
        """A CloudEvent in Avro, whose data is a frame of its own: its last field."""
        for address in (self.registry.url, self.registry.own):
            found = re.search(re.escape(address.encode()) + rb"/schemas/ids/(\d+)", content)
            if found is None:
                continue
            number = int(found.group(1))
            rank = self.rank(kind, number)
            text = f"{self._address(address)}/schemas/ids/{rank}".encode()
            before = content[:found.start() - len(varint(len(found.group(0))))]
            rest = content[found.end():]
            data = rest.rindex(b"\0" + number.to_bytes(width, "big"))
            rest = rest[:data + 1] + rank.to_bytes(width, "big") + rest[data + 1 + width:]
            return before + varint(len(text)) + text + rest
        return content

    def header(self, name, value):
        if value is not None and name.startswith("apicurio.") and name.endswith("Id"):
            return {"hex": self.rank(name.rpartition(".")[2], int.from_bytes(value, "big")).to_bytes(8, "big").hex()}
        return None if value is None else self._text(value)

    @staticmethod
    def _text(content, of_text=lambda text: text):
        try:
            return of_text(content.decode())
        except UnicodeDecodeError:
            return {"hex": content.hex()}
