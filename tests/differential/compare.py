"""Finds the first difference between the records of Debezium and of walduct.

Both read the same WAL: LSNs, transaction ids and commit times of streamed records are equal, byte for byte. What no two programs can
share is masked: the moment of processing, Debezium's run id, and, of snapshot records, the moment of the snapshot."""
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field, replace

from differential.limits import BYTES_IN_TEXT, DATE, known, known_header, known_elsewhere, known_text
from recorded.masks import RUN_ID, zeroed

# Of the envelope: its times follow `op`, which no column's text can imitate, quotes being escaped there.
_PROCESSED = re.compile(r'("op":"\w","ts_ms":|\bop=\w,ts_ms=)\d+(?:([",]*ts_us["=:]+)\d+([",]*ts_ns["=:]+)\d+)?')
_SNAPSHOT = re.compile(r'"(?:iodebezium)?snapshot":"(?:true|first|last|first_in_data_collection|last_in_data_collection)"|\bsnapshot=(?:true|first|last)\w*')


@dataclass
class Difference:
    topic: str
    record: int  # number within the topic
    part: str  # key, value, headers, count
    theirs: object
    ours: object
    column: str | None = None  # where it is one column's value
    families: set = field(default_factory=set)
    leaf: tuple | None = None  # path, and what both have there

    def kind(self):
        """What two differences of the same cause have in common."""
        if self.families:
            return (self.part, *sorted(self.families))
        topic = self.topic[re.match(r"d\d+", self.topic).end():] if re.match(r"d\d+", self.topic) else self.topic
        return self.part, topic, self.leaf and self.leaf[0].replace("schema.fields.after", "schema.fields.before")

    def text(self, width=240):
        theirs, ours = (json.dumps(x, ensure_ascii=False) if not isinstance(x, str) else x for x in (self.theirs, self.ours))
        at = next((i for i, (x, y) in enumerate(zip(theirs, ours)) if x != y), min(len(theirs), len(ours)))
        low = max(0, at - width // 2)
        mark = " " * (at - low) + "^"
        return (f"topic {self.topic}, record {self.record}, {self.part}" + (f", column {self.column}" if self.column else "") + (f" {self.leaf}"[:300] if self.leaf else "") +
                f", first different character {at}\n  Debezium …{theirs[low:low + width]}\n  walduct  …{ours[low:low + width]}\n            {mark}")


def _text(content):
    return None if content is None else content.decode("utf-8", "surrogateescape")


# A CloudEvent has no time of processing; in a snapshot, the moment of it under other names.
_EVENT = re.compile(r'\{"id":"name:[^"]*;lsn:')
_EVENT_ID = re.compile(r'(;lsn:|;txId:)\d+')
_EVENT_MOMENT = re.compile(r'("time":"|"iodebezium(?:tsms|tsus|tsns|lsn|txId)":")[^"]*')
_EVENT_SEQUENCE = re.compile(r'((?:sequence:|"iodebeziumsequence":")\[)[^]]*')


def _event(text):
    head, data, rest = text.partition('"data":')
    if '"iodebeziumsnapshot":"false"' in head:
        return text
    for mask in (_EVENT_ID, _EVENT_MOMENT, _EVENT_SEQUENCE):
        head = mask.sub(r"\g<1>0", head)
    return head + data + rest


def masked(text):
    if text is None:
        return None
    if _EVENT.match(text):
        return _event(text)
    if _SNAPSHOT.search(text):
        return zeroed(text)
    return _PROCESSED.sub(lambda m: "0".join(g or "" for g in (*m.groups(), "")), text)


def by_topic(events):
    topics = defaultdict(list)
    for event in events:
        headers = [[name, "*" if name == RUN_ID else _text(value)] for name, value in event.headers]
        topics[event.topic].append({"key": masked(_text(event.key)), "value": masked(_text(event.value)), "headers": headers})
    return _without_time(_with_message_ids(topics))


_MESSAGE_ID = re.compile(r"MessageId@\w+")
_COLLECTIONS = re.compile(r'(\bdata_collections(?:":|=)\[)([^]]*MessageId@[^]]*)(\])')
_LSN = re.compile(r'(?:"txId":(\d+|null),)?"lsn":(\d+)')  # Protobuf has no field where there is no transaction


def _with_message_ids(topics):
    """At the end of a transaction Debezium counts its messages under the identity of a Java object, which also decides the order."""
    def count(found):
        entries = sorted(re.sub(r"\}, ?", "}\n", _MESSAGE_ID.sub("MessageId@", found.group(2))).split("\n"))
        return found.group(1) + ",".join(entries) + found.group(3)
    for topic, records in topics.items():
        for record in records if topic.endswith(("transaction", "tx")) else ():
            record["value"] = record["value"] and _COLLECTIONS.sub(count, record["value"])
    return topics


def _without_time(topics):
    """A message outside of transactions has the time of the transaction before it; before the first, that of the snapshot."""
    seen = [found.groups() for records in topics.values() for r in records if r["value"] and (found := _LSN.search(r["value"]))]
    begins = {}  # transaction → where its first change is; a message inside the first transaction comes before it all the same
    for transaction, lsn in seen:
        if transaction not in ("0", "null", None):
            begins[transaction] = min(begins.get(transaction, int(lsn)), int(lsn))
    first = sorted(begins.values())[1] if len(begins) > 1 else 2**63
    for topic, records in topics.items():
        for record in records if topic.endswith("message") else ():
            found = _LSN.search(record["value"] or "")
            if found and found.group(1) in ("null", None) and int(found.group(2)) <= first:  # it has the LSN of what follows
                record["value"] = zeroed(record["value"], clocks_alone=True)
    return topics


MISSING = "(missing)"


def leaves(theirs, ours, path=()):
    """(path, theirs, ours) of every place in which two parsed values differ; fields of a schema are told by their name."""
    if isinstance(theirs, list) and isinstance(ours, list) and path[-1:] == ("fields",):
        theirs, ours = ({f.get("field"): f for f in fields} for fields in (theirs, ours))
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for i, (x, y) in enumerate(zip(theirs, ours)):
            yield from leaves(x, y, (*path, i))
    elif isinstance(theirs, dict) and isinstance(ours, dict):
        for name in {**theirs, **ours}:
            yield from leaves(theirs.get(name, MISSING), ours.get(name, MISSING), (*path, name))
        order = [[n for n in one if n in other] for one, other in ((theirs, ours), (ours, theirs))]
        if order[0] != order[1]:
            yield (*path, "(order)"), order[0], order[1]
    elif type(theirs) is not type(ours) or theirs != ours:
        yield path, theirs, ours


@dataclass
class Where:
    streamed: bool
    options: dict
    java: int


class Comparison:
    def __init__(self, outcome, options, java):
        self.outcome, self.options, self.java = outcome, options, java
        self.tolerated = defaultdict(int)  # reason → how often

    def differences(self):
        """Every Difference: by topic, the one of transactions last, by record; of a topic nothing after records are missing."""
        theirs, ours = by_topic(self.outcome.theirs), by_topic(self.outcome.ours)
        for topic in sorted(set(theirs) | set(ours), key=lambda t: (t.endswith("transaction"), t)):
            yield from self._topic(topic, theirs[topic], ours[topic])

    def _topic(self, topic, theirs, ours):
        for number, (x, y) in enumerate(zip(theirs, ours)):
            for part in ("key", "value", "headers"):
                if x[part] != y[part]:
                    yield from self._part(Difference(topic, number, part, x[part], y[part]), x["value"])
        if len(theirs) != len(ours):
            number = min(len(theirs), len(ours))
            at = lambda records: records[number]["value"] if number < len(records) else f"(none: {len(records)} records)"  # noqa: E731
            yield Difference(topic, number, "count", at(theirs), at(ours))

    def _part(self, found, value):
        if found.part == "headers":
            yield from self._headers(found, value)
            return
        if found.theirs is None or found.ours is None:
            yield found
            return
        try:
            parsed = [json.loads(t, parse_float=str, parse_int=str) for t in (found.theirs, found.ours)]
        except ValueError:
            if known_text(found.theirs, found.ours):
                self.tolerated[BYTES_IN_TEXT] += 1
            else:
                yield found
            return
        where = Where(not (value and _SNAPSHOT.search(value)), self.options, self.java)
        none = True
        wrapped = all(isinstance(p, dict) and list(p) == ["schema", "payload"] for p in parsed)
        for path, theirs, ours in leaves(*parsed):
            none = False
            column = self._column(path, wrapped, found.part == "value")
            families = self._families(value, column) if column else set()
            place = ".".join(map(str, path))
            reason = known(families, theirs, ours, where) if column else known_elsewhere(place, theirs, ours)
            if reason:
                self.tolerated[reason] += 1
            else:
                yield replace(found, column=column, families=families, leaf=(place, theirs, ours))
        if none:  # equal when parsed, not as bytes
            yield found

    def _headers(self, found, value):
        """Of the headers of a changed key, which hold the other key, the keys are compared."""
        if [name for name, _ in found.theirs] != [name for name, _ in found.ours]:
            yield found
            return
        for (name, theirs), (_, ours) in zip(found.theirs, found.ours):
            if theirs == ours:
                continue
            if theirs == known_header(ours):
                self.tolerated[DATE] += 1
            elif name in ("__debezium.newkey", "__debezium.oldkey"):
                yield from self._part(replace(found, part=name, theirs=theirs, ours=ours), value)
            elif theirs is not None and ours is not None and known_text(theirs, ours):
                self.tolerated[BYTES_IN_TEXT] += 1
            else:
                yield replace(found, part=f"header {name}", theirs=theirs, ours=ours)

    @staticmethod
    def _column(path, wrapped, envelope):
        """The column in whose value, not in whose schema, the path ends."""
        names = [p for p in path if isinstance(p, str)]
        if wrapped:
            if names[0] == "schema":
                return None
            names = names[1:]
        if envelope and names[:1] == ["data"]:  # of a CloudEvent, with or without a schema
            names = names[1:]
            if names[:1] == ["schema"]:
                return None
            names = names[1:] if names[:1] == ["payload"] else names
        if envelope and names[:1] in (["before"], ["after"]):
            names = names[1:]
        if envelope and names[:1] == ["source"]:
            return None
        return names[0] if names else None

    def _families(self, value, column):
        """Of the types that columns of this name have had, in the record's table if it says which."""
        said = re.search(r'"(?:iodebezium)?schema":("(?:[^"\\]|\\.)*"),"(?:iodebezium)?table":("(?:[^"\\]|\\.)*")', value or "")
        where = tuple(json.loads(s) for s in said.groups()) if said else None
        adjusted = self.options.get("field.name.adjustment.mode", "none") != "none"
        same = (lambda name: _letters(name) == _letters(column)) if adjusted else (lambda name: name == column)
        return {f for (schema, table, name), families in self.outcome.families.items() for f in families
                if same(name) and (where is None or where == (schema, table))}


def _letters(name):
    """What the adjustment of names for Avro leaves of one."""
    return re.sub(r"^\d", "", re.sub(r"_u[0-9a-f]{2,4}|[^A-Za-z0-9]", "", name))
