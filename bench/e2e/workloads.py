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
    share: float = 1.0  # of --rows: rows that are larger are fewer
    transaction: int | None = None  # rows of one, whatever is asked for

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
             "insert into narrow select g, mod(g, 100000), 'note ' || g from generate_series({first}, {last}) g"),
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
)}
