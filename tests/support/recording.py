"""What `walduct record` writes: src/replication/recording/recording.h says how."""
import struct

SIGNATURE = b"PGCOPY\n\xff\r\n\0"
END = 0xFFFF


def read(path):
    """The names of the header, and (LSN, message) for each message."""
    data = path.read_bytes()
    assert data.startswith(SIGNATURE), data[:20]
    flags, size = struct.unpack_from("!II", data, len(SIGNATURE))
    at = len(SIGNATURE) + 8
    first, *names = data[at:at + size].decode().splitlines()
    assert (flags, first) == (0, "walduct recording 1")
    at, messages = at + size, []
    while (fields := struct.unpack_from("!H", data, at)[0]) != END:
        lsn_size, lsn, size = struct.unpack_from("!IQI", data, at + 2)
        assert (fields, lsn_size) == (2, 8)
        messages.append((lsn, data[at + 18:at + 18 + size]))
        assert len(messages[-1][1]) == size
        at += 18 + size
    assert at + 2 == len(data), "bytes behind the end"
    return dict(name.split("=", 1) for name in names), messages
