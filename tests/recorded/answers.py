"""Compares what a worker's REST interface answers with what Kafka Connect's was recorded answering, after masks.py.

The order of members never counts. That of lists does, but where Kafka Connect promises none. The words of a trace, parameters of a
Content-Type and the list of connectors in a message are another program's own. A request may bear a mark, with the reason:
  loose   the message, or a body that is no JSON, is any text
  shape   a list of texts is any list; of a map of maps the members count
  free    an accident of Java's libraries: an error stays one (with "may": "succeed" a success will do, too), a success becomes no 5xx"""
import json
import re

from recorded import masks

ABSENT = "(absent)"
# To this setting the real validation gives no value, which makes clients fail: walduct has no such entry.
_HOLLOW = "internal.legacy.snapshot.max.threads"
_TEXTS_IN_ANY_ORDER = {"topics", "recommended_values", "body"}


def _counts(name, item):
    """Whether an item of the list that is called so is one to compare."""
    if not isinstance(item, dict):
        return True
    if name == "offsets":  # of a partition that was reset, for a moment
        return item.get("offset", 0) is not None
    return name != "configs" or (item.get("definition") or {}).get("name") != _HOLLOW


def _any_order(name, items):
    if name == "offsets":
        return True
    if name in _TEXTS_IN_ANY_ORDER and all(isinstance(item, str) for item in items):
        return True
    return name == "body" and bool(items) and all(isinstance(item, dict) and {"class", "type"} <= item.keys() for item in items)


def _ordered(value, name=None):
    if isinstance(value, dict):
        return {member: _ordered(inner, member) for member, inner in value.items()}
    if not isinstance(value, list):
        return value
    items = [_ordered(item, name) for item in value if _counts(name, item)]
    return sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) if _any_order(name, items) else items


def _softened(value, loose, name=None):
    if isinstance(value, dict):
        soft = {member: _softened(inner, loose, member) for member, inner in value.items()}
        if loose and "status" in soft and isinstance(soft.get("body"), str):
            soft["body"] = "<text>"
        return soft
    if isinstance(value, list):
        return [_softened(item, loose) for item in value]
    if not isinstance(value, str):
        return value
    if name == "trace" and value:
        return "<trace>"
    if name == "message" and loose:
        return "<message>"
    if name == "content-type":
        return value.partition(";")[0].strip().lower()
    return re.sub(r"(?s)(?<=available connectors are: ).*", "<list>", value)


def _shape(body):
    if isinstance(body, list) and all(isinstance(item, str) for item in body):
        return "<list of texts>"
    if isinstance(body, dict) and body and all(isinstance(inner, dict) for inner in body.values()):
        return sorted({tuple(sorted(inner)) for inner in body.values()})
    return body


def comparable(exchange, mark):
    """mark: the request, as the scenario has it."""
    exchange = _ordered(masks.answer(exchange))
    if "shape" in mark:
        exchange["body"] = _shape(exchange["body"])
    return _softened(exchange, bool(mark.get("loose")))


def _differing(want, got, path=""):
    """(path, wanted, got) of each place."""
    if type(want) is not type(got):
        yield path, want, got
    elif isinstance(want, dict):
        for name in sorted({**want, **got}):
            one, other = want.get(name, ABSENT), got.get(name, ABSENT)
            yield from [(f"{path}.{name}", one, other)] if ABSENT in (one, other) else _differing(one, other, f"{path}.{name}")
    elif isinstance(want, list):
        if len(want) != len(got):
            yield f"{path}.length", len(want), len(got)
        for number, (one, other) in enumerate(zip(want, got)):
            yield from _differing(one, other, f"{path}[{number}]")
    elif want != got:
        yield path, want, got


def _accident(want, got, mark):
    """Of an exchange that is `free`."""
    failed, fails = want["status"] >= 400, got["status"] >= 400
    if failed and (fails or mark.get("may") == "succeed" and got["status"] < 300) or not failed and got["status"] < 500:
        return []
    return [(".status", want["status"], got["status"])]


def compare(steps, golden, actual):
    """(number of the exchange, its request, [(path, wanted, got)]) of those that differ. steps: of the scenario."""
    requests = [step for step in steps if "request" in step]
    for number, want in enumerate(golden):
        if number >= len(actual):
            found = [("", "an answer", "none: it was not asked")]
        else:
            mark = requests[number] if number < len(requests) else {}
            got = actual[number]
            found = _accident(want, got, mark) if "free" in mark else list(_differing(comparable(want, mark), comparable(got, mark)))
        if found:
            yield number, want["request"], found
