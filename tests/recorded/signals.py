"""Compares two recordings of a connector that is sent signals: its records, what it stored of snapshots at the checkpoints, its
notifications in the log. And holds one recording to the law: in the end a topic is its table.

On top of masks.py: the random part of a watermark's id (W1, W2 by appearance) and its moment; of a notification its moment, the id where
it belongs to no signal, and the orders that only Java's hash tables know."""
import functools
import json
import re

from recorded import records
from recorded.records import beside

_UUID = re.compile("-".join("[0-9a-f]{%d}" % digits for digits in (8, 4, 4, 4, 12)))
_WATERMARK = re.compile(f"({_UUID.pattern})(?=-(?:open|close))")
_MOMENT = re.compile(r'((?:open|close)WindowTimestamp\\*": ?\\*")[^"\\]+')
_NOTIFICATION = {"id", "type", "aggregate_type", "additional_data", "timestamp"}
_STORED = ("incremental_snapshot_", "snapshot", "last_snapshot_record")  # members; the others are the stream's
_IN_LOG = re.compile(r"\[Notification Service\]\s+(\{.*\})\s*$", re.M)
_FREE_ORDER_OF_TABLES = "srv-notifications"


def _of_texts(change):
    """Made for contents that may be something else, which stays."""
    @functools.wraps(change)
    def changed(content, *more):
        return change(content, *more) if isinstance(content, str) else content
    return changed


class Watermarks:
    def __init__(self):
        self.names = {}

    def named(self, content):
        return _of_texts(self._named)(content)

    def _named(self, text):
        return _WATERMARK.sub(lambda found: self.names.setdefault(found[1], f"W{len(self.names) + 1}"), text)


@_of_texts
def _without_position(text):
    """Of a row that was read: whether a commit was streamed before the pause decides."""
    if '"op":"r"' not in text:
        return text
    return re.sub(r'("lsn":)\d+', r'\1"*"', re.sub(r'("sequence":)"\[.*?\]"', r'\1"*"', text))


def _sorted_list(text):
    return ",".join(sorted(text.split(",")))


def _notification(text, meta):
    """With masks; None: it is none."""
    try:
        whole = json.loads(text)
    except ValueError:
        return None
    told = whole.get("payload", whole) if isinstance(whole, dict) else None
    if not isinstance(told, dict) or set(told) != _NOTIFICATION:
        return None
    told["timestamp"] = told["timestamp"] and "T"
    if _UUID.fullmatch(told["id"]):
        told["id"] = "N"
    more = told["additional_data"]
    if more:
        told["additional_data"] = dict(sorted(_additional(told, more, meta).items()))
    return json.dumps(whole, ensure_ascii=False)


def _additional(told, more, meta):
    masked = dict(more)
    if "data_collections" in more:
        tables = _sorted_list(more["data_collections"])
        if meta.get("free_table_order"):
            masked["data_collections"] = tables if told["type"] == "STARTED" else "*"
        elif told["type"] == "ABORTED" or told["aggregate_type"] == "Initial Snapshot":
            masked["data_collections"] = tables
    if meta.get("mask_key_text"):  # the identity of a Java object
        masked.update({name: "*" for name in ("maximum_key", "last_processed_key") if name in more})
    return masked


def prepared(recording, meta=None):
    """The records with the masks of signals; those of masks.py come after."""
    meta, watermarks = meta or {}, Watermarks()
    for record in recording:
        key, value = (_of_texts(functools.partial(_MOMENT.sub, r"\1T"))(watermarks.named(record[part])) for part in ("key", "value"))
        headers = [[name, watermarks.named(content)] for name, content in record["headers"]]
        if meta.get("free_position"):
            value = _without_position(value)
        if isinstance(value, str) and "aggregate_type" in value:
            value, key = _notification(value, meta) or value, _of_texts(functools.partial(_UUID.sub, "N"))(key)
        yield {**record, "key": key, "value": value, "headers": headers}


def compare_records(golden, actual, meta, strict):
    unordered = set(meta.get("unordered_topics", ())) | ({_FREE_ORDER_OF_TABLES} if meta.get("free_table_order") else set())
    sides = []
    for recording in (golden, actual):
        partitions = records.by_partition(list(prepared(recording, meta)), strict, meta.get("ignore_topics", ()))
        for where in partitions:
            if where[0] in unordered:
                partitions[where].sort(key=json.dumps)
        sides.append(partitions)
    return list(records.differences(*sides))


def checkpoints(folder):
    path = folder / "checkpoints.jsonl"
    return records.load(path) if path.exists() else []


def _readable(member, value):
    """A key of Java's serialization with what can be read of it."""
    if not member.endswith("_key") or not value:
        return value
    try:
        return {"text": re.sub(rb"[^ -~]+", b".", bytes.fromhex(value)).decode(), "hex": value}
    except ValueError:
        return value


def _of_snapshots(offset, meta):
    stored = {member: value for member, value in (offset or {}).items() if member.startswith(_STORED)}
    tables = "incremental_snapshot_collections"
    if meta.get("free_table_order") and tables in stored:
        stored[tables] = sorted(json.loads(stored[tables]), key=str)
    return stored


def compare_checkpoints(golden, actual, meta):
    """How many records there were in each topic, and what was stored of snapshots."""
    reached = {checkpoint["label"]: checkpoint for checkpoint in actual}
    for label in sorted(reached.keys() - {checkpoint["label"] for checkpoint in golden}):
        yield f"checkpoint {label!r} not expected"
    for wanted in golden:
        here = f"checkpoint {wanted['label']!r}"
        got = reached.get(wanted["label"])
        if got is None:
            yield f"{here} missing"
            continue
        if wanted["records"] != got["records"]:
            yield f"{here}: records {wanted['records']} expected, {got['records']} written"
        theirs, ours = _of_snapshots(wanted["offset"], meta), _of_snapshots(got["offset"], meta)
        for member in sorted(theirs.keys() ^ ours.keys()):
            yield f"{here}: offset {'lacks' if member in theirs else 'has'} {member}"
        for member in sorted(theirs.keys() & ours.keys()):
            if theirs[member] != ours[member]:
                yield f"{here}: offset {member}{beside(_readable(member, theirs[member]), _readable(member, ours[member]))}"


def _logged(text):
    text = re.sub(r"(timestamp=)\d+", r"\1T", _UUID.sub("N", text))
    members = lambda found: found[1] + ", ".join(sorted(re.split(r", (?=\w+=)", found[2])))
    text = re.sub(r"(additionalData=\{)([^}]*)(?=\})", members, text)
    if "Initial" in text:
        text = re.sub(r"(data_collections=)([^ }]*[^ },])", lambda found: found[1] + _sorted_list(found[2]), text)
    return text


def logged(folder):
    """Notifications in the log."""
    path = folder / "log.txt"
    return [_logged(text) for text in _IN_LOG.findall(path.read_text(encoding="utf-8"))] if path.exists() else []


# --- the law ---

def _rows_of(recording, topic):
    """What a consumer has in the end. Records without a key add up."""
    rows = {}
    for number, record in enumerate(recording):
        if record["topic"] != topic:
            continue
        event = json.loads(record["value"]) if record["value"] else None
        if isinstance(event, dict) and "payload" in event:
            event = event["payload"]
        if event is not None and event["op"] != "d":
            rows[number if record["key"] is None else record["key"]] = event["after"]
        else:
            rows.pop(record["key"], None)
    return list(rows.values())


def _is_plain(value):
    """The same in a row as JSON and in an event: no date, no bytes, no fraction, nothing nested."""
    if isinstance(value, str):
        return not re.match(r"\d{4}-\d\d-\d\d|\\x", value)
    return value is None or isinstance(value, int)


def _table_law(topic, table, rows, kept, columns):
    common = [{name for name, value in row.items() if _is_plain(value)} for row in rows]
    compared = sorted(set.intersection(*common) & set(columns or set.union(*common))) if common else []
    of = lambda some: sorted(json.dumps([row.get(name, "(absent)") for name in compared], ensure_ascii=False) for row in some)
    want, got = of(rows), of(kept)
    if want != got:
        missing, wrong = [row for row in want if row not in got], [row for row in got if row not in want]
        yield (f"{topic} does not converge to {table}: {len(rows)} rows, {len(kept)} keys alive; "
               f"{compared} missing {missing[:4]}, wrong {wrong[:4]}")


def laws(folder, meta):
    """Each topic of `converges` holds the rows of its table; each window that closes was opened."""
    recording, final = records.load(folder / "records.jsonl"), folder / "final.json"
    tables = json.loads(final.read_text()) if final.exists() else {}
    found = []
    for topic, table in (meta.get("converges") or {}).items():
        if table in tables:
            found += _table_law(topic, table, tables[table], _rows_of(recording, topic), meta.get("compare_columns"))
        else:
            found.append(f"{table}: no final content recorded")
    opened = set()
    for record in prepared(recording):
        for name, end in re.findall(r'^\{.*"id":"(W\d+)-(open|close)"', record["key"] if isinstance(record["key"], str) else ""):
            if end == "open":
                opened.add(name)
            elif name not in opened:
                found.append(f"window {name}-close was never opened")
    return found
