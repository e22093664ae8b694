"""Tables that transforms have more to do with than with the random ones: their values are of the kind that is routed, compared,
cast and cut."""
import random
from dataclasses import dataclass

from differential import column_types as types
from differential.plan import Column, Delete, Insert, Message, Published, Table, Transaction, Update

# Arrays with elements: "an array at the top", which Debezium cannot expand.
JSON = ['{"a": 1, "b": "x"}', '{"b": "y", "c": [1, 2], "d": {"e": null}}', "{}", "[]", '"text"', "17", '{"a": 1.5e3, "long": "' + "z" * 200 + '"}',
        '{"n": null, "t": true, "q": "\\"\\\\"}']
EVENTS = ['{"id": "e1", "aggregateid": "10", "aggregatetype": "Order", "type": "T", "payload": {"a": 1}, "v": 1.5, "none": null}',
          '{"id": 7, "aggregateid": 8, "aggregatetype": "Order", "payload": "text"}', "{}", "[]", "plain", '{"a": {"b": [1, 2]}, "c": true}']


def _uuid(rng):
    return "%08x-0000-4000-8000-%012x" % (rng.randrange(1 << 32), rng.randrange(1 << 48))


def _column(uid, name, sql, family, *values, default=None, not_null=False):
    return Column(uid, name, types.ColumnType(sql, family, types.choice_of(*values)), not_null=not_null, default=default)


# Names, types, families and values of the columns of an orders table. Families of their own where others have known differences.
ORDERS = [
    ("place", "text", "text", ("{name}.pa", "{name}.p-B", "{name}_p", "")),
    ("kind", "text", "text", ("ka", "kb", "k.c", "K-D", "")),
    ("note", "varchar(20)", "text", ("x", "none", "Some Text", "42", "7", "true", "2024-02-29", "ü")),
    ("qty", "int", "integer", ("0", "1", "-1", "42", "70000", "2147483647")),
    ("small", "smallint", "smallint", ("0", "1", "-1", "300", "32767")),
    ("big", "bigint", "bigint", ("0", "1", "1718000000000", "9223372036854775807", "-5")),
    ("amount", "numeric(8,2)", "numeric", ("0.00", "1.50", "-12.30", "99.99", "100000.00")),
    ("price", "float8", "double", ("0", "-0", "1.5", "1e10", "0.1", "-2.5")),
    ("ratio", "float4", "real", ("0", "0.5", "0.1", "1e8", "-3")),
    ("flag", "boolean", "boolean", ("t", "f")),
    ("uid", "uuid", "uuid", ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-00000000abcd")),
    ("at", "timestamptz", "clean_zoned", ("2024-01-02 03:04:05.678901+00", "2021-06-30 23:59:59+00", "1999-12-31 00:00:00.5+00")),
    ("ts", "timestamp", "clean_timestamp", ("2024-01-02 03:04:05.678901", "1969-12-31 23:59:59.999", "2019-12-31 00:00:00")),
    ("ts3", "timestamp(3)", "clean_timestamp", ("2024-01-02 03:04:05.678", "2019-12-31 00:00:00")),
    ("day", "date", "clean_date", ("2024-02-29", "1970-01-01", "1999-12-31", "1931-05-05")),
    ("clock", "time", "clean_time", ("00:00:00", "12:13:14.567891", "23:59:59.999999")),
    ("tags", "text[]", "clean_array", ("{}", "{a,b}", "{NULL,x}")),
    ("doc", "jsonb", "json", ('{"a": 1}', "[]", '"x"')),
    ("raw", "bytea", "bytea", ("\\x", "\\x00ff10", "\\x616263")),
    ("flags", "bit(3)", "bits", ("101", "000")),
    ("spot", "point", "point", ("(1,2)", "(0,-0.5)")),
    ("span", "interval", "clean_interval", ("1 day", "2 mons 03:04:05.5")),
]
DEFAULTS = {"note": "'none'", "qty": "7", "flag": "true", "amount": "1.50", "kind": "'ka'", "big": "1718000000000"}


def orders_table(rng, uid, number):
    columns = [Column(uid, "id", types.INTEGER(rng), not_null=True)]
    for n, (name, sql, family, values) in enumerate(ORDERS):
        default = DEFAULTS.get(name) if rng.random() < 0.4 else None
        if rng.random() < 0.75:
            columns.append(_column(uid + n + 1, name, sql, family, *values, default=default, not_null=rng.random() < 0.25))
    key = [uid] if rng.random() < 0.85 else []
    identity = rng.choice(("full", "full", "default")) if key else "full"
    return Table(uid, "public", f"orders{number}", columns, primary_key=key, identity=identity)


def wide_table(rng, uid, number):
    """Text of all lengths, and nothing that Debezium's EnforceRecordSize stops at."""
    columns = [Column(uid, "id", types.INTEGER(rng), not_null=True)]
    for n in range(rng.randint(1, 5)):
        texts = [c * k for c in ("a", "é", "€", "0") for k in (0, 3, 60, 400, 3000)]
        columns.append(_column(uid + n + 1, f"w{n}", rng.choice(("text", "text", "varchar(4000)")), "text", *texts))
    columns.append(_column(uid + 10, "n", "int", "integer", "1", "2"))
    return Table(uid, "public", f"wide{number}", columns, primary_key=[uid], identity=rng.choice(("full", "default")))


def outbox_table(rng, uid, number):
    """In the shape that the EventRouter expects."""
    columns = [
        Column(uid, "id", types.ColumnType("uuid", "uuid", _uuid), not_null=True),
        _column(uid + 1, "aggregatetype", "text", "text", "order", "customer", "a.b", not_null=rng.random() < 0.7),
        _column(uid + 2, "aggregateid", "text", "text", "1", "agg-7", "x", "ü", not_null=rng.random() < 0.7),
        _column(uid + 3, "type", "varchar(40)", "text", "Created", "Changed", "", not_null=rng.random() < 0.7),
        _column(uid + 4, "payload", rng.choice(("jsonb", "json", "text")), "json", *JSON),
        _column(uid + 5, "at", "timestamp", "outbox_at", "2024-01-02 03:04:05.678901", "2019-12-31 00:00:00"),
        _column(uid + 6, "version", "int", "integer", "1", "2", "3"),
    ]
    return Table(uid, "public", f"outbox{number}" if number else "outbox", columns, primary_key=[uid])


def _row(rng, table):
    return {c.uid: None if not c.not_null and rng.random() < 0.15 else c.type.value(rng) for c in table.columns if c.default is None or rng.random() < 0.7}


def _add(plan, table):
    plan.tables.append(table)
    if plan.published:
        plan.published.append(Published(table.uid))
    return table


def _among(rng, plan, made, first=0):
    """Transactions put among those of the plan, in their order."""
    places = sorted(rng.randrange(min(first, len(plan.transactions)), len(plan.transactions) + 1) for _ in made)
    for place, operations in reversed(list(zip(places, made))):
        plan.transactions.insert(place, Transaction(operations))


def _changes(rng, table, count):
    """Rows with numbers in their first column, changed and deleted again."""
    made, last = [], 0
    for _ in range(count):
        kind = rng.random()
        if kind < 0.5 or not last:
            rows = []
            for _ in range(rng.choice((1, 1, 2))):
                last += 1
                rows.append({**_row(rng, table), table.columns[0].uid: str(last)})
            made.append([Insert(table.uid, rows)])
        elif kind < 0.85:
            some = rng.sample(table.columns[1:], rng.randint(1, min(3, len(table.columns) - 1)))
            values = {c.uid: None if not c.not_null and rng.random() < 0.2 else c.type.value(rng) for c in some}
            made.append([Update(table.uid, rng.randint(1, last), values)])
        else:
            made.append([Delete(table.uid, rng.randint(1, last))])
    return made


def add_orders(rng, plan, number):
    table = _add(plan, orders_table(rng, 900_000 + 1000 * number, number))
    _among(rng, plan, _changes(rng, table, 35))
    return table


def add_wide(rng, plan, number):
    table = _add(plan, wide_table(rng, 900_000 + 1000 * number, number))
    # Before the first commit that it has seen Debezium's offset, which it counts in, has less in it.
    _among(rng, plan, _changes(rng, table, 20), first=15)
    return table


@dataclass
class Everything:
    statement: str
    table: int

    def sql(self, world):
        if world.get(self.table):
            yield self.statement.format(world.get(self.table).sql)


def add_outbox(rng, plan, number):
    table = _add(plan, outbox_table(rng, 900_000 + 1000 * number, number))
    made = []
    for _ in range(20):
        made.append([Insert(table.uid, [_row(rng, table) for _ in range(rng.choice((1, 1, 3)))])])
        if rng.random() < 0.2:
            made[-1].append(rng.choice((Everything("delete from {}", table.uid), Everything("update {} set version = 2", table.uid))))
    _among(rng, plan, made)
    return table


def add_messages(rng, plan):
    _among(rng, plan, [[Message(rng.random() < 0.6, rng.choice(("keep", "odd prefix é")), rng.choice(EVENTS))] for _ in range(12)])


def random_of(seed):
    return random.Random(f"chain {seed}")
