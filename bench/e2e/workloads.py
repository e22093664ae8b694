"""What is drained: a table, what happens before the slots are made, and the rows that are counted."""
import dataclasses
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests"))

from support import backlog  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    table: str  # its DDL
    rows: str  # a statement that writes the rows {first} to {last}; two SQL expressions
    before: str = ""  # a statement, before the slots are made: {rows}
    share: float = 1.0  # of --rows: rows that are larger are fewer, small ones more
    transaction: int | None = None  # rows of one, whatever is asked for
    registry: str = ""  # the class of a converter that keeps schemas in one: Debezium is not measured beside it
    config: dict = dataclasses.field(default_factory=dict)  # more properties; {prefix} is the topic prefix
    topic_name: str = "{prefix}.public.{table}"

    def topic(self, prefix):
        return self.topic_name.format(prefix=prefix, table=self.table_name)

    def properties(self, prefix, registry):
        """What a connector is given beside what all are."""
        more = {name: text.format(prefix=prefix) for name, text in self.config.items()}
        for side in ("key", "value") if self.registry else ():
            more |= {f"{side}.converter": self.registry, f"{side}.converter.schema.registry.url": registry}
        return more

    @property
    def table_name(self):
        return self.table.split()[2]

    def count(self, rows):
        return max(1, round(rows * self.share))

    def prepare(self, database, rows):
        database.execute(self.table)
        if self.before:
            database.execute(self.before.format(rows=self.count(rows)))

    def fill(self, database, rows, transaction):
        """Where the WAL ends then."""
        return backlog.fill(database, self.count(rows), self.transaction or transaction, self.rows)

    def one_more(self, database):
        """A message behind the end: pg_recvlogical ends at the first one there."""
        first = self.count(10**9) + 1
        database.execute(self.rows.format(first=first, last=first) if not self.before else self.rows.format(first=1, last=1))


WIDE_COLUMNS = [f"n{i} int not null, t{i} text" for i in range(24)]
WIDE_VALUES = [f"g + {i}, 'text of column {i} ' || g" for i in range(24)]

WORKLOADS = {w.name: w for w in (
    Workload("typical", backlog.TABLE, backlog.ROWS),
    Workload("narrow", "create table narrow (id bigint primary key, account int not null, note text)",
             "insert into narrow select g, mod(g, 100000), 'note ' || g from generate_series({first}, {last}) g", share=2),
    Workload("wide", f"create table wide (id bigint primary key, made timestamptz not null, {', '.join(WIDE_COLUMNS)})",
             f"insert into wide select g, timestamptz '2024-01-01 00:00+00' + g * interval '1 second', {', '.join(WIDE_VALUES)} "
             "from generate_series({first}, {last}) g", share=0.2),
    Workload("big", "create table big (id bigint primary key, body text not null)",
             "insert into big select g, (select string_agg(md5(g::text || i), '') from generate_series(1, 320) i) "
             "from generate_series({first}, {last}) g", share=0.05),
    Workload("update", backlog.TABLE + "; alter table typical replica identity full",
             "update typical set account = account + 1, note = 'changed ' || note where id between {first} and {last}",
             before=backlog.ROWS.format(first="1", last="{rows}")),
    Workload("single", backlog.TABLE, backlog.ROWS, transaction=1),
    Workload("huge", backlog.TABLE, backlog.ROWS, share=2, transaction=10**9),
    Workload("outbox", "create table outbox (id uuid primary key, aggregatetype text not null, aggregateid text not null, "
             "type text not null, payload jsonb not null)",
             "insert into outbox select md5(g::text)::uuid, 'order', mod(g, 10000), 'changed', jsonb_build_object('id', g, "
             "'items', array[1, 2, 3], 'note', repeat('lorem ipsum ', 8)) from generate_series({first}::bigint, {last}::bigint) g",
             config={"transforms": "o", "transforms.o.type": "io.debezium.transforms.outbox.EventRouter",
                     "transforms.o.route.topic.replacement": "{prefix}.events"}, topic_name="{prefix}.events"),
    Workload("avro", backlog.TABLE, backlog.ROWS, registry="io.confluent.connect.avro.AvroConverter"),
)}
