"""Random outbox tables and EventRouters over them, for chains.py.

Left out, because Debezium stops there or does what nobody can foretell (docs/differences.md): empty topics (a `name` that is NOT NULL gives them), times of events with a
zone or before 1970, JSON whose schema Debezium takes and whose value it does not (a member that an adjusted name is like, too), objects of different members in one array."""
import json
import random
from dataclasses import dataclass, field

from differential import column_types as types
from differential.limits import has
from differential.link import CONNECT, DEBEZIUM, Link
from differential.plan import Alter, Column, Insert, Message, Published, Savepoint, Table, Transaction

JSON = "org.apache.kafka.connect.json.JsonConverter"
STRING = "org.apache.kafka.connect.storage.StringConverter"
BYTES = "io.debezium.converters.BinaryDataConverter"
TOPICS = r".*(outbox|\.ev\.).*"  # of the tables' records and of their events
MESSAGES = r".*(\.message|_message|-message|\.ev\.).*"

# Of their own families: those of the same SQL types have differences that a chain would hide.
_TIMES = types.choice_of("2024-01-02 03:04:05.678901", "2019-12-31 00:00:00", "1970-01-01 00:00:00.000999")
_DAYS = types.choice_of("2024-02-29", "1970-01-01", "1969-12-31")


def _type(sql, value, family=None, defaults=()):
    return types.ColumnType(sql, family or f"outbox_{sql.partition('(')[0]}", value, defaults)


# --- JSON ---

_NAMES = ["a", "b", "id", "name", "long name", "a.b", "ü", "1st", "class", "A", "a-b", "$x", "_z", "\U0001F600", "日本", "", " "]
_WHOLE = [0, 1, -1, 2**31 - 1, -2**31, 2**31, 2**53 + 1, 2**63 - 1, -2**63]
_TEXTS = ["", " ", "text", "é", "\U0001F600", "\u2028", 'say "hi"', "back\\slash", "/", "</script>", "tab\t", "\u007f", "\u0001", "1", "null", "2020-01-01T00:00:00Z"]


class Payloads:
    """Texts of JSON. `jsonb`: only what the server keeps as it is."""

    def __init__(self, rng, jsonb):
        self.rng, self.jsonb = rng, jsonb

    def text(self):
        kind = self.rng.random()
        if kind < 0.12:
            return self.rng.choice(("{}", "[]", '"text"', "17", "null", "true", "1.5", '""'))
        return self.object(3)

    def object(self, depth, names=None):
        rng = self.rng
        if names is None:
            names = rng.sample(_NAMES[:-2] if rng.random() < 0.97 else _NAMES, rng.choice((0, 1, 2, 3, 5)))
        members = [self.member(name, self.value(depth - 1)) for name in names]
        if names and rng.random() < 0.1:
            members.append(self.member(rng.choice(names), self.value(0)))
        return self.spaced("{" + ",".join(members) + "}")

    def member(self, name, value):
        return json.dumps(name, ensure_ascii=self.rng.random() < 0.5) + self.rng.choice((":", ": ", " :")) + value

    def spaced(self, text):
        return text if self.rng.random() < 0.8 else text[:1] + self.rng.choice((" ", "\n\t", "\r\n")) + text[1:]

    def value(self, depth):
        kind = self.rng.randrange(8 if depth > 0 else 6)
        if kind < 6:
            return self.scalar(("null", "boolean", "int", "int", "double", "text")[kind])
        return self.object(depth) if kind == 6 else self.array(depth)

    def scalar(self, kind):
        return {"null": lambda: "null", "boolean": lambda: self.rng.choice(("true", "false")), "int": self.whole, "double": self.double, "text": self.string}[kind]()

    def whole(self):
        return str(self.rng.choice(_WHOLE) if self.rng.random() < 0.5 else self.rng.randint(-10**6, 10**6))

    def double(self):
        rng = self.rng
        if self.jsonb:  # an exponent would become a whole number there
            return rng.choice(("1.5", "-0.25", "1.10", "0.0", "123456789.123456789", "0.1", "1.0", "-0.000001", "99999999999999999999.5", repr(round(rng.uniform(-1e5, 1e5), 3) + 0.5)))
        return rng.choice(("1e400", "-1e400", "1E5", "1e-7", "-0.0", "4.9e-324", "1.7976931348623157e308", "2.5e+10", "1.0", "1e0", "0e0", repr(rng.uniform(-1e10, 1e10)), repr(rng.random())))

    def string(self):
        text = self.rng.choice(_TEXTS) if self.rng.random() < 0.7 else types.pieces(self.rng, 4)
        written = json.dumps(text, ensure_ascii=self.rng.random() < 0.5)
        return written.replace("/", "\\/") if self.rng.random() < 0.2 else written

    def array(self, depth):
        """Of one type, else of several, so that both leave all of the text as it is."""
        rng, count = self.rng, self.rng.choice((0, 1, 2, 3))
        kind = rng.choice(("int", "double", "text", "boolean", "objects", "arrays", "mixed" if rng.random() < 0.3 else "text"))
        if kind == "mixed":
            items = [self.scalar(k) for k in ("text", "boolean", "int")[:count]]
        elif kind == "objects":
            items = self.same_objects(count)
        elif kind == "arrays":
            items = ["[" + ",".join(str(rng.randint(0, 9)) for _ in range(rng.choice((1, 2)))) + "]" for _ in range(count)]
        elif kind == "int":
            items = [str(rng.randint(-1000, 1000)) for _ in range(count)]
        else:
            items = [self.scalar(kind) for _ in range(count)]
        if rng.random() < 0.2:
            items.insert(rng.randint(0, len(items)), "null")
        return self.spaced("[" + ", ".join(items) + "]")

    def same_objects(self, count):
        names = self.rng.sample(_NAMES[:10], self.rng.choice((1, 2, 3)))
        kinds = {n: self.rng.choice(("text", "boolean", "small")) for n in names}
        small = lambda kind: str(self.rng.randint(0, 99)) if kind == "small" else self.scalar(kind)  # noqa: E731
        return ["{" + ",".join(f"{json.dumps(n)}: {small(kinds[n])}" for n in names) + "}" for _ in range(count)]


def json_type(rng):
    sql = rng.choice(("jsonb", "jsonb", "json", "json", "text", "varchar"))
    edges = () if sql in ("json", "jsonb") else ("", "  ", "\t\n", " {\"a\": 1}", "{", "{\"a\": 1} and more", "{'a': 1}", "\u00a0", "{\"a\": 01}", "{\"a\": NaN}", "[1", "plain text")

    def value(rng):
        return rng.choice(edges) if edges and rng.random() < 0.2 else Payloads(rng, sql == "jsonb").text()
    return _type(sql, value, "outbox_json", ("'{\"d\": 1}'",))


# --- tables ---

ROLES = ["id", "aggregatetype", "aggregateid", "type", "payload", "at", "version", "part"]
OPTION = {"id": "table.field.event.id", "aggregatetype": "route.by.field", "aggregateid": "table.field.event.key", "payload": "table.field.event.payload",
          "at": "table.field.event.timestamp", "version": "table.field.event.schema.version"}
_OTHER = ["Event Id", "agg-type", "KEY", "body", "ünï", "created at", "v", "_x", "event_id", "select", "a.b", "1st", "before", "op", "headers"]


@dataclass
class Outbox:
    """A table and what its columns are for."""
    table: Table
    named: dict = field(default_factory=dict)  # role → name of its column

    def column(self, role):
        return next((c for c in self.table.columns if c.name == self.named.get(role)), None)


def role_type(rng, role):
    some = {
        "id": [_type("uuid", types.uuid), _type("uuid", types.uuid), _type("bigint", types.integers(0, 2**62)), types.plain_text(rng), _type("bytea", types.bytea), any_type(rng)],
        "aggregatetype": [_type("text", types.choice_of("order", "customer", "a.b", "A-b_c"))] * 4 + [
            _type("varchar(255)", types.choice_of("order", "Order.Line")), _type("citext", types.choice_of("Order", "order")), _type("uuid", types.uuid),
            _type("mood", types.choice_of("sad", "ok"), "enum"), _type("short_text", types.choice_of("dom"), "domain"),
            _type("ltree", types.choice_of("Top.x")), _type("integer", types.choice_of("1"))],
        "aggregateid": [types.plain_text(rng), _type("varchar(40)", types.choice_of("42", "x y", "", "ü")), _type("uuid", types.uuid), _type("bytea", types.bytea), any_type(rng), any_type(rng)],
        "type": [_type("varchar(40)", types.choice_of("Created", "Changed", "")), types.plain_text(rng)],
        "payload": [json_type(rng)] * 5 + [types.plain_text(rng), _type("bytea", types.bytea), any_type(rng), any_type(rng)],
        "at": [_type(types.precise("timestamp")(rng), _TIMES, defaults=("'2020-01-01 00:00:00'",))] * 4 + [_type("bigint", types.choice_of("1700000000000")), _type("date", _DAYS), types.time(rng)],
        "version": [_type("integer", types.choice_of("0", "1", "2", "-1"), defaults=("5",))] * 4 + [_type("smallint", types.choice_of("1"))],
        "part": [_type("integer", types.choice_of("0"))] * 5 + [_type("bigint", types.choice_of("0"))],
    }
    return rng.choice(some[role])


def any_type(rng):
    return rng.choice((types.random_type, types.random_type, lambda r: _type("timestamp", _TIMES), lambda r: _type("date", _DAYS),
                       lambda r: _type("timestamptz", lambda r: _TIMES(r) + "+02")))(rng)


def outbox(rng, uid, unfit, number=0):
    """`unfit(column)`: whether it has differences that a chain would hide."""
    made = Outbox(Table(uid, "public", rng.choice(("outbox", "outbox", "my_outbox", "Outbox outbox", "outbox.x")) + (str(number) if number else ""), []))
    odd = rng.random() < 0.4

    def add(name, column_type, not_null):
        # With time.precision.mode=nanoseconds Debezium stops at such a column in a delete.
        not_null = not_null and column_type.family != "outbox_timestamp"
        column = Column(uid + 1 + len(made.table.columns), name, column_type, not_null=not_null)
        if column_type.defaults and rng.random() < 0.2:
            column.default = rng.choice(column_type.defaults)
        if not unfit(column):
            made.table.columns.append(column)
        return not unfit(column)
    others = rng.sample(_OTHER, len(_OTHER))
    for role in ROLES:
        name = others.pop() if odd and rng.random() < 0.6 else role
        while not add(name, role_type(rng, role), rng.random() < (0.5 if role in ("aggregatetype", "id") else 0.3)):
            pass
        made.named[role] = name
    for n in range(rng.choice((0, 1, 3, 6))):
        add(others.pop() if rng.random() < 0.3 else f"extra{n}", any_type(rng), rng.random() < 0.2)
    rng.shuffle(made.table.columns)
    # The first column is the one by which rows are found.
    made.table.columns.insert(0, Column(uid, "rid", types.INTEGER(rng), not_null=True))
    kind = rng.random()
    made.table.primary_key = [uid] if kind < 0.75 else []
    made.table.identity = rng.choice(("default", "default", "full", "nothing")) if made.table.primary_key else rng.choice(("full", "nothing"))
    if made.table.primary_key and rng.random() < 0.1:
        made.table.partitions = 2
    return made


@dataclass
class Everything:
    """A statement over all rows of a table."""
    statement: str
    table: int

    def sql(self, world):
        table = world.get(self.table)
        if table and (table.identity == "full" or (table.identity == "default" and table.primary_key)):
            yield self.statement.format(t=table.sql, rid=table.rid())


_EVERYTHING = ("delete from {t}", "delete from {t}", "update {t} set {rid} = {rid}", "update {t} set {rid} = {rid} + 100000 where {rid} % 2 = 0 and {rid} < 100000")


class Writer:
    """Transactions that write to an outbox."""

    def __init__(self, rng, made):
        self.rng, self.outbox, self.rid = rng, made, 0

    def row(self):
        self.rid += 1
        row = {self.outbox.table.columns[0].uid: str(self.rid)}
        for c in self.outbox.table.columns[1:]:
            missing = self.rng.random() < (0.05 if c is self.outbox.column("aggregatetype") else 0.15)
            if not (c.default and missing and self.rng.random() < 0.5):
                row[c.uid] = None if missing and not c.not_null else self.value(c)
        return row

    def value(self, column):
        while not has(column, value := column.type.value(self.rng)):
            pass
        return value

    def insert(self):
        return Insert(self.outbox.table.uid, [self.row() for _ in range(self.rng.choice((1, 1, 1, 3)))])

    def transaction(self):
        rng, uid = self.rng, self.outbox.table.uid
        if rng.random() < 0.06:
            return self.alteration()
        operations = [self.insert() for _ in range(rng.choice((1, 1, 2)))]
        if rng.random() < 0.2:
            operations.append(Everything(rng.choice(_EVERYTHING), uid))
        if rng.random() < 0.08:
            operations.append(Savepoint([self.insert()], keep=rng.random() < 0.5))
        return Transaction(operations, commit=rng.random() < 0.95)

    def alteration(self):
        uid = self.outbox.table.uid
        column = Column(uid + 500 + self.rid, f"added{self.rid}", self.rng.choice((types.plain_text(self.rng), types.INTEGER(self.rng))))
        return Transaction([Alter(uid, "add_column", to=column)], settle=True)


def written(plan, rng, made, count):
    """Puts the table into the plan and its transactions among the others."""
    plan.tables.append(made.table)
    if plan.published:
        plan.published.append(Published(made.table.uid))
    writer = Writer(rng, made)
    plan.before += [writer.insert() for _ in range(rng.choice((0, 1)))]
    for transaction in [writer.transaction() for _ in range(count)]:
        plan.transactions.insert(rng.randint(0, len(plan.transactions)), transaction)


# --- messages ---

def message(rng):
    """The content of an outbox without a table."""
    members = {"id": json.dumps(str(rng.randint(1, 99))), "aggregatetype": rng.choice(('"order"', '"a.b"', '"customer"')), "aggregateid": rng.choice(('"7"', "8", '"x"')),
               "type": '"Created"', "payload": rng.choice(('"text"', '"{\\"a\\": 1}"', '"{}"', "null", Payloads(rng, False).object(2))), "n": rng.choice(("1", "2147483647", "-5"))}  # of one type: Debezium keeps the first one for its place in the envelope
    if rng.random() < 0.2:
        members.pop(rng.choice([name for name in members if name != "aggregateid"]))
    whole = "{" + ", ".join(f'"{k}": {v}' for k, v in members.items()) + "}"
    return whole if rng.random() < 0.95 else rng.choice(("", "{", "[1]", "null", '"text"'))


# --- the transform ---

def placements(rng, made):
    columns = [c for c in made.table.columns if not set(c.name) & set(",:")]
    chosen = []
    for column in rng.choices(columns, k=rng.choice((1, 2, 3, 5))):
        placement = rng.choice(("header", "header", "envelope"))
        alias = rng.choice(("", "", ":" + rng.choice(("alias", "eventType", "a.b", "ü", "id", "_x"))))
        chosen.append(column.name + ":" + placement + alias)
    if rng.random() < 0.2:
        chosen.append(made.named["part"] + ":partition")
    if rng.random() < 0.05:
        chosen.append("nowhere:header")
    return rng.choice((",", ", ", " ,")).join(chosen)


def router(rng, made):
    """Options of an EventRouter for that table."""
    options = {OPTION[role]: name for role, name in made.named.items() if role in OPTION and name != role and role not in ("at", "version")}
    regex, replacement = rng.choice((("", "${routedByValue}"), ("", "${routedByValue}"), ("", "x${routedByValue}.y"), ("(.*)", "$1"), ("(order)?(.*)", "a$2_$1"), ("(?<p>.).*", "all_${p}"), (".*", "same")))
    options |= {"route.topic.replacement": "{prefix}.ev." + replacement} | ({"route.topic.regex": regex} if regex else {})
    if rng.random() < 0.6:
        options["table.fields.additional.placement"] = placements(rng, made)
    envelope = ":envelope" in options.get("table.fields.additional.placement", "")
    if "nowhere" in options.get("table.fields.additional.placement", "") or rng.random() < 0.1:
        options["table.field.additional.missing"] = "ignore"
    if rng.random() < 0.4 and (not envelope or made.column("at").type.family == "outbox_timestamp"):  # what fails earlier with Debezium names no schema
        options[OPTION["at"]] = made.named["at"]
    if rng.random() < 0.25:
        options[OPTION["version"]] = made.named["version"]
    # Debezium keeps one schema for all events of a version: no two payloads of different structure can be under it.
    if rng.random() < 0.5 and not (envelope and OPTION["version"] in options):
        options["table.expand.json.payload"] = "true"
        if rng.random() < 0.4:
            options["table.json.payload.null.behavior"] = "optional_bytes"
        if rng.random() < 0.3:
            options["field.name.adjustment.mode"] = rng.choice(("avro", "avro_unicode"))
    if rng.random() < 0.35:
        options["route.tombstone.on.empty.payload"] = "true"
    if rng.random() < 0.25:
        options[OPTION["aggregateid"]] = rng.choice([c.name for c in made.table.columns])
    if rng.random() < 0.15:
        options[OPTION["payload"]] = rng.choice([c.name for c in made.table.columns])
    if rng.random() < 0.2:
        options["table.op.invalid.behavior"] = rng.choice(("warn", "error", "fatal"))
    return options


def converters(rng):
    """Of the connector; every record can be written by each."""
    chosen = {}
    for part, share in (("key", 0.3), ("value", 0.2)):
        kind = rng.random()
        if kind < share:
            chosen[f"{part}.converter"] = STRING
        elif kind < share + 0.15:
            chosen |= {f"{part}.converter": BYTES, f"{part}.converter.delegate.converter.type": JSON,
                       f"{part}.converter.delegate.converter.type.schemas.enable": rng.choice(("true", "false"))}
        elif kind < share + 0.5:
            chosen[f"{part}.converter.schemas.enable"] = "true"
    return chosen


def settle(seed, options):
    """The other options of a round with an outbox."""
    rng = random.Random(f"outbox options {seed}")
    chosen = {k: v for k, v in options.items() if k not in ("column.include.list", "column.exclude.list", "table.include.list")}
    chosen |= converters(rng)
    if STRING in chosen.values() and chosen.get("time.precision.mode") == "connect":  # Java's Date there
        del chosen["time.precision.mode"]
    if rng.random() < 0.12 and not any(name.startswith(("column.", "datatype.")) for name in chosen):  # of two rules Debezium follows one
        name = rng.choice(("column.mask.with.5.chars", "column.mask.hash.v2.SHA-256.with.salt.CzQMA0cB5K"))
        chosen[name] = r".*outbox.*\.(payload|body|aggregateid|type)"
    return chosen


def behind(rng):
    """A transform behind the router; few events are structs."""
    kind = rng.choice(("InsertHeader", "DropHeaders", "SetSchemaMetadata$Value", "HoistField$Value", "RegexRouter", "TimestampRouter", "Flatten$Value", "InsertField$Value", "HeaderFrom$Key"))
    options = {
        "InsertHeader": {"header": rng.choice(("eventType", "h1")), "value.literal": rng.choice(("text", "1", "true", "2.5", "null"))},
        "DropHeaders": {"headers": rng.choice(("id", "eventType,alias", "__debezium.context.taskId"))},
        "SetSchemaMetadata$Value": {"schema.name": "some.Name", **rng.choice(({}, {"schema.version": "7"}))},
        "HoistField$Value": {"field": "whole"},
        "RegexRouter": {"regex": r"(.*\.ev)\.(.*)", "replacement": "$1-$2"},
        "TimestampRouter": {"topic.format": "${topic}-${timestamp}", "timestamp.format": rng.choice(("yyyy", "yyyyMM"))},
        "Flatten$Value": {"delimiter": rng.choice(("_", "."))},
        "InsertField$Value": {"static.field": "fixed", "static.value": "text", **rng.choice(({}, {"topic.field": "came_from"}))},
        "HeaderFrom$Key": {"fields": "a", "headers": "from_key", "operation": "copy"},
    }[kind]
    return Link(CONNECT + kind, options)


def random_chain(seed, plan, unfit, count):
    """Its links; the plan gets an outbox with `count` transactions, a few of these chains read one in messages."""
    rng = random.Random(f"outbox {seed}")
    made, topics = [], TOPICS
    if rng.random() < 0.15:
        made.append(Link("io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent", rng.choice(({}, {"fields.null.include": "true"}))))
        made.append(Link(DEBEZIUM + "outbox.EventRouter", message_router(rng, plan, count)))
        topics = MESSAGES
    else:
        table = outbox(rng, 900_000, unfit)
        written(plan, rng, table, count)
        made.append(Link(DEBEZIUM + "outbox.EventRouter", router(rng, table)))
    while rng.random() < 0.35 and len(made) < 4:
        made.append(behind(rng))
    for link in made:
        link.predicate = ("TopicNameMatches", {"pattern": topics}, False)
    return made


def message_router(rng, plan, count):
    for _ in range(count):
        operation = Message(rng.random() < 0.8, rng.choice(("outbox", "keep")), message(rng))
        plan.transactions.insert(rng.randint(0, len(plan.transactions)), Transaction([operation]))
    options = {"route.topic.replacement": "{prefix}.ev.${routedByValue}"} | ({"table.expand.json.payload": "true"} if rng.random() < 0.5 else {})
    if rng.random() < 0.4:
        options["table.fields.additional.placement"] = rng.choice(("type:header", "type:envelope:kind", "n:header", "n:envelope"))
    return options
