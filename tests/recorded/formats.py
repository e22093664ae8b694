"""Compares two recordings of converters with a registry: every subject and version in the order of registration, every text of a schema,
every byte of a record that another run can repeat (frames.py)."""
import json

from recorded import records
from recorded.frames import Recording
from recorded.records import beside


def _version(entry):
    return entry["subject"], entry["version"]


def _meaning(entry):
    """Of a schema, whatever its form: JSON without regard to the order of members; Protobuf without regard to white space."""
    if entry.get("schemaType", "AVRO") == "PROTOBUF":
        return " ".join(entry["schema"].split())
    return json.dumps(json.loads(entry["schema"]), sort_keys=True, ensure_ascii=False)


def _registered(golden, actual):
    """Which versions there are, and in which order; that of heartbeats depends on the clock."""
    wanted, got = [_version(entry) for entry in golden], [_version(entry) for entry in actual]
    for subject, version in wanted:
        if (subject, version) not in got:
            yield f"SUBJECT {subject} version {version}: not registered"
    for subject, version in got:
        if (subject, version) not in wanted:
            yield f"SUBJECT {subject} version {version}: registered, not expected"
    ordered = [[list(one) for one in side if not one[0].startswith("__debezium-heartbeat")] for side in (wanted, got)]
    if len(wanted) != len(got) or ordered[0] != ordered[1]:
        yield f"ORDER of registration{beside(*ordered)}"


def _sharing(entries, entry):
    """Versions that have its id."""
    return sorted(list(_version(other)) for other in entries if other["id"] == entry["id"])


def _schema(where, want, got):
    kinds = [entry.get("schemaType", "AVRO") for entry in (want, got)]
    if kinds[0] != kinds[1]:
        yield f"TYPE {where}: {kinds[0]} expected, {kinds[1]} registered"
        return
    if want["schema"] != got["schema"]:
        try:
            same = _meaning(want) == _meaning(got)
        except ValueError:
            same = False
        what = "TEXT {}: the same schema in another text{}" if same else "SCHEMA {}{}"
        yield what.format(where, beside(want["schema"], got["schema"]))
    references = [entry.get("references") or [] for entry in (want, got)]
    if references[0] != references[1]:
        yield f"REFERENCES {where}{beside(*references)}"


def compare_registries(golden, actual):
    yield from _registered(golden, actual)
    registered = {_version(entry): entry for entry in actual}
    for want in golden:
        got = registered.get(_version(want))
        if got is None:
            continue
        where = "{} version {}".format(*_version(want))
        yield from _schema(where, want, got)
        sharing = _sharing(golden, want), _sharing(actual, got)
        if sharing[0] != sharing[1]:
            yield f"ID {where}: shared by other versions{beside(*sharing)}"


def compare(golden, actual, strict):
    """Of two folders."""
    theirs, ours = Recording(golden), Recording(actual)
    found = []
    if theirs.meta["finished"] != ours.meta["finished"]:
        found.append(f"END: finished {theirs.meta['finished']} expected, {ours.meta['finished']} {ours.meta.get('error', '')}")
    found += compare_registries(theirs.registry.entries, ours.registry.entries)
    if theirs.meta["finished"]:
        (wanted, of_theirs), (got, of_ours) = theirs.comparable(strict), ours.comparable(strict)
        found += [f"golden recording: {wrong}" for wrong in of_theirs] + [f"BODY {wrong}" for wrong in of_ours]
        found += records.differences(wanted, got)
    return found
