"""Twenty tables of all types, what is done to them, and what a connector's records of it amount to."""
import contextlib
import hashlib
import itertools
import json
import os
import random
import re
from datetime import datetime

import psycopg

from differential import column_types
from support.kafka import TopicReader

TABLES = 20
# The outbox' rows are events; the others' records pass.
OUTBOX = {"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter", "transforms.outbox.predicate": "rows",
          "transforms.outbox.route.topic.replacement": "{db}.event.${routedByValue}", "predicates": "rows",
          "predicates.rows.type": "org.apache.kafka.connect.transforms.predicates.TopicNameMatches", "predicates.rows.pattern": ".*\\.outbox"}
# What a connector needs in order to publish all of it.
ALL_OF_IT = {"publication.autocreate.mode": "all_tables", "publish.via.partition.root": "true", "skipped.operations": "none",
             "include.unknown.datatypes": "true", **OUTBOX}


class Small:
    """A table whose columns come with defaults, get other ones and other names, an enum that gets a label, and a table that goes. The catalog alone has those, and
    deletes show them in place of what is not sent. After each step is a wait: a connector that is not behind has read the catalog of its rows by then."""

    STEPS = ("alter table small add c int default 7", "alter table small rename c to d", "alter table small alter d set default 8",
             "alter table small alter d drop default", "alter table small add e text not null default 'x'", "alter table small alter e set default 'y'",
             "alter table small alter e drop not null", "alter table small add m temper default 'good'", "alter type temper add value 'bad'",
             "alter table small alter m set default 'bad'", "alter table small drop d", "alter table small rename e to f")

    def __init__(self, db):
        self.db = db
        db.script("""create type temper as enum ('good');
                     create table small (id int primary key, v text);
                     insert into small select i, 'small' from generate_series(1, 100) i""")

    def work(self, wait_published):
        """wait_published(text): until there is a record that has it."""
        for number, step in enumerate(self.STEPS, 1):
            self.db.execute(step)
            self._change(number, wait_published)
        self.db.execute("create table brief (id int primary key, v text default 'brief')")
        self.db.execute("insert into brief (id) values (1), (2)")
        self.db.execute("delete from brief where id = 1")
        self.db.execute("insert into brief values (3, 'the brief one ends')")
        wait_published("the brief one ends")
        self.db.execute("drop table brief")

    def _change(self, number, wait_published):
        self.db.execute("delete from small where id = %s", number)
        self.db.execute("update small set id = id + 1000 where id = %s", 50 + number)
        self.db.execute("insert into small (id, v) values (%s, %s)", 2000 + number, f"behind step {number}")
        wait_published(f"behind step {number}")


class Many:
    def __init__(self, db, seed):
        self.db, self.random = db, random.Random(seed)
        self.columns, self.next_id, self.altered = {}, dict.fromkeys(range(TABLES), 1), 0
        for statement in column_types.TYPE_SETUP:
            db.execute(statement)
        types = column_types.every_type(self.random)
        for table in range(TABLES):
            self.columns[table] = {f"c{i}": column for i, column in enumerate(types[table::TABLES])}
            body = ", ".join(["id int primary key", *(f"{name} {column.sql}" for name, column in self.columns[table].items())])
            db.execute(f"create table many_{table} ({body})")
            if table % 3 == 0:
                db.execute(f"alter table many_{table} replica identity full")
        db.script("""create table parts (id int, at int, v text, primary key (id, at)) partition by range (at);
                     create table parts_1 partition of parts for values from (0) to (500);
                     create table parts_2 partition of parts for values from (500) to (1000);
                     create table outbox (id uuid primary key default gen_random_uuid(), aggregatetype text, aggregateid text, type text, payload text)""")

    def value(self, column):
        if self.random.random() < 0.1 and column.family not in ("domain_not_null",):
            return "null"
        if column.big is not None and self.random.random() < 0.02:
            big = column.big(self.random)
            return str(big) if type(big).__name__ == "Sql" else _quoted(big)
        return _quoted(column.value(self.random))

    def statement(self, session):
        """One of a random kind; how many changes it is."""
        table, kind = self.random.randrange(TABLES), self.random.random()
        columns = self.columns[table]
        if kind < 0.5:
            rows = self.random.choice((1, 3, 40, 200))
            first = self.next_id[table]
            self.next_id[table] += rows
            values = ", ".join(self.value(column) for column in columns.values())
            session.execute(f"insert into many_{table} (id, {', '.join(columns)}) select i, {values} from generate_series({first}, {first + rows - 1}) i", prepare=False)
            return rows
        if kind < 0.75:
            name, first = self.random.choice(list(columns)), self._near(table)
            done = session.execute(f"update many_{table} set {name} = {self.value(columns[name])} where id between {first} and {first + 20}", prepare=False)
            return done.rowcount
        if kind < 0.85:
            first = self._near(table)
            return session.execute(f"delete from many_{table} where id between {first} and {first + 4}").rowcount
        if kind < 0.9:
            return self._part(session)
        if kind < 0.95:
            session.execute("insert into outbox (aggregatetype, aggregateid, type, payload) values ('order', '1', 'made', '{}')")
            return 1
        if kind < 0.97:
            session.execute("select pg_logical_emit_message(%s, 'walduct', 'a message')", (self.random.random() < 0.7,))
            return 0
        if kind < 0.98:
            session.execute(f"truncate many_{table}{self.random.choice(('', '', ', parts', f', many_{(table + 1) % TABLES}'))}")
            return 1
        self._alter(session, table)
        return 0

    def _near(self, table):
        """An id of a row that may be there: tables are truncated now and then."""
        return self.random.randrange(max(1, self.next_id[table] - 1000), self.next_id[table] + 1)

    def _part(self, session):
        """A row of a partition, or one that goes over to the other."""
        done = session.execute("insert into parts values (%s, %s, 'part') on conflict (id, at) do update set v = 'again'",
                               (self.random.randrange(100), self.random.randrange(1000)))
        one = self.random.randrange(100)
        moved = session.execute("update parts set at = (at + 500) %% 1000 where id = %s and not exists "
                                "(select 1 from parts p where p.id = %s and p.at = (parts.at + 500) %% 1000)", (one, one))
        return done.rowcount + moved.rowcount

    def _alter(self, session, table):
        """Columns come, go, are renamed, get another type; or what the record before has. None has a default: that is in the catalog alone,
        and where it is read later (walduct.catalog.delay.ms) the column may have another name by then. Defaults are Small's."""
        self.altered += 1
        added = [row[0] for row in session.execute("select attname from pg_attribute where attrelid = %s::regclass and attname ~ '^a' and not attisdropped",
                                                   (f"many_{table}",))]
        one = self.random.choice(added) if added else None
        kinds = [f"add a{self.altered} int", f"replica identity {self.random.choice(('full', 'default'))}"]
        if one is not None:
            kinds += [f"drop {one}", f"rename {one} to a{self.altered}", f"alter {one} type {self.random.choice(('bigint', 'text', 'numeric'))} using 7"]
        session.execute(f"alter table many_{table} {kinds[2] if len(added) > 5 else self.random.choice(kinds)}")

    def work(self, changes):
        done = 0
        with self.db.connect(autocommit=False) as session:
            while done < changes:
                session.execute("select 1")  # so that what follows are subtransactions
                for _ in range(self.random.choice((1, 1, 3, 10, 100))):
                    # Random ranges may end before they begin, a text may be no number: a subtransaction that fails.
                    with contextlib.suppress(psycopg.DataError, psycopg.IntegrityError, psycopg.errors.DatatypeMismatch), session.transaction():
                        done += self.statement(session)
                if self.random.random() < 0.1:
                    session.rollback()
                else:
                    session.commit()

    def large_transaction(self, rows):
        """It is sent while it runs, and larger than what is kept in memory; it alters what it writes to."""
        with self.db.connect(autocommit=False) as session:
            session.execute("create table large (id int primary key, v text)")
            session.execute("insert into large select i, repeat(md5(i::text), 4) from generate_series(1, %s::int) i", (rows,))
            session.execute("alter table large add more int default 3")
            session.execute("update large set more = 4 where id % 10 = 0")
            session.execute("savepoint s")
            session.execute("insert into large select -i, 'rolled back' from generate_series(1, 1000) i")
            session.execute("rollback to savepoint s")
            session.commit()


def _quoted(text):
    return "'" + text.replace("'", "''") + "'" if not isinstance(text, column_types.Sql) else str(text)


# Times of processing, which follow `op`, `source.sequence` and headers (the run's id) may differ, and are left out below.
TIMES = re.compile(r'("op":"\w")(?:,"ts_[mun]s":\d+)+')
SEQUENCE = re.compile(r'"sequence":".*?\]",')
ESCAPED_TIMES = re.compile(r'(\\"op\\":\\"\w\\")(?:,\\"ts_[mun]s\\":\d+)+')
ESCAPED_SEQUENCE = re.compile(r'\\"sequence\\":\\".*?\]\\",')


def lines_of(connector, path=None):
    """Of its file of records."""
    with open(path or connector.dir / "records.jsonl", errors="surrogateescape", newline="\n") as lines:
        for line in lines:
            yield ESCAPED_TIMES.sub(r"\1", ESCAPED_SEQUENCE.sub("", line.rpartition('"headers":')[0]))


def digest(lines):
    """Of them in their order; how many there are."""
    whole, count = hashlib.sha256(), 0
    for count, line in enumerate(lines, 1):  # noqa: B007
        whole.update(line.encode(errors="surrogateescape"))
    return whole.hexdigest(), count


def difference(one, other):
    """The first that are not the same."""
    both = enumerate(itertools.zip_longest(one, other), 1)
    return next(((number, *pair) for number, pair in both if pair[0] != pair[1]), None)


class DigestOfTopics:
    """Of each topic, in its order, and how many records it has."""

    def __init__(self):
        self._topics = {}

    def add(self, topic, key, value):
        one = self._topics.setdefault(topic, [hashlib.sha256(), 0])
        one[0].update(json.dumps([key, value and TIMES.sub(r"\1", SEQUENCE.sub("", value))]).encode())
        one[1] += 1

    def all(self):
        return {topic: (digest.hexdigest(), count) for topic, (digest, count) in self._topics.items()}


class ReadTopics(TopicReader):
    """What is committed there, of which nothing is kept."""

    def __init__(self, connector):
        super().__init__(connector.worker["bootstrap.servers"], connector.prefix)
        self.digest, self.has_ended = DigestOfTopics(), False

    def _append(self, message):
        super()._append(message)
        event = self.events.pop()
        self.has_ended = self.has_ended or b"the last one" in (event.value or b"")
        self.digest.add(event.topic, *(None if it is None else it.decode(errors="surrogateescape") for it in (event.key, event.value)))


def digest_of_file(connector):
    topics = DigestOfTopics()
    with open(connector.dir / "records.jsonl", errors="surrogateescape", newline="\n") as lines:
        for line in lines:
            record = json.loads(line)
            topics.add(record["topic"], record["key"], record["value"])
    return topics.all()


def last_line(connector):
    with open(connector.dir / "records.jsonl", "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
        return file.read()


def seconds_between(connector, first, last):
    """By its log, of its newest run."""
    times = [re.search(rf"^(\S+) .*{words}", connector.log_text(), re.MULTILINE) for words in (first, last)]
    begin, end = (datetime.fromisoformat(found.group(1).replace("Z", "+00:00")) for found in times)
    return (end - begin).total_seconds()
