"""Random configurations of the values and records. What the binary refuses is left out."""
import json
import subprocess

from differential.limits import fits, inline
from support.paths import BINARY

JSON, STRING = "org.apache.kafka.connect.json.JsonConverter", "org.apache.kafka.connect.storage.StringConverter"

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
    "key.converter.schemas.enable": ["true"],
    "value.converter.schemas.enable": ["true"],
    "key.converter.decimal.format": ["NUMERIC"],
    "value.converter.decimal.format": ["NUMERIC"],
    "key.converter.replace.null.with.default": ["false"],
    "value.converter.replace.null.with.default": ["false"],
    "key.converter": [STRING],
    "value.converter": [STRING],
}
RARE = {"key.converter": 0.04, "value.converter": 0.04, "skipped.operations": 0.1, "message.prefix.include.list": 0.05,
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
    ruled = set()  # a column has one rule at most: of several, Debezium would follow the first alone
    for name in COLUMNS:
        patterns = column_patterns(rng, plan, rng.choice((1, 3, 8)))
        if name == "column.include.list":
            patterns += key_patterns(plan) + [r".*\.c\d"]
        elif name != "column.exclude.list":
            patterns = [p for p in dict.fromkeys(patterns) if p not in ruled]
        if rng.random() < 0.1 and patterns:
            chosen[name] = ",".join(patterns)
            ruled.update(patterns)
    keyed, named = rng.choice(plan.tables), rng.random() < 0.15
    columns = [c for c in keyed.columns if inline(c) and fits(c, key=True)]
    if named:
        names = [escaped(c.name) for c in rng.sample(columns, min(2, len(columns)))]
        chosen["message.key.columns"] = f"{escaped(keyed.schema)}\\.{escaped(keyed.name)}:{','.join(names)}"
    return consistent(chosen)


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
            self.answers[name, value] = self._ask({**base(), name: value})
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

