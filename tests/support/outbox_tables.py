"""Plays an outbox table: it is made by its SQL, polled, and what came of each row is compared with what was wanted."""
from dataclasses import dataclass, field

from support.polling import STRING, polled
from support.wait import wait_until

BYTES = {"binary.handling.mode": "bytes", "value.converter": "org.apache.kafka.connect.converters.ByteArrayConverter"}


@dataclass
class Table:
    """One table and what is wanted of a connector with these options.

    published: ids of rows as text, in order. All others stay exactly as they are.
    marked: SQL that holds for each published row, of which only the columns `changed` are others; None: such rows are gone.
    refused: instead, what the log says: a reason, and words of its hint.
    id, key, route, payload: columns for the router; None: it finds them.
    row: what `published` names the rows by; None: the column id. prepare: SQL behind that of the table."""
    name: str
    published: list = field(default_factory=list)
    marked: str | None = None
    changed: tuple = ()
    refused: tuple = ()
    options: dict = field(default_factory=dict)
    id: str | None = None
    key: str | None = None
    route: str | None = None
    payload: str | None = None
    row: str | None = None
    topic: str = "t.$" + "{routedByValue}"
    prepare: str | None = None
    # Columns whose text the events have to have.
    keys: str | None = None
    values: str | None = None


def config_of(table, db):
    config = polled(db, **{"walduct.outbox.tables": table.name.replace(".", r"\."), "walduct.outbox.poll.interval.ms": "100",
                           "transforms.outbox.table.fields.additional.placement": None, "transforms.outbox.route.topic.replacement": table.topic})
    for option, column in (("table.field.event.id", table.id), ("table.field.event.key", table.key), ("route.by.field", table.route),
                           ("table.field.event.payload", table.payload)):
        config[f"transforms.outbox.{option}"] = column
    return {**config, "key.converter": STRING, **table.options}


def quoted(column):
    return '"' + column + '"'


def rows_of(db, table):
    """{id: {column: text}}; bytea as bytes."""
    schema, _, name = table.name.partition(".")
    columns = db.execute("select a.attname, format_type(a.atttypid, null) from pg_attribute a where attrelid = %s::regclass and attnum > 0"
                         " and not attisdropped order by attnum", f"{quoted(schema)}.{quoted(name)}")
    selected = ", ".join(quoted(column) if kind == "bytea" else f"{quoted(column)}::text" for column, kind in columns)
    names = [column for column, _ in columns]
    found = {}
    for values in db.execute(f"select {selected} from {quoted(schema)}.{quoted(name)}"):
        row = dict(zip(names, values))
        found[row[table.row or table.id or "id"]] = row
    return found


def as_bytes(value):
    return value.encode() if isinstance(value, str) else None if value is None else bytes(value)


def wait_looked_again(db, times=3):
    """The connector has made so many more statements, of which one at least is a claim that came after this call."""
    asked = "select max(query_start) from pg_stat_activity where application_name like '%% poll' and state = 'idle' and query_start > %s"
    seen = db.value("select clock_timestamp()")
    for _ in range(times):
        wait_until(lambda seen=seen: db.value(asked, seen), 20, "another look at the table")
        seen = db.value(asked, seen) or seen


def play(table, db, connectors, name="player"):
    """None, or AssertionError with what differs."""
    before = rows_of(db, table)
    connector = connectors(db, config_of(table, db), superuser=True, sink="file", name=name)
    if table.refused:
        assert connector.run_to_end() == 3, connector.log_text()[-2000:]
        reason, *words = table.refused
        said = [line for line in connector.log_text().splitlines() if f"reason={reason}" in line]
        assert said, f"{table.name}: not refused by {reason}:\n{connector.log_text()[-2000:]}"
        for word in words:
            assert any(word in line for line in said), f"{table.name}: the refusal does not say {word!r}: {said}"
        assert rows_of(db, table) == before, f"{table.name} was refused, and touched"
        return connector
    connector.start().wait_streaming()
    if table.published:
        connector.wait_events(len(table.published))
    wait_looked_again(db)
    connector.stop()
    compare(table, before, rows_of(db, table), connector.events(), db)
    return connector


def compare(table, before, after, events, db):
    column = table.id or "id"
    ids = {row.get(column, one): one for one, row in before.items()}
    got = [dict((name, value) for name, value in event.headers)["id"] for event in events]
    got = [ids.get(str(one, "utf-8") if isinstance(one, bytes) else str(one), one) for one in got]
    assert got == table.published, f"{table.name}: published {got}, wanted {table.published}"
    for event, one in zip(events, got):
        for what, value, wanted in (("key", event.key, table.keys), ("value", event.value, table.values)):
            assert wanted is None or value == as_bytes(before[one][wanted]), f"{table.name} {one}: its {what} is {value}, not {before[one][wanted]}"
    for one, row in before.items():
        if one not in table.published:
            assert after.get(one) == row, f"{table.name} {one} should be left alone; was {row}, is {after.get(one)}"
        elif table.marked is None:
            assert one not in after, f"{table.name} {one} should be gone"
        else:
            differ = {name for name in row if row[name] != after[one][name]}
            assert differ == set(table.changed), f"{table.name} {one}: changed are {differ}, wanted {table.changed}"
    if table.marked is not None and table.published:
        schema, _, name = table.name.partition(".")
        row_column = quoted(table.row or column)
        left = db.execute(f"select {row_column}::text from {quoted(schema)}.{quoted(name)} where {row_column}::text = any(%s) and ({table.marked}) is not true",
                          table.published)
        assert not left, f"{table.name}: not marked by {table.marked}: {left}"
