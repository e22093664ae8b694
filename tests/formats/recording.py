"""A recording opened: its registry, its records taken apart, and what no run can repeat in them masked."""
import base64
import json
import os
import re

from formats.codecs import LENGTH, Avro, Bad, Proto

# the prefix is that of ExtractNewRecordState: "__" by default
TIME_NAME = re.compile(r"^(?:__|[a-z]_)?(?:source_)?ts_(?:ms|us|ns)$|^iodebeziumts(?:ms|us|ns)$")
LSN_NAME = re.compile(r"^(?:__|[a-z]_)?(?:source_)?lsn$|^iodebeziumlsn$")
XID_NAME = re.compile(r"^(?:__|[a-z]_)?(?:source_)?txId$|^iodebeziumtxId$")
SEQ_NAME = re.compile(r"^(?:__|[a-z]_)?(?:source_)?sequence$|^iodebeziumsequence$")
VERSION_NAME = re.compile(r"^(?:__|[a-z]_)?(?:source_)?version$|^iodebeziumversion$")
TX_NAME = re.compile(r"^id$|^(?:__|[a-z]_)?transaction_id$|^iodebeziumtxid$")
TX_ID = re.compile(r"^(\d+):(\d+)$")
CE_ID = re.compile(r"^name:.*;lsn:(\d+|null);txId:(\d+|null)(?:;sequence:(.*))?$")
CE_TIME = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$")
RELEASE = re.compile(r"^\d+\.\d+\.\d+[^\s]*$")
# text of JSON and of a Struct as StringConverter writes it
TIMES = re.compile(r'((?:"(?:__|[a-z]_)?(?:source_)?ts_(?:ms|us|ns)":)|(?:"iodebeziumts(?:ms|us|ns)":"?)|(?:\bts_(?:ms|us|ns)=))(\d+)')
LSNS = re.compile(r'((?:"(?:__|[a-z]_)?(?:source_)?lsn":)|(?:"iodebeziumlsn":"?)|(?:\blsn=)|(?:;lsn:))(\d+)')
XIDS = re.compile(r'((?:"(?:__|[a-z]_)?(?:source_)?txId":)|(?:"iodebeziumtxId":"?)|(?:\btxId=)|(?:;txId:))(\d+)')
SEQ = re.compile(r'((?:"(?:source_|iodebezium)?sequence":"\[)|(?:\bsequence=\[)|(?:;sequence:\[))([^\]]*)(\])')
TXID = re.compile(r'("(?:id|(?:__|[a-z]_)?transaction_id|iodebeziumtxid)":")(\d+):(\d+)(")')
VERSION = re.compile(r'((?:"(?:iodebezium)?version":")|(?:\{version=))(\d+\.\d+\.\d+[^",]*)([",])')
CETIME = re.compile(r'("time":")(\d{4}-\d\d-\d\dT[^"]*)(")')
OBJECT_ID = re.compile(r"(MessageId@)[0-9a-f]+")
CEDATA = re.compile(r'("data":")(AAAA[A-Za-z0-9+/]*={0,2})(")')
MASKED_HEADERS = {"__debezium.context.runId"}
NUMERIC_HEADERS = re.compile(r"^__(?:source_)?(?:ts_(?:ms|us|ns)|lsn|txId)$")


# ------------------------------------------------------------------------------------------------ schemas of a recording
class Registry:
    """What registry.json holds: entries in order of registration, ids as masked by the recorder."""

    def __init__(self, entries):
        self.entries, self.cache = entries, {}
        self.by_id = {}
        for e in entries:
            self.by_id.setdefault(("contentId", e["id"]), e)
            self.by_id.setdefault(("globalId", e.get("globalId", e["id"])), e)

    def find(self, kind, n):
        return self.by_id.get((kind, n))

    def codec(self, e):
        key = (e["subject"], e["version"])
        if key not in self.cache:
            refs, seen = [], set()

            def collect(x):
                for r in x.get("references") or ():
                    k = (r["subject"], r["version"])
                    y = next((z for z in self.entries if (z["subject"], z["version"]) == k), None)
                    if y and k not in seen:
                        seen.add(k); collect(y); refs.append(y["schema"])
            collect(e)
            kind = e.get("schemaType", "AVRO")
            self.cache[key] = Avro(e["schema"], refs) if kind == "AVRO" else Proto(e["schema"], refs) if kind == "PROTOBUF" else None
        return self.cache[key]


def split(data, kind, known):
    """(length of the header before the body, id) of a framed value, or None. known(kind, id) tells whether the registry has the id."""
    if len(data) >= 5 and data[0] == 0:
        n = int.from_bytes(data[1:5], "big")
        if known("contentId" if kind == "auto" else kind, n):
            return 5, n
        if len(data) >= 9:
            n = int.from_bytes(data[1:9], "big")
            if known("globalId" if kind == "auto" else kind, n):
                return 9, n
    return None


# ------------------------------------------------------------------------------------------------ masking
def leaf_name(path):
    """The name that tells what a leaf is; a wrapper message puts its value one level down."""
    return "" if not path else path[-2] if path[-1] == "value" and len(path) > 1 else path[-1]


class Ranks:
    def __init__(self, strict):
        self.strict, self.lsns, self.xids = strict, set(), set()

    def seal(self):
        self.l = {n: i for i, n in enumerate(sorted(self.lsns))}
        self.x = {n: i for i, n in enumerate(sorted(self.xids))}

    def lsn(self, n):
        return f"L{self.l.get(int(n), '?')}" if self.strict else "L"

    def xid(self, n):
        return f"X{self.x.get(int(n), '?')}" if self.strict else "X"

    def sequence(self, body):
        head, comma, tail = body.partition(",")
        return re.sub(r"\d+", "C", head) + comma + re.sub(r"\d+", lambda m: self.lsn(m.group(0)) if int(m.group(0)) in self.l else "?", tail)

    def learn_text(self, t):
        self.lsns.update(int(m.group(2)) for m in LSNS.finditer(t))
        self.xids.update(int(m.group(2)) for m in XIDS.finditer(t))
        for m in TXID.finditer(t):
            self.xids.add(int(m.group(2))); self.lsns.add(int(m.group(3)))

    def learn_leaf(self, path, v):
        name = leaf_name(path)
        if isinstance(v, dict) or v is None:
            return
        if LSN_NAME.match(name) and re.match(r"^\d+$", str(v)):
            self.lsns.add(int(v))
        elif XID_NAME.match(name) and re.match(r"^\d+$", str(v)):
            self.xids.add(int(v))
        elif TX_NAME.match(name) and isinstance(v, str) and TX_ID.match(v):
            x, l = v.split(":"); self.xids.add(int(x)); self.lsns.add(int(l))

    def text(self, t):
        t = TIMES.sub(r"\1T", t)
        t = LSNS.sub(lambda m: m.group(1) + self.lsn(m.group(2)), t)
        t = XIDS.sub(lambda m: m.group(1) + self.xid(m.group(2)), t)
        t = SEQ.sub(lambda m: m.group(1) + self.sequence(m.group(2)) + m.group(3), t)
        t = TXID.sub(lambda m: m.group(1) + self.xid(m.group(2)) + ":" + self.lsn(m.group(3)) + m.group(4), t)
        t = CETIME.sub(r"\1T\3", t)
        return OBJECT_ID.sub(r"\1*", VERSION.sub(r"\1V\3", t))

    def leaf(self, path, v):
        """The mask of a volatile leaf, None for any other."""
        name = leaf_name(path)
        s = v if isinstance(v, str) else str(v) if not isinstance(v, (dict, bool)) else ""
        if TIME_NAME.match(name) and re.match(r"^-?\d+$", s):
            return "T"
        if LSN_NAME.match(name) and s.isdigit():
            return self.lsn(s)
        if XID_NAME.match(name) and s.isdigit():
            return self.xid(s)
        if isinstance(v, str):
            if SEQ_NAME.match(name) and s.startswith("["):
                return self.sequence(s)
            if VERSION_NAME.match(name) and RELEASE.match(s):
                return "V"
            if TX_NAME.match(name) and TX_ID.match(s):
                x, l = s.split(":")
                return self.xid(x) + ":" + self.lsn(l)
            if name == "id" and CE_ID.match(s):
                return self.text(s)
            if name == "time" and CE_TIME.match(s):
                return "T"
            if OBJECT_ID.search(s):
                return OBJECT_ID.sub(r"\1*", s)
        return None


class Recording:
    def __init__(self, path):
        self.meta = json.load(open(os.path.join(path, "scenario.json"), encoding="utf-8"))
        self.entries = json.load(open(os.path.join(path, "registry.json"), encoding="utf-8"))
        self.registry = Registry(self.entries)
        with open(os.path.join(path, "records.jsonl"), encoding="utf-8") as f:
            self.records = [json.loads(line) for line in f if line.strip()]
        p = os.path.join(path, "requests.jsonl")
        self.requests = [json.loads(line) for line in open(p, encoding="utf-8") if line.strip()] if os.path.exists(p) else []

    def known(self, kind, n):
        return self.registry.find(kind, n) is not None

    def open(self, part):
        """A key or a value taken apart: ('text', ...), ('json', header, entry, text), ('framed', header, entry, bytes, value, leaves, framed inside) or ('raw', bytes)."""
        if part is None:
            return None
        if "text" in part:
            t = part["text"]
            return ("text", t, [(m.start(2), m.end(2), self.open({"hex": base64.b64decode(m.group(2)).hex(), "ids": "contentId"})) for m in CEDATA.finditer(t)])
        data = bytes.fromhex(part["hex"])
        if part.get("header"):  # the id travels in a header, the body stands alone
            e = self.registry.find(part["header"]["ids"], part["header"]["id"])
            if not e:
                return ("raw", data)
            codec = self.registry.codec(e)
            if codec is None:
                return ("json", b"", e, data.decode())
            value, leaves = codec.decode(data)
            return ("framed", b"", e, data, value, leaves, {})
        f = split(data, part.get("ids", "auto"), self.known)
        if not f:
            return ("raw", data)
        size, n = f
        e = self.registry.find(part.get("ids", "contentId" if size == 5 else "globalId"), n)
        codec = self.registry.codec(e)
        if codec is None:
            return ("json", data[:1] + bytes(size - 1), e, data[size:].decode())
        value, leaves = codec.decode(data, size)
        inner = {}
        for path, kind, a, b, v in leaves:  # a CloudEvent carries its data as framed bytes within the frame
            if path == ("data",) and kind == "bytes":
                sub = self.open({"hex": v["bytes"], "ids": "contentId"})
                if sub[0] == "framed":
                    inner[a] = sub
        return ("framed", data[:1] + bytes(size - 1), e, data, value, leaves, inner)


def learn(ranks, piece):
    if piece is None or piece[0] == "raw":
        return
    if piece[0] == "json":
        ranks.learn_text(piece[3])
        return
    if piece[0] == "text":
        ranks.learn_text(piece[1])
        for _, _, sub in piece[2]:
            learn(ranks, sub)
        return
    for path, kind, _, _, v in piece[5]:
        if kind != LENGTH:
            ranks.learn_leaf(path, v)
    for sub in piece[6].values():
        learn(ranks, sub)


def masked(ranks, piece):
    """A comparable form: text with masks, or (header, subject and version, bytes with the volatile leaves cut out, their masks, values)."""
    if piece is None:
        return None
    if piece[0] == "raw":
        return {"raw": piece[1].hex()}
    if piece[0] == "text":
        t, out, at, subs = piece[1], "", 0, []
        for a, b, sub in piece[2]:
            if sub[0] == "framed":
                out += t[at:a] + f"<{len(subs)}>"; at = b
                subs.append(masked(ranks, sub))
        out += t[at:]
        return {"text": ranks.text(out), **({"framed": subs} if subs else {})}
    if piece[0] == "json":  # JSON whose schema is in the registry
        _, header, e, t = piece
        return {"header": header.hex(), "schema": f"{e['subject']} version {e['version']}", "text": e["schema"], "decoded": ranks.text(t), "bytes": [], "volatile": {}}
    _, header, e, data, value, leaves, inner = piece
    volatile = {}
    cut, at = [], len(header)
    moving = [a for path, kind, a, _, v in leaves if kind != LENGTH and (a in inner or ranks.leaf(path, v) is not None)]
    for path, kind, a, b, v in leaves:
        if kind == LENGTH:
            if any(b <= m < v for m in moving):
                cut.append(data[at:a].hex()); at = b
            continue
        m = masked(ranks, inner[a]) if a in inner else ranks.leaf(path, v)
        if m is not None:
            volatile[f"{'.'.join(path)}@{len(volatile)}"] = m
            cut.append(data[at:a].hex()); at = b
    cut.append(data[at:].hex())

    def show(x, path=()):
        if isinstance(x, dict) and set(x) != {"bytes"}:
            return {k: show(v, path + (k,)) for k, v in x.items()}
        if isinstance(x, list):
            return [show(v, path) for v in x]
        m = ranks.leaf(path, x) if x is not None else None
        return x if m is None else m
    shown = show(value)
    for a in inner:
        shown["data"] = "<framed>"
    return {"header": header.hex(), "schema": f"{e['subject']} version {e['version']}", "text": e["schema"], "decoded": shown, "bytes": cut, "volatile": volatile}


def prepared(rec, strict):
    ranks, opened, ignored = Ranks(strict), [], set(rec.meta.get("ignore_topics", ()))
    bad = []
    for i, r in enumerate(rec.records):
        row = {"topic": r["topic"], "partition": r["partition"], "headers": r["headers"]}
        for part in ("key", "value"):
            try:
                row[part] = rec.open(r[part])
                if row[part] and row[part][0] in ("framed", "json") and "decoded" in r[part] and row[part][4 if row[part][0] == "framed" else 3] != r[part]["decoded"]:
                    bad.append(f"{r['topic']} record {i} {part}: 'decoded' does not say what the bytes say")
            except (Bad, UnicodeDecodeError, KeyError, IndexError, ValueError) as e:
                bad.append(f"{r['topic']} record {i} {part}: bytes do not follow the schema: {e}")
                row[part] = ("raw", bytes.fromhex(r[part].get("hex", "")))
            learn(ranks, row[part])
        opened.append(row)
    ranks.seal()
    out = {}
    for row in opened:
        if row["topic"] in ignored:
            continue
        headers = []
        for k, v in row["headers"]:
            if k in MASKED_HEADERS:
                v = "*"
            elif NUMERIC_HEADERS.match(k):
                v = re.sub(r"\d+", "N", v) if isinstance(v, str) else "N"
            elif isinstance(v, str):
                v = ranks.text(v)
            headers.append([k, v])
        out.setdefault((row["topic"], row["partition"]), []).append({"key": masked(ranks, row["key"]), "value": masked(ranks, row["value"]), "headers": headers})
    for (topic, _), rs in out.items():
        if topic.startswith("__debezium-heartbeat"):
            rs[:] = [r for i, r in enumerate(rs) if i == 0 or r != rs[i - 1]]
    return out, bad
