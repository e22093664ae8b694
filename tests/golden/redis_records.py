"""Entries and hashes of Redis in the form that recorded/records.py takes: a stream or hash is a topic, its database the partition."""
import re

# A header of the extended form by the member whose clock, LSN or number its payload is.
PAYLOADS = [(re.compile(rf"^__(source_)?{name}$", re.I), name) for name in ("lsn", "txId", "ts_ms", "ts_us", "ts_ns")]
RUN_ID = re.compile(r"^__debezium\.context\.runid$", re.I)


def as_header(name, text):
    if RUN_ID.match(name):
        return [name, "*"]
    for named, member in PAYLOADS:
        if named.match(name):
            text = re.sub(r'^(\d+)$|"payload":(?=\d)', lambda found: f'"{member}":{found[1] or ""}', text)
    return [name, text]


def _position(text):
    """Its LSNs and its time by names that recorded/masks.py knows; whether the commit before lies beside the change depends on what else writes."""
    text = re.sub(r'"lsn_commit":\d+', '"lsn_commit":C', text)
    return text.replace('"lsn_proc":', '"lsn_proc","lsn":').replace('"ts_usec":', '"ts_usec","ts_us":')


def as_topics(records):
    for record in records:
        fields = record["fields"]
        if "hash" in record:
            topic, key, value = "hash " + record["hash"], None, "\n".join(f"{name} {_position(text)}" for name, text in fields)
        elif [name for name, _ in fields[:2]] == ["key", "value"]:
            # Headers have LSNs that are ranked with the value's; their order does not count.
            headers = sorted(as_header(*field) for field in fields[2:])
            topic, key = record["stream"], fields[0][1]
            value = "\n".join([fields[1][1], *(f"{name} {text}" for name, text in headers)])
        else:
            topic, (key, value) = record["stream"], fields[0]
            assert len(fields) == 1, fields
        yield {"topic": topic, "partition": record.get("db", 0), "key": key, "value": value, "headers": []}
