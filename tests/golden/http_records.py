"""Requests to an HTTP server in the form that recorded/records.py takes: one topic; heartbeats apart, which come as often as the clock says."""
import base64
import json
import re

from golden.redis_records import as_header as plain_header

TRANSPORT = {"host", "content-length", "user-agent", "connection", "upgrade", "http2-settings", "accept", "accept-encoding", "transfer-encoding", "expect"}
HEARTBEAT = re.compile(r'^\{"ts_ms":\d+\}$')


def _plain(text):
    """What a base64 header says; other headers as they are."""
    try:
        return base64.b64decode(text, validate=True).decode() if len(text) % 4 == 0 and len(text) > 3 else text
    except ValueError:
        return text


def _header(name, text, ids):
    name = name.lower()
    if name == "webhook-id":
        return [name, f"msg_{ids.setdefault(text, len(ids))}" if text.startswith("msg_") else text]
    if name in ("webhook-timestamp", "webhook-signature"):
        return [name, re.sub(r"^(v1,).*|^\d+$", r"\1*", text)]
    prefix, mark, bare = name.partition("__")
    return [prefix, *plain_header(mark + bare, _plain(text))]


# Of CloudEvents: what recorded/records.py masks, by the names that it knows.
EVENTS = [(re.compile(r";lsn:(\d+)"), r';"lsn":\1'), (re.compile(r";txId:(\d+)"), r';"txId":\1'),
          (re.compile(r";sequence:\[([^\]]*)\]"), lambda found: ';"sequence":"[' + found[1] + ']"'),
          (re.compile(r'"iodebezium(lsn|ts_?ms)":"(\d+)"'), lambda found: f'"{"lsn" if found[1] == "lsn" else "ts_ms"}":{found[2]}'),
          (re.compile(r'"iodebezium(txId|txid)":"(\d+)"'), r'"txId":\2'),
          (re.compile(r'"iodebeziumsequence":"\[([^\]]*)\]"'), lambda found: '"sequence":"[' + found[1] + ']"'),
          (re.compile(r'"iodebeziumversion"'), '"version"'), (re.compile(r'"iodebeziumts(us|ns)":"(\d+)"'), r'"ts_\1":\2'),
          (re.compile(r'"time":"\d{4}-\d\d-\d\dT[^"]*"'), '"time":"T"')]


def _event(text):
    for pattern, masked in EVENTS:
        text = pattern.sub(masked, text)
    return text


def taken_apart(requests):
    """Batches as one request for each of their values: how they are cut depends on the clock, and with it whose headers go along."""
    for request in requests:
        body = request["body"].strip()
        if not body.startswith("["):
            yield request
            continue
        at, decoder = 1, json.JSONDecoder()
        while at < len(body) - 1:
            _, end = decoder.raw_decode(body, at)
            yield {**request, "headers": [pair for pair in request["headers"] if "KEY" not in pair[0]], "body": body[at:end]}
            at = end + 1


def as_topics(requests, flatten=False):
    ids, beats = {}, 0
    for request in taken_apart(requests) if flatten else requests:
        headers = sorted(_header(*pair, ids) for pair in request["headers"] if pair[0].lower() not in TRANSPORT)
        beat = HEARTBEAT.match(request["body"])
        beats += bool(beat)
        if beats > 1 and beat:
            continue
        answer, valid = (None if beat else request["answer"]), request.get("signature_valid")
        yield {"topic": "heartbeat" if beat else "http", "partition": 0, "key": f"{request['method']} {request['path']} {answer} {valid}",
               "value": "\n".join([_event(request["body"]), *(" ".join(pair) for pair in headers)]), "headers": []}


def pauses_that_differ(wanted, got):
    """Those between attempts: as long as recorded, or longer, as pauses that grow are."""
    pairs = [(a.get("after_ms"), b.get("after_ms")) for a, b in zip(wanted, got)]
    return [f"{a} ms after the one before, got {b}" for a, b in pairs if a is not None and not a - 150 <= b <= 2 * a + 1500]
