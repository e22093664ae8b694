"""Compares two recordings of records: in each partition the same records in the same order, byte for byte under masks.py."""
import json
from collections import defaultdict
from pathlib import Path

from recorded.masks import Masks

PARTS = ("key", "value", "headers")


def load(path):
    """One record a line: topic, partition, key, value, headers; contents as text, null or {"base64"}."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").split("\n") if line.strip()]


def load_all(*paths):
    return [load(path) for path in paths]


def without_repeats(topic, records):
    """How many heartbeats there are depends on the clock."""
    if not topic.startswith("__debezium-heartbeat"):
        return records
    return [record for record, before in zip(records, [None, *records]) if record != before]


def by_partition(records, strict, ignored=()):
    """{(topic, partition): [record with masks]}."""
    masks = Masks(strict)
    for record in records:
        masks.learn(record["key"])
        masks.learn(record["value"])
    partitions = defaultdict(list)
    for record in records:
        if record["topic"] not in ignored:
            partitions[record["topic"], record["partition"]].append({
                "key": masks.text(record["key"]),
                "value": masks.text(record["value"]),
                "headers": [[name, masks.header(name, value)] for name, value in record["headers"]],
            })
    return {where: without_repeats(where[0], found) for where, found in partitions.items()}


def beside(want, got, before=60, width=160):
    """Both from just before the first character that differs."""
    want, got = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in (want, got))
    at = 0
    while want[at:at + 1] == got[at:at + 1] != "":
        at += 1
    low = max(0, at - before)
    return f"\n      want …{want[low:low + width]}\n      got  …{got[low:low + width]}"


def each_pair(wanted, got):
    """Of two {(topic, partition): records}: where each pair is, and the pair; a number of records that differs is told first."""
    for topic, partition in sorted({**wanted, **got}):
        here = f"{topic}-{partition}"
        ones, others = wanted.get((topic, partition), []), got.get((topic, partition), [])
        if len(ones) != len(others):
            yield f"{here}: {len(ones)} records expected, {len(others)} written", None
        for number, pair in enumerate(zip(ones, others)):
            yield f"{here} record {number}", pair


def differences(wanted, got):
    """A line for each part that differs."""
    for where, pair in each_pair(wanted, got):
        if pair is None:
            yield where
            continue
        one, other = pair
        for part in PARTS:
            if one[part] != other[part]:
                yield f"{where} {part}{beside(one[part], other[part])}"


def compare(golden, actual, strict, ignored=()):
    """ignored: topics that do not count."""
    return list(differences(by_partition(golden, strict, ignored), by_partition(actual, strict, ignored)))
