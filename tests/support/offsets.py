"""The stored position in Connect's formats: the file of FileOffsetBackingStore (Java serialization of a
HashMap<byte[], byte[]>) and the record of the offsets topic. Written from the stream grammar of the Java Object
Serialization Specification, independently of walduct's own code."""
import json
import struct

_HEADER = bytes.fromhex("aced0005 7372 0011") + b"java.util.HashMap" + bytes.fromhex("0507dac1c31660d1 03 0002") + \
    b"F\x00\x0aloadFactorI\x00\x09threshold" + bytes.fromhex("7870 3f400000")
_FIRST_ARRAY = bytes.fromhex("7572 0002") + b"[B" + bytes.fromhex("acf317f8060854e0 02 0000 7870")
_NEXT_ARRAY = bytes.fromhex("7571 007e0002")


def offset_key(connector, prefix, slot=1):
    slot_text = f',"walduct_slot":{slot}' if slot > 1 else ""
    return f'["{connector}",{{"server":"{prefix}"{slot_text}}}]'.encode()


def read_map(path):
    """{key bytes: value bytes} of such a file."""
    content = path.read_bytes()
    assert content.startswith(_HEADER), f"{path} does not begin as a serialized HashMap: {content[:80].hex()}"
    at = len(_HEADER) + 4  # the threshold is any number
    assert content[at:at + 2] == b"\x77\x08", content[at:at + 2].hex()
    buckets, size = struct.unpack_from(">ii", content, at + 2)
    assert buckets >= size and buckets & (buckets - 1) == 0, f"{buckets} buckets for {size} entries"
    at, arrays, elements = at + 10, 0, []
    for _ in range(2 * size):
        if content[at] == 0x70:
            elements.append(None)
            at += 1
            continue
        marker = _NEXT_ARRAY if arrays else _FIRST_ARRAY
        assert content[at:at + len(marker)] == marker, f"array {arrays} at {at}: {content[at:at + 12].hex()}"
        at, arrays = at + len(marker), arrays + 1
        (length,) = struct.unpack_from(">i", content, at)
        elements.append(content[at + 4:at + 4 + length])
        at += 4 + length
    assert content[at:] == b"\x78", f"after the entries: {content[at:].hex()}"
    return dict(zip(elements[::2], elements[1::2]))


def write_map(path, entries):
    out = bytearray(_HEADER + struct.pack(">i", 12) + b"\x77\x08" + struct.pack(">ii", 16, len(entries)))
    marker = _FIRST_ARRAY
    for pair in entries.items():
        for element in pair:
            out += marker + struct.pack(">i", len(element)) + element
            marker = _NEXT_ARRAY
    path.write_bytes(bytes(out + b"\x78"))


def read_offset(path, connector, prefix, slot=1):
    """The offset map stored for one connector; None when the file or the entry is missing."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    value = read_map(path).get(offset_key(connector, prefix, slot))
    return json.loads(value) if value is not None else None


def write_offset(path, connector, prefix, offset):
    value = json.dumps(offset, separators=(",", ":")).encode()
    write_map(path, {offset_key(connector, prefix): value})
