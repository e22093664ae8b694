"""A body of bytes, taken apart: each byte belongs to a piece, in order. Two bodies of the same schema are equal when their pieces are."""
import struct
from dataclasses import dataclass


class Malformed(Exception):
    """The bytes do not follow the schema, or say in more bytes what could be said in fewer."""


STRUCTURE = object()  # in the place of a value: tags, branches, counts, lengths


@dataclass
class Piece:
    path: tuple  # names
    raw: bytes
    value: object = STRUCTURE
    inside: int = 0  # of a length: how many of the pieces that follow it measures


class Cursor:
    def __init__(self, body, at=0):
        self.body, self.at, self.pieces = body, at, []

    def take(self, count):
        if count < 0 or self.at + count > len(self.body):
            raise Malformed(f"{count} bytes wanted at {self.at} of {len(self.body)}")
        self.at += count
        return self.body[self.at - count:self.at]

    def varint(self):
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                if byte == 0 and shift > 7:
                    raise Malformed(f"the number before {self.at} is longer than it has to be")
                return number

    def zigzag(self):
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def add(self, path, begin, value=STRUCTURE):
        """The bytes since then are a piece."""
        self.pieces.append(Piece(path, self.body[begin:self.at], value))
        return value

    def structure(self, path, read):
        """What `read` reads is no value."""
        begin = self.at
        number = read()
        self.add(path, begin)
        return number


def floating(form, raw):
    """JSON has no infinity."""
    value, = struct.unpack(form, raw)
    if value == value and abs(value) != float("inf"):
        return value
    return {"number": "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"}


def hexadecimal(raw):
    return {"bytes": raw.hex()}
