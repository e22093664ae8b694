"""Writers for the tests that break things meanwhile, and the oracle that says what a consumer must have seen."""
import random
import re
import threading
import time

import psycopg

TABLES = ("plain", "whole", "wide")

SETUP = """
create table plain (id int primary key, version bigint not null, v text);
create table whole (id int primary key, version bigint not null, v text); alter table whole replica identity full;
create table wide (id int, part int, version bigint not null, v text, primary key (id, part));
create sequence versions;
"""

_CHANGE = re.compile(r"^table public\.(\w+): (INSERT|UPDATE|DELETE): (?:old-key: .* new-tuple: )?(.*)$", re.DOTALL)


def setup(db, oracle_slot):
    """Tables, and a slot of test_decoding: the order of commits from a source that is not walduct."""
    db.script(SETUP)
    db.execute("select pg_create_logical_replication_slot(%s, 'test_decoding')", oracle_slot)


class Writer(threading.Thread):
    """Transactions of random sizes over several tables: single rows, many rows of one statement, COPY, updates, deletes and
    rollbacks. Outlives a restart of the server. Every value of `version` is written once per table."""

    def __init__(self, db, seed, pause_s=0.0, rows_at_most=40):
        super().__init__(daemon=True)
        self.db, self.random, self.pause_s, self.rows_at_most = db, random.Random(seed), pause_s, rows_at_most
        self.seed = seed
        self.transactions = 0
        self.error = None
        self._stopping = threading.Event()

    def run(self):
        while not self._stopping.is_set():
            try:
                with self.db.connect(autocommit=False) as session:
                    while not self._stopping.is_set():
                        self._transaction(session)
                        self.transactions += 1
                        time.sleep(self.pause_s * self.random.random())
            except psycopg.OperationalError:
                time.sleep(0.2)  # the server restarts
            except Exception as error:  # noqa: BLE001  (told by stop)
                self.error = error
                return

    def stop(self):
        self._stopping.set()
        self.join(60)
        assert not self.is_alive() and self.error is None, f"writer (seed {self.seed}): {self.error}"

    def _transaction(self, session):
        for _ in range(self.random.choice((1, 1, 1, 2, 5))):
            self._statement(session, self.random.choice(TABLES), self.random.choice((1, 1, 3, self.rows_at_most)))
        if self.random.random() < 0.1:
            session.rollback()
        else:
            session.commit()

    def _statement(self, session, table, rows):
        first, columns = self.random.randrange(1, 2000), "id, part" if table == "wide" else "id"
        key = "g, g % 3" if table == "wide" else "g"
        kind = self.random.random()
        if kind < 0.55:  # insert or, where the key exists, update
            session.execute(f"""insert into {table} ({columns}, version, v)
                select {key}, nextval('versions'), repeat('x', {self.random.randrange(200)})
                from generate_series({first}, {first + rows - 1}) g
                on conflict ({columns}) do update set version = excluded.version, v = excluded.v""")
        elif kind < 0.85:
            session.execute(f"update {table} set version = nextval('versions') where id between {first} and {first + rows - 1}")
        else:
            session.execute(f"delete from {table} where id between {first} and {first + rows // 4}")


def committed_changes(db, oracle_slot):
    """{table: [change, …]} in commit order; a change is (op, id, version), without a version for deletes under the default
    replica identity."""
    changes = {t: [] for t in TABLES}
    for (line,) in db.execute("select data from pg_logical_slot_get_changes(%s, null, null)", oracle_slot):
        found = _CHANGE.match(line)
        if found and found.group(1) in changes:
            table, op, row = found.groups()
            changes[table].append((op[0].lower().replace("i", "c"), _number(row, "id"), _number(row, "version")))
    return changes


def _number(row, column):
    found = re.search(rf"\b{column}\[(?:integer|bigint)\]:(\d+)", row)
    return int(found.group(1)) if found else None


def seen_changes(events):
    """{table: [(change, event), …]} in topic order, tombstones left out."""
    seen = {t: [] for t in TABLES}
    for event in events:
        if event.value is not None:
            row = event.after or event.before
            version = row["version"] if event.after or event.table == "whole" else None
            seen[event.table].append(((event.op, event.id, version), event))
    return seen


def replays(committed, seen, table):
    """Walks one topic along the committed order. Every change must be there, in order; where the topic jumps back, it goes on
    from there without a gap. Answers the events at which it jumped back."""
    places = {}
    for place, change in enumerate(committed):
        places.setdefault(change, []).append(place)
    jumps, last = [], {-1}  # the places where we may be: deletes without a version occur more than once
    for change, event in seen:
        assert change in places, f"{table}: {change} was never committed"
        following = {p + 1 for p in last if p + 1 < len(committed) and committed[p + 1] == change}
        if not following:
            following = {p for p in places[change] if p <= max(last)}
            assert following, f"{table}: after change {max(last)} of {len(committed)} comes {change}: what lies between is missing"
            jumps.append(event)
        last = following
    assert len(committed) - 1 in last, f"{table}: the topic ends at change {max(last) + 1} of {len(committed)}"
    return jumps
