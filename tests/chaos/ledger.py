"""The writer, and the account of every row that it has committed.

Each transaction writes a few entries (a row for ever, its id counted upwards) and sets the account of each entry's key to that id. The same
ids are rows of `moved`, which faults replace by other tables of that name, and of the partitions of `leaves`, between which they go. What
the database holds at the end is the truth: every entry must be in its topic, and each account's topic must go through its ids in their
order, with the last one last. What is repeated is repeated from one place on; only what a snapshot reads may leave a place out."""
import random
import threading
import time
from collections import Counter, defaultdict

import psycopg

KEYS = 20
PUBLISHED = "entries, accounts, scratch, moved, leaves"
LEAVES = "".join(f"create table leaves_{k} partition of leaves for values in ({k}); alter table leaves_{k} add primary key (id);"
                 for k in (0, 1))
TABLES = f"""
create type mood as enum ('calm', 'cross');
create table moved (id bigint primary key, mood mood not null);
create table leaves (id bigint not null, k int not null) partition by list (k); {LEAVES}
create table entries (id bigint primary key, k int not null);
create table accounts (id int primary key, v bigint not null);
insert into accounts select g, 0 from generate_series(1, {KEYS}) g"""


BESIDE = {"moved": "mood", "leaves": "k"}  # and what a row says


class Writer(threading.Thread):
    def __init__(self, database, seed, rate):
        super().__init__(daemon=True)
        self.database, self.choose, self.pause = database, random.Random(seed), 1 / rate
        self.next, self.stopped = 1, threading.Event()

    def run(self):
        connection = None
        while not self.stopped.is_set():
            try:
                if connection is None:
                    connection = self.database.connect(autocommit=False, connect_timeout=3, options="-c statement_timeout=5s")
                self.write(connection)
            except psycopg.Error:
                if connection is not None:
                    connection.close()
                connection = None
            self.stopped.wait(self.pause)

    def write(self, connection):
        # An id whose transaction may not have been committed is not used again.
        ids = range(self.next, self.next + self.choose.choice((1, 1, 1, 2, 5)))
        self.next = ids.stop
        with connection.transaction():
            for entry in ids:
                key = self.choose.randint(1, KEYS)
                connection.execute("insert into entries values (%s, %s)", (entry, key))
                connection.execute("update accounts set v = %s where id = %s", (entry, key))
                connection.execute("insert into moved values (%s, %s)", (entry, self.choose.choice(("calm", "cross"))))
                connection.execute("insert into leaves values (%s, %s)", (entry, key % 2))
                connection.execute("update leaves set k = 1 - k where id = %s", (entry - self.choose.randint(1, 50),))

    def stop(self):
        self.stopped.set()
        self.join(20)


class Account:
    """What came of it all. once: no change may have come twice. What a snapshot reads may have been a change before, and be one
    after: the slot that somebody moved is kept, and the snapshot that fills the gap is later."""

    def __init__(self, database, events, once=False):
        self.once = once
        rows = database.execute("select id, k from entries order by id")
        self.rows = len(rows)
        seen = defaultdict(int)
        changes = Counter()
        for event in events:
            if event.table == "entries" and event.after:
                changes[event.after["id"]] += event.op == "c"
                seen[event.after["id"]] += 1
        self.repeated = sum(max(0, count - 1) for count in changes.values())
        self.lost = sorted({row[0] for row in rows} - set(seen))
        self.invented = sorted(set(seen) - {row[0] for row in rows})
        self.wrong = []  # what is wrong with the order of an account, or the last of a row
        self.check_beside(database, events)
        of_key = defaultdict(lambda: [0])
        for entry, key in rows:
            of_key[key].append(entry)
        topics = defaultdict(list)
        for event in events:
            if event.table == "accounts" and event.after:
                topics[event.after["id"]].append((event.op, event.after["v"]))
        for key, wanted in of_key.items():
            self.check(key, wanted, topics[key])

    def check_beside(self, database, events):
        """Each row of the other tables is in its topic, as it is now; nothing else is."""
        for table, column in BESIDE.items():
            truth = dict(database.execute(f"select id, {column}::text from {table}"))
            last = {}
            for event in events:
                if event.table == table and event.value is not None:
                    last[event.id] = str(event.after.get(column)) if event.after else None
            self.lost += [f"{table} {i}" for i in sorted(set(truth) - set(last))]
            self.invented += [f"{table} {i}" for i in sorted(set(last) - set(truth))]
            self.wrong += [f"{table} {i}: ends with {last[i]}, not with {v}" for i, v in truth.items() if i in last and last[i] != v]

    def check(self, key, wanted, came):
        place = {v: i for i, v in enumerate(wanted)}
        last, changes = -1, set()
        for op, v in came:
            at = place.get(v)
            if at is None:
                self.wrong.append(f"account {key}: {v} was never committed")
                continue
            if at > last + 1 and op != "r":
                self.wrong.append(f"account {key}: {v} came before {wanted[last + 1]}")
            if v in changes and op != "r" and self.once:
                self.wrong.append(f"account {key}: {v} came again after {wanted[last]}")
            if op != "r":
                changes.add(v)
            last = at
        if not came or came[-1][1] != wanted[-1]:
            self.wrong.append(f"account {key}: ends with {came[-1][1] if came else None}, not with {wanted[-1]}")

    @property
    def good(self):
        return not (self.lost or self.invented or self.wrong or (self.once and self.repeated))

    def text(self):
        return (f"{self.rows} rows committed, {len(self.lost)} lost, {len(self.invented)} never committed, "
                f"{len(self.wrong)} out of order or not last, {self.repeated} repeated")


def wait_complete(database, events, patience_s=120):
    """Until all is there, as long as it progresses; the events."""
    wanted = {row[0] for row in database.execute("select id from entries")}
    last, since = -1, time.monotonic()
    while True:
        seen = list(events())
        missing = sum(len(wanted - {e.after["id"] for e in seen if e.table == table and e.after}) for table in ("entries", *BESIDE))
        if missing == 0:
            time.sleep(2)  # what is repeated, and the accounts
            return list(events())
        if missing != last:
            last, since = missing, time.monotonic()
        if time.monotonic() - since > patience_s:
            return seen
        time.sleep(1)
