"""Random configurations of the values and records. What the binary refuses is left out."""
import json
import re
import subprocess

from differential.limits import STRING, fits, inline
from differential.plan import ident
from support.paths import BINARY

EVENTS = "io.debezium.converters.CloudEventsConverter"
JSON = "org.apache.kafka.connect.json.JsonConverter"

OVERRIDES = "snapshot.select.statement.overrides"
EVERY_COLUMN = "{columns}"  # in a statement there: all that the table has when the connectors start

# Property → values, each different from the default.
SIMPLE = {
    "decimal.handling.mode": ["string", "double"],
    "time.precision.mode": ["adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"],
    "binary.handling.mode": ["base64", "base64-url-safe", "hex"],
    "interval.handling.mode": ["string"],
    "hstore.handling.mode": ["map"],
    "money.fraction.digits": ["0", "1", "3"],
    "include.unknown.datatypes": ["true"],
    "unavailable.value.placeholder": ["<unchanged>", "hex:00ff"],
    "tombstones.on.delete": ["false"],
    "skipped.operations": ["none", "u,t", "d"],
    "skip.messages.without.change": ["true"],
    "schema.name.adjustment.mode": ["avro", "avro_unicode"],
    "field.name.adjustment.mode": ["avro", "avro_unicode"],
    "topic.delimiter": ["_", "-"],
    "provide.transaction.metadata": ["true"],
    "topic.transaction": ["tx"],
    "extended.headers.enabled": ["false"],
    "message.prefix.include.list": ["keep.*"],
    "message.prefix.exclude.list": ["drop|odd.*"],
    "datatype.propagate.source.type": [r".*\.int4,.*\.text,.*\.numeric", r".*\.TIMESTAMP.*"],
    "schema.refresh.mode": ["columns_diff_exclude_unchanged_toast"],
    "snapshot.mode": ["no_data", "always", "when_needed"],
    "topic.prefix": ["{}.a-b", "{}_X", "{}-1.y_z"],
    "replica.identity.autoset.values": [r"public\.t\d:FULL", r"s2\..*:FULL"],
    "header.converter": [STRING, JSON],
    "event.converting.failure.handling.mode": ["skip"],
    "key.converter.schemas.enable": ["true"],
    "value.converter.schemas.enable": ["true"],
    "key.converter.decimal.format": ["NUMERIC"],
    "value.converter.decimal.format": ["NUMERIC"],
    "key.converter.replace.null.with.default": ["false"],
    "value.converter.replace.null.with.default": ["false"],
    "key.converter": [STRING],
    "value.converter": [STRING, EVENTS],
    "value.converter.json.schemas.enable": ["false"],
}
OFTEN = {"key.converter.schemas.enable": 0.4, "value.converter.schemas.enable": 0.5}
RARE = {**OFTEN, "snapshot.mode": 0.15, "topic.prefix": 0.1, "replica.identity.autoset.values": 0.08, "header.converter": 0.1, "event.converting.failure.handling.mode": 0.1,
        "key.converter": 0.04, "value.converter": 0.08, "skipped.operations": 0.1, "message.prefix.include.list": 0.05,
        "message.prefix.exclude.list": 0.05, "topic.delimiter": 0.05, "money.fraction.digits": 0.08}

# Properties whose values are patterns of columns.
COLUMNS = [
    "column.exclude.list", "column.include.list", "column.mask.with.5.chars", "column.mask.with.0.chars", "column.truncate.to.2.chars",
    "column.truncate.to.20.chars", "column.mask.hash.SHA-256.with.salt.CzQMA0cB5K", "column.mask.hash.v2.SHA-256.with.salt.CzQMA0cB5K",
    "column.propagate.source.type",
]


def base():
    made = {f"{part}.converter": JSON for part in ("key", "value")}
    return {**made, **{f"{part}.converter.schemas.enable": "false" for part in ("key", "value")}}


def escaped(name):
    """A name as a regular expression of Java and PCRE: any character where it is an odd one."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "." for c in name)


def pattern(table, column):
    names = [table.name, *map(table.partition_name, range(table.partitions))]
    return ",".join(r"\.".join(map(escaped, (table.schema, name, column.name))) for name in names)


def column_patterns(rng, plan, count):
    """Of columns outside of keys."""
    tables = [rng.choice(plan.tables) for _ in range(count)]
    free = [(t, [c for c in t.columns[1:] if not t.bound(c)]) for t in tables]
    return [pattern(t, rng.choice(columns)) for t, columns in free if columns]


def key_patterns(plan):
    return [pattern(t, c) for t in plan.tables for c in t.columns if t.bound(c)] + [r".*\.(rid|id|r\d+)"]


def random_options(rng, plan):
    """Properties beyond the defaults of play.py."""
    chosen = base()
    for name, values in SIMPLE.items():
        value = rng.choice(values)
        if rng.random() < RARE.get(name, 0.2):
            chosen[name] = value
    chosen.update(column_options(rng, plan))
    chosen.update(table_options(rng, plan))
    if rng.random() < 0.15:
        chosen["message.key.columns"] = ";".join(key_columns(rng, table) for table in rng.sample(plan.tables, rng.choice((1, 1, 3))))
    return consistent(chosen)


def key_columns(rng, table):
    columns = [c for c in table.columns if inline(c) and fits(c, key=True) and escaped(c.name).strip(".")]  # .. is a column added later, too
    names = [escaped(c.name) for c in rng.sample(columns, min(2, len(columns)))]
    return f"{escaped(table.schema)}\\.{escaped(table.name)}:{','.join(names)}"


def column_options(rng, plan):
    chosen, ruled = {}, set()  # a mask and another rule: Debezium may follow the other alone
    for name in COLUMNS:
        patterns = column_patterns(rng, plan, rng.choice((1, 3, 8)))
        if name == "column.include.list":
            patterns += key_patterns(plan) + [r".*\.c\d"]
        elif name == "column.exclude.list":  # with a key column left out Debezium's snapshot has wrong keys, or dies
            patterns = [p for p in patterns if not any(re.fullmatch(p, f"{t.schema}.{t.name}.{c.name}", re.I)
                                                       for t in plan.all_tables() for c in t.columns if t.bound(c))]
        else:
            patterns = [p for p in dict.fromkeys(patterns) if p not in ruled]
        if rng.random() < 0.1 and patterns:
            chosen[name] = ",".join(patterns)
            ruled.update(patterns)
    return chosen


def table_options(rng, plan):
    """Which tables, and which of their rows are there before."""
    chosen, names = {}, [f"{escaped(t.schema)}\\.{escaped(t.name)}" for t in plan.tables]
    some = rng.sample(names, rng.randint(1, len(names)))
    kind = rng.random()
    if kind < 0.08:
        chosen["table.include.list"] = ",".join([*some, r"public\.zz_marker", r".*\.part.*"])
    elif kind < 0.16:
        chosen["table.exclude.list"] = ",".join(some[:3])
    elif kind < 0.2:
        chosen["schema.exclude.list"] = "s2"
    elif kind < 0.3:
        chosen["snapshot.include.collection.list"] = ",".join(some)
    plain = [t for t in plan.tables if t.schema == "public" and t.name.startswith("t") and not t.partitions]
    if plain and rng.random() < 0.15:
        table = rng.choice(plain)
        what = rng.choice(("*", "*", EVERY_COLUMN))
        chosen[OVERRIDES] = f"public.{table.name}"
        chosen[f"{OVERRIDES}.public.{table.name}"] = f"SELECT {what} FROM public.{table.name} WHERE rid > 1"
    return chosen


def selecting(options, plan):
    """The options, whose statements name the columns that their tables have at the start: without one of them Debezium fails."""
    world = plan.setup()[1]
    tables = [t for t in (world.get(t.uid) for t in plan.tables) if t]
    columns = {f"{OVERRIDES}.{t.schema}.{t.name}": ", ".join(ident(c.name) for c in t.columns) for t in tables}
    return {k: v.replace(EVERY_COLUMN, columns.get(k, "*")) if k.startswith(OVERRIDES) else v for k, v in options.items()}


def consistent(chosen):
    """Without what either connector refuses or cannot do together."""
    for one, other in (("message.prefix.include.list", "message.prefix.exclude.list"), ("column.include.list", "column.exclude.list")):
        if one in chosen:
            chosen.pop(other, None)
    if any(name.startswith(("column.mask", "column.truncate", "column.propagate")) for name in chosen):
        chosen.pop("datatype.propagate.source.type", None)
    if STRING in chosen.values() and chosen.get("time.precision.mode") == "connect":  # Java's Date there, in the machine's time zone
        del chosen["time.precision.mode"]
    if "message.key.columns" in chosen:  # with a key column left out Debezium reads the wrong columns in its snapshot
        for name in ("column.include.list", "column.exclude.list"):
            chosen.pop(name, None)
    return chosen


class Accepted:
    """Asks the binary, once for each property and value, whether it takes it."""

    def __init__(self, directory):
        self.file, self.answers = directory / "asked.json", {}

    def takes(self, name, value):
        if (name, value) not in self.answers:
            with_it = {OVERRIDES: "public.t0", f"{OVERRIDES}.public.t0": "SELECT 1"} if "overrides" in name else {}
            self.answers[name, value] = self._ask({**base(), **with_it, name: value.replace("{}", "p")})
        return self.answers[name, value]

    def _ask(self, options):
        config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "database.hostname": "h", "database.user": "u",
                  "database.dbname": "d", "topic.prefix": "p", "sink": "file", "sink.file.path": "/tmp/none", **options}
        self.file.write_text(json.dumps({"name": "asked", "config": config}))
        done = subprocess.run([BINARY, "validate", "-f", self.file], capture_output=True, text=True)
        said = done.stdout + done.stderr
        return done.returncode == 0 and "no effect yet" not in said and "not supported yet" not in said

    def only(self, options):
        """(those it takes, names of the others)"""
        taken = {k: v for k, v in options.items() if self.takes(k, v)}
        return taken, sorted(set(options) - set(taken))

