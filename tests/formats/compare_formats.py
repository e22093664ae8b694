#!/usr/bin/env python3
"""Compare two recordings of registry-backed formats: every subject, every schema text, every byte outside the fields no run can repeat.

compare_formats.py GOLDEN_DIR ACTUAL_DIR [--strict] [--requests] [-v] [name...]
Both directories hold <name>/{scenario.json,registry.json,records.jsonl}; see README.md for the form. Run it with tests/ in PYTHONPATH; needs nothing but Python.
Subjects  the same subjects in the same order of registration, the same versions; references, schema type; schema text as canonical JSON (objects
          without regard to the order of their keys) or as Protobuf text, and the exact text: a text that differs only in form counts as a
          difference of its own kind (TEXT).
Records   the same number in the same order within a topic and partition; the header before the body (magic byte, id, message indexes) must lead to
          the same schema; the body is walked by its writer schema and compared byte for byte, with the bytes of volatile fields left out.
Volatile  as in compare.py: clocks of envelope and source, LSNs, transaction ids, sequence, run id, version; and their names in CloudEvents.
--strict  keeps order and equality of LSNs and transaction ids, each replaced by its rank among those of the scenario.
--requests also compares the requests the registry received (method, path, body), which caching and retries may legitimately change.
Exit status: 0 all equal, 1 differences, 2 usage.
"""
import json
import os
import re
import sys

from formats.recording import Recording, prepared


# ------------------------------------------------------------------------------------------------ comparing
def canonical(e):
    if e.get("schemaType", "AVRO") in ("AVRO", "JSON"):
        return json.dumps(json.loads(e["schema"]), sort_keys=True, ensure_ascii=False)
    return re.sub(r"\s+", " ", e["schema"]).strip()


def clip(a, b, width=160):
    a, b = (x if isinstance(x, str) else json.dumps(x, ensure_ascii=False) for x in (a, b))
    i = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    lo = max(0, i - 60)
    return f"\n      want …{a[lo:lo + width]}\n      got  …{b[lo:lo + width]}"


def compare_registry(g, a):
    out, key = [], lambda e: (e["subject"], e["version"])
    beats = lambda k: k[0].startswith("__debezium-heartbeat")  # when the first one comes depends on the clock
    gs, as_ = [key(e) for e in g], [key(e) for e in a]
    if set(gs) != set(as_) or [k for k in gs if not beats(k)] != [k for k in as_ if not beats(k)]:
        for k in gs:
            if k not in as_:
                out.append(f"SUBJECT {k[0]} version {k[1]}: not registered")
        for k in as_:
            if k not in gs:
                out.append(f"SUBJECT {k[0]} version {k[1]}: registered, not expected")
        if not out:
            out.append(f"ORDER of registration{clip([list(k) for k in gs], [list(k) for k in as_])}")
    by = {key(e): e for e in a}
    for e in g:
        o = by.get(key(e))
        if not o:
            continue
        where = f"{e['subject']} version {e['version']}"
        if e.get("schemaType", "AVRO") != o.get("schemaType", "AVRO"):
            out.append(f"TYPE {where}: {e.get('schemaType')} expected, {o.get('schemaType')} registered"); continue
        try:
            same = canonical(e) == canonical(o)
        except ValueError as x:
            out.append(f"SCHEMA {where}: {x}"); continue
        if not same:
            out.append(f"SCHEMA {where}{clip(canonical(e), canonical(o))}")
        elif e["schema"] != o["schema"]:
            out.append(f"TEXT {where}: the same schema in another text{clip(e['schema'], o['schema'])}")
        if (e.get("references") or []) != (o.get("references") or []):
            out.append(f"REFERENCES {where}{clip(e.get('references'), o.get('references'))}")
        mates = [[key(x) for x in side if x["id"] == y["id"]] for side, y in ((g, e), (a, o))]
        if sorted(mates[0]) != sorted(mates[1]):
            out.append(f"ID {where}: shared by other versions{clip([list(k) for k in mates[0]], [list(k) for k in mates[1]])}")
    return out


def compare_records(g, a, strict):
    (gs_all, gbad), (as_all, abad) = prepared(g, strict), prepared(a, strict)
    out = [f"golden recording: {b}" for b in gbad] + [f"BODY {b}" for b in abad]
    for tp in sorted(set(gs_all) | set(as_all)):
        gs, as_ = gs_all.get(tp, []), as_all.get(tp, [])
        if len(gs) != len(as_):
            out.append(f"RECORDS {tp[0]}-{tp[1]}: {len(gs)} expected, {len(as_)} written")
        for i, (x, y) in enumerate(zip(gs, as_)):
            for part in ("key", "value", "headers"):
                p, q = x[part], y[part]
                if p == q:
                    continue
                where = f"{tp[0]}-{tp[1]} record {i} {part}"
                if isinstance(p, dict) and isinstance(q, dict) and "header" in p and "header" in q:
                    if p["header"] != q["header"]:
                        out.append(f"HEADER {where}{clip(p['header'], q['header'])}")
                    if p["schema"] != q["schema"] or p["text"] != q["text"]:
                        out.append(f"WRITER SCHEMA {where}: {p['schema']} expected, {q['schema']}{' with another text' if p['schema'] == q['schema'] else ''}")
                    if p["decoded"] != q["decoded"]:
                        out.append(f"VALUE {where}{clip(p['decoded'], q['decoded'])}")
                    elif p["bytes"] != q["bytes"] or p["volatile"] != q["volatile"]:
                        out.append(f"BYTES {where}{clip([p['bytes'], p['volatile']], [q['bytes'], q['volatile']])}")
                else:
                    out.append(f"RECORD {where}{clip(p, q)}")
    return out


def compare(golden, actual, strict, requests=False):
    g, a = Recording(golden), Recording(actual)
    out = []
    if g.meta["finished"] != a.meta["finished"]:
        out.append("END: the golden run " + ("finished, this one stopped: " + " ".join(a.meta.get("error", ["?"]))[:300] if g.meta["finished"] else "stopped with an error, this one finished"))
    out += compare_registry(g.entries, a.entries)
    if g.meta["finished"]:
        out += compare_records(g, a, strict)
    if requests:
        line = lambda r: json.dumps({k: r.get(k) for k in ("method", "path", "body", "status")}, ensure_ascii=False)
        gs, as_ = [line(r) for r in g.requests], [line(r) for r in a.requests]
        if gs != as_:
            i = next((i for i, (x, y) in enumerate(zip(gs, as_)) if x != y), min(len(gs), len(as_)))
            out.append(f"REQUESTS {len(gs)} expected, {len(as_)} received; the first that differs is number {i}{clip((gs + ['nothing'])[i], (as_ + ['nothing'])[i], 300)}")
    return out


def main(argv):
    flags, args = {a for a in argv if a.startswith("-")}, [a for a in argv if not a.startswith("-")]
    if len(args) < 2 or flags - {"--strict", "--requests", "-v"}:
        print(__doc__)
        return 2
    names = args[2:] or sorted(d for d in os.listdir(args[0]) if os.path.exists(os.path.join(args[0], d, "records.jsonl")))
    passed = failed = 0
    for n in names:
        path = os.path.join(args[1], n)
        diffs = ["not run"] if not os.path.exists(os.path.join(path, "records.jsonl")) else compare(os.path.join(args[0], n), path, "--strict" in flags, "--requests" in flags)
        passed, failed = passed + (not diffs), failed + bool(diffs)
        if diffs:
            print(f"DIFF {n}: {len(diffs)}")
            for d in diffs[: None if "-v" in flags else 4]:
                print("   ", d)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
