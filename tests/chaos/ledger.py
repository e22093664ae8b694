"""The writer, and the account of every row that it has committed.

Each transaction writes a few entries (a row for ever, its id counted upwards) and sets the account of each entry's key to that id. What
the database holds at the end is the truth: every entry must be in its topic, and each account's topic must go through its ids in their
order, with the last one last. What is repeated is repeated from one place on; only what a snapshot reads may leave a place out."""
import random
import threading
import time
from collections import Counter, defaultdict

import psycopg

KEYS = 20
TABLES = f"""
create table entries (id bigint primary key, k int not null);
create table accounts (id int primary key, v bigint not null);
insert into accounts select g, 0 from generate_series(1, {KEYS}) g"""


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
        self.wrong = []  # what is wrong with the order of an account
        of_key = defaultdict(lambda: [0])
        for entry, key in rows:
            of_key[key].append(entry)
        topics = defaultdict(list)
        for event in events:
            if event.table == "accounts" and event.after:
                topics[event.after["id"]].append((event.op, event.after["v"]))
        for key, wanted in of_key.items():
            self.check(key, wanted, topics[key])

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
        missing = len(wanted - {e.after["id"] for e in seen if e.table == "entries" and e.after})
        if missing == 0:
            time.sleep(2)  # what is repeated, and the accounts
            return list(events())
        if missing != last:
            last, since = missing, time.monotonic()
        if time.monotonic() - since > patience_s:
            return seen
        time.sleep(1)
