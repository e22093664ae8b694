"""Makes random chains: two or three transforms over the rows of one table, for up to four tables."""
import re

from differential import chain_tables as tables
from differential.options import escaped
from differential.plan import MARKER
from differential.expressions import Expressions
from differential.link import CONNECT, DEBEZIUM, TABLES, Link
from support.debezium import scripting

PRECISIONS = ("milliseconds", "microseconds", "seconds", "nanoseconds")
FORMATS = ("yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss'Z'", "dd.MM.yyyy", "yyyyMMddHHmmss", "yyyy-MM-dd HH:mm:ssXXX", "EEE, d MMM yy hh:mm a", "D yyyy")
KINDS = ("string", "string", "int8", "int16", "int32", "int64", "float32", "float64", "boolean")
CASTABLE = "integer|smallint|bigint|text|boolean|real|double|numeric|clean_date|clean_zoned|clean_timestamp|timestamptz|bytea|enum|uuid|json"
MASKABLE = "integer|smallint|bigint|text|boolean|real|double|clean_date|json|uuid|array_text|clean_array|enum"


def random_chain(seed, plan):
    """Its links; the plan gets the tables that they want."""
    rng = tables.random_of(seed)
    if rng.random() < 0.2:
        return alone(Everywhere(rng, plan).chain())
    chain, number = [], 0
    for kind in rng.sample(PARTS, rng.choice((2, 3, 3, 4))):
        number += 1
        chain += kind(rng, plan, number).chain()
    return alone(chain)


def alone(chain):
    """The chain, in which no headers are added behind a HeaderToValue that moves some: Debezium's piles up those of all records."""
    for at, link in enumerate(chain):
        if link.options.get("operation") == "move" and link.type.endswith("HeaderToValue"):
            if any("add.headers" in behind.options or "ChangedRecord" in behind.type for behind in chain[at:]):
                link.options["operation"] = "copy"
    return chain


class Everywhere:
    """Over the records of all tables but the marker's. `flat`: they are rows, no envelopes, as far as that is known."""

    FIRST = []  # names of links to begin with

    def __init__(self, rng, plan, number=0):
        self.rng, self.plan, self.number = rng, plan, number
        self.flat = self.whole = False
        self.renamed = 0  # fields, by links so far
        self.headers = ["__debezium.newkey", "__debezium.context.taskId"]
        self.table = self.choose()

    def choose(self):
        return None

    def chance(self, p):
        return self.rng.random() < p

    def chain(self):
        made, last = [], None
        first = self.rng.choice(self.FIRST) if self.FIRST and self.chance(0.6) else None
        for number in range(self.rng.choice((2, 2, 3))):
            name = last if last and self.chance(0.1) else first if first and number == 0 else self.rng.choice(self.names())
            made.append(self.link(name))
            last = name
        return made

    def names(self):
        return WHOLE if self.whole else FLAT if self.flat else ENVELOPE

    def link(self, name):
        made = getattr(self, name)()
        made.predicate = made.predicate or self.predicate(name)
        return made

    def predicate(self, name):
        """Never true of the marker's records, but where the link leaves them as they are in number and place."""
        kind = self.rng.random()
        if kind < 0.06:
            return "HasHeaderKey", {"name": self.some_header()}, False
        if kind < 0.1:
            return "RecordIsTombstone", {}, False
        if kind < 0.2 and name in HARMLESS:
            return self.rng.choice((("HasHeaderKey", {"name": self.some_header()}, True), ("RecordIsTombstone", {}, True)))
        if kind < 0.3 and self.table is not None:
            return "TopicNameMatches", {"pattern": f"(?!{self.topics()}$).*"}, True
        return "TopicNameMatches", {"pattern": self.topics()}, False

    def some_header(self):
        """One that the marker's records do not have."""
        return self.rng.choice([h for h in self.headers if not h.startswith("__debezium.context")])

    def topics(self):
        """A pattern of topics, never the marker's."""
        if self.table is None:
            return f"(?!.*{MARKER}).*"
        names = [self.table.name, *map(self.table.partition_name, range(self.table.partitions))]
        return f".*[._-]({'|'.join(map(escaped, names))})(?![A-Za-z0-9]).*"

    # --- columns ---

    def columns(self, families=".*"):
        found = [self.table] if self.table else self.plan.tables
        return [c for t in found for c in t.columns if re.fullmatch(families, c.type.family) and re.fullmatch(r"[\w -]+", c.name)]

    def column(self, families=".*"):
        found = self.columns(families)
        return self.rng.choice(found).name if found else "rid"

    def some(self, families=".*", most=3):
        return list(dict.fromkeys(self.column(families) for _ in range(self.rng.randint(1, most))))

    def key_column(self):
        found = [self.table] if self.table else self.plan.tables
        named = [t.column(u).name for t in found for u in t.primary_key if t.column(u)]
        named = [n for n in named if re.fullmatch(r"[\w -]+", n)]
        return self.rng.choice(named) if named else "rid"

    def keyed(self):
        """Without a key Hoist makes a map, whose order is that of Java's HashMap once more is put into it."""
        return self.table is not None and bool(self.table.primary_key)

    # --- Debezium's ---

    def unwrap(self):
        self.flat = True
        rng, options = self.rng, {}
        if self.chance(0.7):
            options["delete.tombstone.handling.mode"] = rng.choice(("drop", "tombstone", "rewrite", "rewrite-with-tombstone", "delete-to-tombstone"))
        fields = ["op", "table", "lsn", "source.schema", "source.txId", "source.ts_ms", "ts_ms", "transaction.id", "transaction.total_order", "before.rid", "before.id", "op:what", "source.sequence"]
        if self.chance(0.5):
            options["add.fields"] = ",".join(rng.sample(fields, rng.randint(1, 4)))
            if self.chance(0.3):
                options["add.fields.prefix"] = rng.choice(("", "m_"))
        if self.chance(0.4):
            options["add.headers"] = ",".join(rng.sample(fields, rng.randint(1, 4)))
            self.headers += ["__op", "__lsn"]
            if self.chance(0.3):
                options["add.headers.prefix"] = rng.choice(("", "h."))
        if self.chance(0.2):
            options["replace.null.with.default"] = "false"
        if self.table and self.chance(0.25):
            # Clean texts, or what is no text. The topics begin with the round's name, by which they are found and deleted.
            options["route.by.field"] = "place" if any(c.name == "place" for c in self.table.columns) else self.column("integer|boolean|double")
        if self.headers[-1:] == ["unchanged"]:
            options["drop.fields.header.name"] = "unchanged"
            options |= {n: self.rng.choice(("true", "false")) for n in ("drop.fields.from.key", "drop.fields.keep.schema.compatible") if self.chance(0.5)}
        return Link(DEBEZIUM + "ExtractNewRecordState", options)

    def changed_headers(self):
        self.headers += ["changed", "unchanged"]
        options = {"header.changed.name": "changed"} | ({"header.unchanged.name": "unchanged"} if self.chance(0.6) else {})
        return Link(DEBEZIUM + "ExtractChangedRecordState", options)

    def logical_table(self):
        options = {"topic.regex": self.rng.choice((r"(.*[._-])t\d+", r"(.*[._-])([^._-]*)", r"(?<all>.*)\d", r"(.*[._-])orders(\d)")),
                   "topic.replacement": self.rng.choice(("$1logical", "$1all_of_them"))}
        if "<all>" in options["topic.regex"]:
            options["topic.replacement"] = "${all}x"
        if self.chance(0.3):
            options["key.enforce.uniqueness"] = "false"
        elif self.chance(0.5):
            options["key.field.name"] = "__where"
        if self.chance(0.5):
            regex, replacement = self.rng.choice(((r"(.*[._-])(.*)", "$2"), (r"(?<a>.*)[._-](?<b>[^._-]+)", "${b}-${a}"), (r"(.*)\d", "$1"), ("nomatch", "x"), (r"(.*[._-])orders(\d)", "$2-$2")))
            options |= {"key.field.regex": regex, "key.field.replacement": replacement}
        if self.chance(0.2):
            options["schema.name.adjustment.mode"] = "avro"
        made = Link(DEBEZIUM + "ByLogicalTableRouter", options)
        made.predicate = ("TopicNameMatches", {"pattern": TABLES}, False)
        return made

    def header_to_value(self):
        # Those that each record has: Debezium remembers the schema of the first one.
        headers = self.rng.choice((["__debezium.context.taskId"], ["__debezium.context.connectorName", "__debezium.context.taskId"]))
        if self.headers[-1] in ("h1", "h2"):
            headers = [*headers, self.headers[-1]]
        places = ["", "", "", "extra.", "extra.deep."] + ([] if self.flat else ["after.", "source.", "before.", "transaction."])
        fields = [f"{self.rng.choice(places)}from_header{n}" for n in range(len(headers))]
        return Link(DEBEZIUM + "HeaderToValue", {"headers": ",".join(headers), "fields": ",".join(fields), "operation": self.rng.choice(("copy", "move"))})

    def timezone(self):
        options = {"converted.timezone": self.rng.choice(("America/New_York", "Asia/Kolkata", "+05:30", "-08:00", "Europe/Berlin", "UTC"))}
        if self.table and self.chance(0.5):
            named = self.rng.choice((f"source:{self.table.name}", f"source:{self.table.name}:at", f"topic:{{prefix}}.public.{self.table.name}:at", "source:other:at", f"{self.table.name}:at"))
            options[self.rng.choice(("include.list", "exclude.list"))] = named
        return Link(DEBEZIUM + "TimezoneConverter", options)

    def partition(self):
        fields = [f"{'' if self.flat else 'change.'}{self.column('integer|text|smallint|boolean|uuid|bigint')}"] if self.table and self.chance(0.7) else ["source.table", "op"]
        return Link(DEBEZIUM + "partitions.PartitionRouting", {"partition.payload.fields": ",".join(fields), "partition.topic.num": "1",
                                                               **({"partition.hash.function": "murmur"} if self.chance(0.5) else {})})

    def schema_changes(self):
        return Link(DEBEZIUM + "SchemaChangeEventFilter", {"schema.change.event.exclude.list": "DROP"})

    def source_schema(self):
        return Link(DEBEZIUM + "ExtractSchemaToNewRecord")

    def vectors(self):
        return Link(DEBEZIUM + self.rng.choice(("VectorToJsonConverter", "SwapGeometryCoordinates")))

    # Where the jars of scripts are beside the connector's.
    def condition(self):
        if not scripting():
            return self.filter()
        text = Expressions(self.rng, self.table, self.flat).condition()
        options = {"language": "jsr223.groovy", "condition": text} | self._about_nulls()
        return Link(DEBEZIUM + "Filter", options)

    def content_route(self):
        if not scripting():
            return self.route()
        text = Expressions(self.rng, self.table, self.flat).topic()
        made = Link(DEBEZIUM + "ContentBasedRouter", {"language": "jsr223.groovy", "topic.expression": text} | self._about_nulls())
        made.predicate = ("TopicNameMatches", {"pattern": self.topics() if self.table else TABLES}, False)
        return made

    def _about_nulls(self):
        return {"null.handling.mode": self.rng.choice(("keep", "drop", "evaluate"))} if self.chance(0.4) else {}

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
        return Link(CONNECT + "InsertHeader", {"header": name, "value.literal": self.rng.choice(("text", "1", "-2.5", "true", "null", "2024-02-29", "12:13:14.500Z", '"17"', "70000"))})

    def drop_headers(self):
        return Link(CONNECT + "DropHeaders", {"headers": ",".join(dict.fromkeys(self.rng.choice(self.headers) for _ in range(2)))})

    def metadata(self):
        options = {"schema.name": self.rng.choice(("some.Name", "x.Envelope"))} | ({"schema.version": "7"} if self.chance(0.5) else {})
        return Link(CONNECT + "SetSchemaMetadata" + self.target(), options)

    def filter(self):
        made = Link(CONNECT + "Filter")
        made.predicate = self.rng.choice((("RecordIsTombstone", {}, False), ("HasHeaderKey", {"name": self.some_header()}, False),
                                          ("TopicNameMatches", {"pattern": r".*t[0-3]"}, False), ("TopicNameMatches", {"pattern": rf".*({MARKER}|orders\d|t\d|wide\d|tx|transaction|message)"}, True)))
        return made

    def hoist(self):
        target = self.target(0.6) if self.keyed() else "$Value"
        self.whole = self.flat = self.flat or target == "$Value"
        return Link(CONNECT + "HoistField" + target, {"field": "whole"})

    def extract(self):
        if self.chance(0.4):
            return Link(CONNECT + "ExtractField$Key", {"field": self.key_column()})
        if self.flat:
            self.whole = True
            return Link(CONNECT + "ExtractField$Value", self._with_default({"field": self.column()}))
        options = {"field": self.rng.choice(("after", "after", "before", "source", "op", "transaction"))}
        if self.chance(0.4):
            options = {"field": f"{self.rng.choice(('after', 'before'))}.{self.column() if self.chance(0.6) else self.key_column()}", "field.syntax.version": "V2"}
            self.whole = True
        self.flat = True
        return Link(CONNECT + "ExtractField$Value", self._with_default(options))

    def value_to_key(self):
        fields = self.some("integer|text|bigint|uuid|boolean|clean_.*|bytea|numeric|real|point") if self.flat else self.rng.sample(["op", "source", "after"], self.rng.choice((1, 2)))
        return Link(CONNECT + "ValueToKey", self._with_default({"fields": ",".join(fields)}))

    def flatten(self):
        return Link(CONNECT + "Flatten" + self.target(), {"delimiter": self.rng.choice(("_", ".", "__"))})

    def insert_field(self):
        options = {"static.field": "fixed", "static.value": "some text"} if self.chance(0.6) else {}
        if not options or self.chance(0.4):
            options["topic.field"] = "came_from" + self.rng.choice(("", "!", "?"))
        if self.chance(0.2):
            options["timestamp.field"] = "stamp"
        if self.chance(0.2):
            options["partition.field"] = "part"
        return Link(CONNECT + "InsertField" + self.target(), self._with_default(options))

    def mask(self):
        if self.chance(0.25):
            return Link(CONNECT + "MaskField$Key", {"fields": self.key_column()})
        if not self.flat:
            return Link(CONNECT + "MaskField$Value", {"fields": "op" if self.chance(0.7) else "ts_ms"})
        # The same name may be a decimal in another table, which Debezium cannot mask.
        options = {"fields": ",".join(self.some(MASKABLE)) if self.table else "rid"}
        if self.chance(0.4):
            options["replacement"] = self.rng.choice(("0", "7", "text", "2.5"))
        return Link(CONNECT + "MaskField$Value", self._with_default(options))

    def replace_field(self):
        if self.chance(0.25):
            name = self.key_column()
            options = self.rng.choice(({"renames": f"{name}:renamed"}, {"include": name}, {"exclude": name}, {"include": "nosuch"}))
            return Link(CONNECT + "ReplaceField$Key", self._with_default(options))
        columns = self.some() if self.flat else self.rng.sample(["before", "transaction", "ts_us", "ts_ns", "op"], 2)
        kind = self.rng.choice(("exclude", "include", "renames", "both"))
        # Names that no field has: where the renamed one is not there, Connect's class fails, and walduct has nothing to rename.
        self.renamed += len(columns)
        renames = ",".join(f"{c}:new_{self.number}_{n}" for n, c in enumerate(columns, self.renamed))
        options = {"exclude": columns[0], "renames": renames} if kind == "both" else {kind: renames if kind == "renames" else ",".join(columns)}
        return Link(CONNECT + "ReplaceField$Value", self._with_default(options))

    def cast(self):
        if self.chance(0.25):
            return Link(CONNECT + "Cast$Key", {"spec": f"{self.key_column()}:{self.rng.choice(KINDS)}"})
        if not self.flat:  # of a moment, which is masked
            return Link(CONNECT + "Cast$Value", self._with_default({"spec": ",".join(f"{n}:{self.rng.choice(('string', 'int64'))}" for n in ["ts_ms", "op"])}))
        names = self.some(CASTABLE)
        return Link(CONNECT + "Cast$Value", self._with_default({"spec": ",".join(f"{n}:{self.rng.choice(KINDS)}" for n in names)}))

    def cast_whole(self):
        return Link(CONNECT + "Cast" + self.target(), self._with_default({"spec": self.rng.choice(KINDS)}))

    def timestamp(self, whole=False):
        target = self.rng.choice(("string", "unix", "Date", "Time", "Timestamp"))
        options = {"target.type": target, "unix.precision": self.rng.choice(PRECISIONS)}
        if not whole:
            options["field"] = self.column("clean_date|clean_timestamp|clean_zoned|clean_time|timestamptz|bigint|text")
        if target == "string" or self.chance(0.5):
            options["format"] = self.rng.choice(FORMATS)
        key = whole and self.chance(0.3)
        return Link(CONNECT + "TimestampConverter" + ("$Key" if key else "$Value"), self._with_default(options))

    def timestamp_whole(self):
        return self.timestamp(whole=True)

    def timestamp_route(self):
        made = Link(CONNECT + "TimestampRouter", {"topic.format": "${topic}-${timestamp}", "timestamp.format": self.rng.choice(("yyyy", "yyyyMM"))})
        made.predicate = ("TopicNameMatches", {"pattern": TABLES}, False)
        return made

    def header_from(self):
        key = self.chance(0.4)
        fields = [self.key_column()] if key else self.some(most=2) if self.flat else self.rng.sample(["op", "source", "after"], 1)
        headers = [f"from_{n}" for n in range(len(fields))]
        self.headers += headers
        return Link(CONNECT + "HeaderFrom" + ("$Key" if key else "$Value"), self._with_default({"fields": ",".join(fields), "headers": ",".join(headers), "operation": self.rng.choice(("copy", "move"))}))

    def _with_default(self, options):
        return options | ({"replace.null.with.default": "false"} if self.chance(0.2) else {})


class Orders(Everywhere):
    FIRST = ["unwrap"] * 5 + ["changed_headers", "condition", "content_route", "source_schema", "timezone", "partition"]

    def choose(self):
        return tables.add_orders(self.rng, self.plan, self.number)


class Another(Everywhere):
    """One of the random tables."""
    FIRST = ["unwrap"] * 3 + ["changed_headers"]

    def choose(self):
        return self.rng.choice(self.plan.tables)


class Wide(Everywhere):
    def choose(self):
        return tables.add_wide(self.rng, self.plan, self.number)

    def names(self):
        return ["size"] if not self.flat else super().names()

    def size(self):
        self.flat = True
        limit = self.rng.choice((1, 2500, 3000, 3500, 5000, 9000))
        return Link(DEBEZIUM + "EnforceRecordSize", {"max.bytes": str(limit), "min.field.size": self.rng.choice(("0", "50", "300")), "compression.ratio": self.rng.choice(("1.0", "1.0", "0.5", "1.3"))})


class Messages(Everywhere):
    """Rows of JSON in logical messages."""

    def choose(self):
        tables.add_messages(self.rng, self.plan)

    def chain(self):
        options = {"fields.null.include": "true"} if self.chance(0.4) else {}
        made = [Link("io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent", options)]
        second = self.rng.choice(("router", "unwrap", "flatten", "header_to_value", "insert_field"))
        made.append(Link(DEBEZIUM + "outbox.EventRouter", {"route.topic.replacement": "{prefix}.ev.message"}) if second == "router" else getattr(self, second)())
        for link in made:
            link.predicate = ("TopicNameMatches", {"pattern": r".*[._-]message"}, False)
        return made


class Outbox(Everywhere):
    def choose(self):
        return tables.add_outbox(self.rng, self.plan, self.number)

    def chain(self):
        self.flat = True
        made = [self.router()]
        while len(made) < self.rng.choice((2, 3)):
            made.append(getattr(self, self.rng.choice(("insert_header", "drop_headers", "header_from", "metadata", "hoist", "route", "cast", "timestamp_route")))())
        for link in made:
            link.predicate = ("TopicNameMatches", {"pattern": rf".*({self.table.name}|\.ev{self.number}\.).*"}, False)
        return made

    def router(self):
        rng = self.rng
        options = {"route.topic.replacement": f"{{prefix}}.ev{self.number}.${{routedByValue}}"}
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


PARTS = [Orders] * 5 + [Another] * 3 + [Wide, Messages, Outbox, Outbox]
HARMLESS = ("insert_header", "drop_headers", "metadata", "vectors", "schema_changes")
ENVELOPE = ["unwrap"] * 5 + ["changed_headers", "logical_table", "logical_table", "header_to_value", "header_to_value", "timezone", "partition", "schema_changes", "source_schema", "vectors",
                             "condition", "condition", "content_route", "route", "insert_header", "drop_headers", "metadata", "filter", "hoist", "extract", "extract", "value_to_key",
                             "flatten", "insert_field", "mask", "replace_field", "cast", "header_from", "timestamp_route"]
FLAT = ["logical_table", "header_to_value", "timezone", "condition", "content_route", "route", "insert_header", "drop_headers", "metadata", "filter", "hoist", "extract", "extract",
        "value_to_key", "value_to_key", "flatten", "insert_field", "mask", "mask", "replace_field", "replace_field", "cast", "cast", "timestamp", "timestamp", "header_from", "partition", "vectors"]
# Of what is no row.
WHOLE = ["cast_whole"] * 4 + ["timestamp_whole"] * 4 + ["hoist", "header_to_value", "insert_field", "flatten", "value_to_key", "condition", "timezone", "logical_table", "insert_header", "metadata", "route"]
