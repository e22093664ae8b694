"""Random chains of transforms. Both connectors run under errors.tolerance=all, so that a record a transform cannot take is left
out by both, and the ones that follow are compared all the same.

A chain never touches the marker table, by which a round knows that both have caught up; rows of snapshots are left out, and
moments near now are masked wherever they are: a transform may have moved them."""
import random
import re
import time
from dataclasses import dataclass, field, replace

from differential import column_types as types
from differential.limits import KNOWN
from differential.options import escaped
from differential.plan import MARKER, Column, Delete, Insert, Table, Transaction, Update

CHAIN = "chain"  # the one option that holds a chain
# Topics of tables: what is masked of transactions and messages is known by their topics.
TABLES = f"(?!.*({MARKER}|transaction|tx$|message)).*"
CONNECT = "org.apache.kafka.connect.transforms."
DEBEZIUM = "io.debezium.transforms."


@dataclass
class Link:
    type: str
    options: dict = field(default_factory=dict)
    predicate: tuple = ()  # (class, options, negate)


# --- the configuration ---

def properties(chain, prefix):
    """A chain as properties of a connector; {prefix} stands for the topic prefix."""
    names = [f"x{n}" for n in range(len(chain))]
    made = {"transforms": ",".join(names), "predicates": ",".join(f"p{n}" for n in names), "errors.tolerance": "all"}
    for name, link in zip(names, chain):
        kind, options, negate = link.predicate
        made |= {f"transforms.{name}.type": link.type, f"transforms.{name}.predicate": f"p{name}", f"predicates.p{name}.type": CONNECT + "predicates." + kind}
        if negate:
            made[f"transforms.{name}.negate"] = "true"
        made |= {f"transforms.{name}.{k}": v for k, v in link.options.items()}
        made |= {f"predicates.p{name}.{k}": v for k, v in options.items()}
    return {k: v.replace("{prefix}", prefix) for k, v in made.items()}


def expanded(options, prefix):
    """Options with their chain, if any, as properties."""
    rest = {k: v for k, v in options.items() if k != CHAIN}
    return {**rest, **properties(options[CHAIN], prefix)} if options.get(CHAIN) else rest


def told(options):
    """The same for files and terminals."""
    return expanded(options, "PREFIX")


# --- what changes in a round ---

_LEFT_OUT = re.compile("|".join(f"(?:{k.family})" for k in KNOWN if k.told != "text of floating point numbers"))


def left_out(column, options):
    """Columns with known differences: a transform may have renamed or rewritten what they would be known by."""
    chain = options.get(CHAIN, ())
    zones = any(link.type.endswith("TimezoneConverter") for link in chain)
    return bool(chain) and (_LEFT_OUT.fullmatch(column.type.family) is not None or (zones and "tz" in column.type.family))


def settle(options):
    """The other options of a round with a chain: no rows of a snapshot, whose LSNs differ between the two; no tombstones where
    a transform writes into the headers that Debezium's tombstone shares with its delete."""
    chosen = {k: v for k, v in options.items() if not k.startswith("snapshot.")}
    if any(link.type.endswith("ExtractChangedRecordState") or "add.headers" in link.options for link in options[CHAIN]):
        chosen["tombstones.on.delete"] = "false"
    if any("table.field.event.timestamp" in link.options for link in options[CHAIN]) and chosen.get("time.precision.mode") in ("isostring", "connect"):
        del chosen["time.precision.mode"]  # Debezium reads numbers only
    return {**chosen, "snapshot.mode": "no_data"}


def _uuid(rng):
    return "%08x-0000-4000-8000-%012x" % (rng.randrange(1 << 32), rng.randrange(1 << 48))


# Arrays with elements: "an array at the top", which Debezium cannot expand.
_JSON = ['{"a": 1, "b": "x"}', '{"b": "y", "c": [1, 2], "d": {"e": null}}', "{}", "[]", '"text"', "17", '{"a": 1.5e3, "long": "' + "z" * 200 + '"}',
         '{"n": null, "t": true, "q": "\\"\\\\"}']


def outbox_table(rng, uid):
    """A table in the shape that the EventRouter expects."""
    text, kind = types.ColumnType("text", "text", types.choice_of("1", "agg-7", "x", "ü")), types.ColumnType("text", "text", types.choice_of("order", "customer", "a.b"))
    columns = [
        Column(uid + 1, "id", types.ColumnType("uuid", "uuid", _uuid), not_null=True),
        Column(uid + 2, "aggregatetype", kind, not_null=rng.random() < 0.7),
        Column(uid + 3, "aggregateid", text, not_null=rng.random() < 0.7),
        Column(uid + 4, "type", types.ColumnType("varchar(40)", "text", types.choice_of("Created", "Changed", "")), not_null=rng.random() < 0.7),
        Column(uid + 5, "payload", types.ColumnType(rng.choice(("jsonb", "json", "text")), "json", types.choice_of(*_JSON))),
        Column(uid + 6, "at", types.ColumnType("timestamp", "outbox_at", types.choice_of("2024-01-02 03:04:05.678901", "2019-12-31 00:00:00"))),
        Column(uid + 7, "version", types.ColumnType("int", "integer", types.choice_of("1", "2", "3"))),
    ]
    return Table(uid, "public", "outbox", columns, primary_key=[uid + 1])


def add_outbox(rng, plan):
    """The same plan with an outbox table that is written to among the other transactions."""
    table = outbox_table(rng, 900_000)
    plan.tables.append(table)

    def row():
        return {c.uid: None if not c.not_null and rng.random() < 0.15 else c.type.value(rng) for c in table.columns}
    for at in sorted(rng.sample(range(len(plan.transactions) + 1), min(20, len(plan.transactions))), reverse=True):
        operations = [Insert(table.uid, [row() for _ in range(rng.choice((1, 1, 3)))])]
        if rng.random() < 0.2:
            operations.append(rng.choice((_Everything("delete from {}", table.uid), _Everything("update {} set version = 2", table.uid))))
        plan.transactions.insert(at, Transaction(operations))
    return plan


@dataclass
class _Everything:
    statement: str
    table: int

    def sql(self, world):
        if world.get(self.table):
            yield self.statement.format(world.get(self.table).sql)


# --- the links ---

class Maker:
    """Makes one chain. `flat`: the records of the scope are rows, no envelopes, as far as that is known."""

    def __init__(self, rng, plan):
        self.rng, self.plan = rng, plan
        self.flat = False
        self.headers = ["__debezium.newkey", "__debezium.context.taskId"]
        self.table = rng.choice(plan.tables) if rng.random() < 0.6 else None

    def chain(self):
        if self.rng.random() < 0.15:
            return self.outbox_chain()
        made = [self.link() for _ in range(self.rng.choice((2, 2, 3)))]
        return made

    def chance(self, p):
        return self.rng.random() < p

    def link(self):
        name = self.rng.choice(FLAT if self.flat else ENVELOPE)
        made = getattr(self, name)()
        made.predicate = made.predicate or self.predicate()
        return made

    def predicate(self):
        kind = self.rng.random()
        if kind < 0.06:
            return "HasHeaderKey", {"name": self.some_header()}, False
        if kind < 0.1:
            return "RecordIsTombstone", {}, False
        return "TopicNameMatches", {"pattern": self.topics()}, False

    def some_header(self):
        """One that the marker's records do not have."""
        return self.rng.choice([h for h in self.headers if not h.startswith("__debezium.context")])

    def topics(self):
        """A pattern of topics, never the marker's."""
        if self.table is None:
            return f"(?!.*{MARKER}).*"
        return f".*{escaped(self.table.name)}.*"

    # --- columns ---

    def columns(self, families=".*"):
        tables = [self.table] if self.table else self.plan.tables
        return [c for t in tables for c in t.columns if re.fullmatch(families, c.type.family) and re.fullmatch(r"[\w -]+", c.name)]

    def column(self, families=".*"):
        found = self.columns(families)
        return self.rng.choice(found).name if found else "rid"

    def some(self, families=".*", most=3):
        return list(dict.fromkeys(self.column(families) for _ in range(self.rng.randint(1, most))))

    def key_column(self):
        tables = [self.table] if self.table else self.plan.tables
        named = [t.column(u).name for t in tables for u in t.primary_key if t.column(u)]
        named = [n for n in named if re.fullmatch(r"[\w -]+", n)]
        return self.rng.choice(named) if named else "rid"

    # --- Debezium's ---

    def unwrap(self):
        self.flat = True
        rng, options = self.rng, {}
        if self.chance(0.7):
            options["delete.tombstone.handling.mode"] = rng.choice(("drop", "tombstone", "rewrite", "rewrite-with-tombstone", "delete-to-tombstone"))
        fields = ["op", "table", "lsn", "source.schema", "source.txId", "source.ts_ms", "ts_ms", "transaction.id", "transaction.total_order", "before.rid", "op:what", "source.sequence"]
        if self.chance(0.5):
            options["add.fields"] = ",".join(rng.sample(fields, rng.randint(1, 4)))
            if self.chance(0.3):
                options["add.fields.prefix"] = rng.choice(("", "m_"))
        if self.chance(0.4):
            options["add.headers"] = ",".join(rng.sample(fields, rng.randint(1, 4)))
            self.headers += ["__op", "__lsn"]
        if self.chance(0.2):
            options["replace.null.with.default"] = "false"
        return Link(DEBEZIUM + "ExtractNewRecordState", options)

    def changed_headers(self):
        self.headers += ["changed", "unchanged"]
        options = {"header.changed.name": "changed"} | ({"header.unchanged.name": "unchanged"} if self.chance(0.6) else {})
        return Link(DEBEZIUM + "ExtractChangedRecordState", options)

    def logical_table(self):
        options = {"topic.regex": self.rng.choice((r"(.*[._-])t\d+", r"(.*[._-])([^._-]*)", r"(?<all>.*)\d")),
                   "topic.replacement": self.rng.choice(("$1logical", "$1all_of_them"))}
        if "<all>" in options["topic.regex"]:
            options["topic.replacement"] = "${all}x"
        if self.chance(0.3):
            options["key.enforce.uniqueness"] = "false"
        elif self.chance(0.5):
            options["key.field.name"] = "__where"
        if self.chance(0.3):
            options |= {"key.field.regex": r"(.*[._-])(.*)", "key.field.replacement": "$2"}
        if self.chance(0.2):
            options["schema.name.adjustment.mode"] = "avro"
        made = Link(DEBEZIUM + "ByLogicalTableRouter", options)
        made.predicate = ("TopicNameMatches", {"pattern": TABLES}, False)
        return made

    def header_to_value(self):
        # Those that each record has: Debezium remembers the schema of the first one.
        headers = self.rng.choice((["__debezium.context.taskId"], ["__debezium.context.connectorName", "__debezium.context.taskId"]))
        place = ""
        return Link(DEBEZIUM + "HeaderToValue", {"headers": ",".join(headers), "fields": ",".join(f"{place}from_header{n}" for n in range(len(headers))),
                                                 "operation": self.rng.choice(("copy", "move"))})

    def timezone(self):
        options = {"converted.timezone": self.rng.choice(("America/New_York", "Asia/Kolkata", "+05:30", "-08:00"))}
        if self.table and self.chance(0.3):
            options[self.rng.choice(("include.list", "exclude.list"))] = f"source:{self.table.name}"
        return Link(DEBEZIUM + "TimezoneConverter", options)

    def partition(self):
        fields = [f"{'' if self.flat else 'change.'}{self.column('integer|text|smallint|boolean|uuid')}"] if self.table and self.chance(0.7) else ["source.table", "op"]
        return Link(DEBEZIUM + "partitions.PartitionRouting", {"partition.payload.fields": ",".join(fields), "partition.topic.num": "1",
                                                               **({"partition.hash.function": "murmur"} if self.chance(0.5) else {})})

    def schema_changes(self):
        return Link(DEBEZIUM + "SchemaChangeEventFilter", {"schema.change.event.exclude.list": "DROP"})

    # --- Connect's ---

    def target(self, key_share=0.25):
        return "$Key" if self.chance(key_share) else "$Value"

    def route(self):
        regex, replacement = self.rng.choice(((r"(.*)", "$1_x"), (r"(.*)([._-])([^._-]+)", "$1$2re_$3"), (r"(.*)\d", "$1"), (r"(.*[._-])t[0-5]", "$1half"), (r"(?<p>.*)t1", "${p}one")))
        made = Link(CONNECT + "RegexRouter", {"regex": regex, "replacement": replacement})
        made.predicate = ("TopicNameMatches", {"pattern": TABLES}, False)
        return made

    def insert_header(self):
        name = self.rng.choice(("h1", "h2"))
        self.headers.append(name)
        return Link(CONNECT + "InsertHeader", {"header": name, "value.literal": self.rng.choice(("text", "1", "-2.5", "true", "null", "2024-02-29", "12:13:14.500Z", '"17"'))})

    def drop_headers(self):
        return Link(CONNECT + "DropHeaders", {"headers": ",".join(dict.fromkeys(self.rng.choice(self.headers) for _ in range(2)))})

    def metadata(self):
        options = {"schema.name": "some.Name"} | ({"schema.version": "7"} if self.chance(0.5) else {})
        return Link(CONNECT + "SetSchemaMetadata" + self.target(), options)

    def filter(self):
        made = Link(CONNECT + "Filter")
        made.predicate = self.rng.choice((("RecordIsTombstone", {}, False), ("HasHeaderKey", {"name": self.some_header()}, False),
                                          ("TopicNameMatches", {"pattern": r".*t[0-3]"}, False)))
        return made

    def hoist(self):
        # Without a key it makes a map, whose order is that of Java's HashMap once more is put into it.
        keyed = self.table is not None and self.table.primary_key
        return Link(CONNECT + "HoistField" + (self.target(0.6) if keyed else "$Value"), {"field": "whole"})

    def extract(self):
        if self.chance(0.4):
            return Link(CONNECT + "ExtractField$Key", {"field": self.key_column()})
        if self.flat:
            return Link(CONNECT + "ExtractField$Value", {"field": self.column()})
        options = {"field": self.rng.choice(("after", "after", "before", "source", "op", "transaction"))}
        if self.chance(0.4):
            options = {"field": f"after.{self.key_column()}", "field.syntax.version": "V2"}
        self.flat = self.flat or options["field"] == "after"
        return Link(CONNECT + "ExtractField$Value", options)

    def value_to_key(self):
        fields = self.some("integer|text|bigint|uuid|boolean|date|timestamp|bytea|numeric") if self.flat else self.rng.sample(["op", "source", "after"], self.rng.choice((1, 2)))
        return Link(CONNECT + "ValueToKey", self._with_default({"fields": ",".join(fields)}))

    def flatten(self):
        return Link(CONNECT + "Flatten" + self.target(), {"delimiter": self.rng.choice(("_", ".", "__"))})

    def insert_field(self):
        options = {"static.field": "fixed", "static.value": "some text"} if self.chance(0.6) else {}
        if not options or self.chance(0.4):
            options["topic.field"] = "came_from" + self.rng.choice(("", "!", "?"))
        if self.chance(0.2):
            options["timestamp.field"] = "stamp"
        return Link(CONNECT + "InsertField" + self.target(), self._with_default(options))

    def mask(self):
        if not self.flat:
            return Link(CONNECT + "MaskField$Value", {"fields": "op" if self.chance(0.7) else "ts_ms"})
        # The same name may be a decimal in another table, which Debezium cannot mask.
        options = {"fields": ",".join(self.some("integer|smallint|bigint|text|boolean|real|double|date|json|uuid")) if self.table else "rid"}
        if self.chance(0.3):
            options["replacement"] = self.rng.choice(("0", "7"))
        return Link(CONNECT + "MaskField$Value", self._with_default(options))

    def replace_field(self):
        if self.chance(0.2):
            return Link(CONNECT + "ReplaceField$Key", {"renames": f"{self.key_column()}:renamed"})
        columns = self.some() if self.flat else self.rng.sample(["before", "transaction", "ts_us", "ts_ns", "op"], 2)
        kind = self.rng.choice(("exclude", "include", "renames"))
        value = ",".join(f"{c}:new_{n}" for n, c in enumerate(columns)) if kind == "renames" else ",".join(columns)
        return Link(CONNECT + "ReplaceField$Value", self._with_default({kind: value}))

    def cast(self):
        kinds = ("string", "string", "int8", "int16", "int32", "int64", "float32", "float64", "boolean")
        if self.chance(0.3):
            return Link(CONNECT + "Cast$Key", {"spec": f"{self.key_column()}:{self.rng.choice(kinds)}"})
        if not self.flat:
            kinds = ("string", "int64")  # of a moment, which is masked
        names = self.some("integer|smallint|bigint|text|boolean|real|double|numeric|date|timestamptz|bytea|enum|uuid") if self.flat else ["ts_ms", "op"]
        return Link(CONNECT + "Cast$Value", self._with_default({"spec": ",".join(f"{n}:{self.rng.choice(kinds)}" for n in names)}))

    def timestamp(self):
        name = self.column("timestamp|timestamptz|date|time|bigint|text")
        target = self.rng.choice(("string", "unix", "Date", "Time", "Timestamp"))
        options = {"field": name, "target.type": target, "unix.precision": self.rng.choice(("milliseconds", "microseconds", "seconds", "nanoseconds"))}
        if target == "string" or self.chance(0.5):
            options["format"] = self.rng.choice(("yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss'Z'", "dd.MM.yyyy"))
        return Link(CONNECT + "TimestampConverter$Value", self._with_default(options))

    def header_from(self):
        key = self.chance(0.4)
        fields = [self.key_column()] if key else self.some(most=2) if self.flat else self.rng.sample(["op", "source", "after"], 1)
        headers = [f"from_{n}" for n in range(len(fields))]
        self.headers += headers
        return Link(CONNECT + "HeaderFrom" + ("$Key" if key else "$Value"), self._with_default({"fields": ",".join(fields), "headers": ",".join(headers), "operation": self.rng.choice(("copy", "move"))}))

    def _with_default(self, options):
        return options | ({"replace.null.with.default": "false"} if self.chance(0.15) else {})

    # --- outbox ---

    def outbox_chain(self):
        self.table = add_outbox(self.rng, self.plan).tables[-1]
        self.flat = True
        made = [self.router()]
        while len(made) < self.rng.choice((2, 3)):
            made.append(getattr(self, self.rng.choice(("insert_header", "drop_headers", "header_from", "metadata", "hoist", "route", "cast", "timestamp_route")))())
        for link in made:
            link.predicate = ("TopicNameMatches", {"pattern": r".*(outbox|\.ev\.).*"}, False)
        return made

    def timestamp_route(self):
        return Link(CONNECT + "TimestampRouter", {"topic.format": "${topic}-${timestamp}", "timestamp.format": self.rng.choice(("yyyy", "yyyyMM"))})

    def router(self):
        rng = self.rng
        options = {"route.topic.replacement": "{prefix}.ev.${routedByValue}"}
        if self.chance(0.5):
            options["table.fields.additional.placement"] = ",".join(rng.sample(["type:header:eventType", "type:envelope", "version:envelope:v", "at:header", "aggregateid:envelope:who", "version:header"], rng.randint(1, 3)))
        if self.chance(0.5):
            options["table.field.event.timestamp"] = "at"
        if self.chance(0.25):
            options["table.field.event.schema.version"] = "version"
        # One schema for all events of a version: Debezium cannot put payloads of different structure under it.
        if self.chance(0.4) and ":envelope" not in options.get("table.fields.additional.placement", ""):
            options["table.expand.json.payload"] = "true"
            if self.chance(0.3):
                options["table.json.payload.null.behavior"] = "optional_bytes"
        if self.chance(0.3):
            options["route.tombstone.on.empty.payload"] = "true"
        if self.chance(0.3):
            options["table.field.event.key"] = rng.choice(("id", "type"))
        if self.chance(0.2):
            options["route.by.field"] = "aggregateid"
        self.headers += ["id", "eventType"]
        return Link(DEBEZIUM + "outbox.EventRouter", options)


ENVELOPE = ["unwrap"] * 6 + ["changed_headers", "logical_table", "logical_table", "header_to_value", "timezone", "partition", "schema_changes", "route", "insert_header",
                             "drop_headers", "metadata", "filter", "hoist", "extract", "extract", "value_to_key", "flatten", "insert_field", "mask", "replace_field", "cast", "header_from"]
FLAT = ["logical_table", "header_to_value", "timezone", "route", "insert_header", "drop_headers", "metadata", "filter", "hoist", "extract", "value_to_key", "value_to_key",
        "flatten", "insert_field", "mask", "mask", "replace_field", "replace_field", "cast", "cast", "cast", "timestamp", "timestamp", "header_from"]


def random_chain(seed, plan):
    """Two or three links; the plan may get an outbox table for them."""
    return Maker(random.Random(f"chain {seed}"), plan).chain()


# --- the comparison ---

_NUMBER = re.compile(rb"(?<![\d.])1\d{9}(?:\d{3}|\d{6}|\d{9})?(?![\d.])")


def mask_moments(events, begin):
    """Numbers that are a moment of this round, in any unit, become 0."""
    end = time.time() + 60

    def mask(found):
        digits = found.group()
        return b"0" if begin - 60 <= int(digits) / 10 ** (len(digits) - 10) <= end else digits

    def masked(text):
        return text and _NUMBER.sub(mask, text)
    return [replace(e, key=masked(e.key), value=masked(e.value), header_source=lambda e=e: [(n, masked(v)) for n, v in e.headers]) for e in events]
