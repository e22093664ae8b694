"""A session that changes rows beside a test, until it is told to stop."""
import json
import random
import threading

import psycopg

from support.wait import wait_until


class Writer(threading.Thread):
    """A subclass says what one step is: `change` answers how many changes it was."""

    def __init__(self, database, seed):
        super().__init__(daemon=True)
        self.database, self.choose, self.over, self.changes, self.error = database, random.Random(seed), threading.Event(), 0, None

    def change(self, session, choose):
        raise NotImplementedError

    def run(self):
        try:
            with self.database.connect() as session:
                while not self.over.is_set():
                    self.changes += self.change(session, self.choose)
        except Exception as error:  # noqa: BLE001  (told by stop)
            self.error = error

    def stop(self):
        self.over.set()
        self.join(60)
        assert not self.is_alive() and self.error is None, f"the writer ended: {self.error}"


class Updates(Writer):
    """Sets v of all rows of t to 1, 2, …, a pause apart."""

    def __init__(self, database, pause_s):
        super().__init__(database, 0)
        self.pause_s = pause_s

    def change(self, session, choose):
        if self.over.wait(self.pause_s):
            return 0
        session.execute("update t set v = %s", (self.changes + 1,))
        return 1


def disturb_under_updates(database, disturb, times, apart, pause_s=0.005):
    """So many times, so many updates apart. How many there were in all."""
    writer = Updates(database, pause_s)
    writer.start()
    try:
        for _ in range(times):
            at = writer.changes
            wait_until(lambda at=at: writer.changes > at + apart or writer.error, 30, f"{apart} more updates")
            disturb()
    finally:
        writer.stop()
    return writer.changes


class Transactions(Writer):
    """One of several sessions that write at once: adds 1 to v of rows of its own, to one row twice now and then, and in every third
    transaction to row 0, which all of them change, so that its order is that of the commits. It pauses inside: transactions of the sessions
    overlap. Each tenth is rolled back."""
    OWN = 7

    def __init__(self, database, number, pause_s):
        super().__init__(database, number)
        self.keys, self.pause_s = range(1 + number * self.OWN, 1 + (number + 1) * self.OWN), pause_s

    def change(self, session, choose):
        with session.transaction():
            for key in choose.choices(self.keys, k=choose.randint(1, 4)):
                session.execute("update t set v = v + 1 where id = %s", (key,))
                self.over.wait(self.pause_s * choose.random())
            if choose.random() < 1 / 3:
                session.execute("update t set v = v + 1 where id = 0")
            if choose.random() < 0.1:
                raise psycopg.Rollback
        return 1


class ThreeWriters:
    """A table t (id, v) that three sessions write to. What a consumer has to see of each row are all values of v, one after the other."""

    def __init__(self, database, pause_s=0.01):
        self.database, self.last = database, {}
        self.writers = [Transactions(database, number, pause_s) for number in range(3)]
        database.script("create table t (id int primary key, v int); "
                        f"insert into t select n, 0 from generate_series(0, {3 * Transactions.OWN}) n")

    @property
    def changes(self):
        return sum(writer.changes for writer in self.writers)

    def disturb(self, disturb, times, apart):
        """So many times, so many transactions apart; then no more is written."""
        for writer in self.writers:
            writer.start()
        try:
            for _ in range(times):
                at = self.changes
                wait_until(lambda at=at: self.changes > at + apart or self.failed(), 30, f"{apart} more transactions")
                disturb()
        finally:
            for writer in self.writers:
                writer.stop()
        self.last = dict(self.database.execute("select id, v from t where v > 0"))
        self.end = self.database.value("select pg_current_wal_lsn()::text")

    def failed(self):
        return any(writer.error for writer in self.writers)

    def confirmed(self):
        """Whether PostgreSQL has been told that all of it is where it goes to."""
        return self.database.value(f"select bool_and(confirmed_flush_lsn >= '{self.end}') from pg_replication_slots where database = current_database()")

    def all_in(self, seen):
        """Whether (id, v) of each update is there."""
        return len(set(seen)) >= sum(self.last.values())

    def check(self, seen, once=False):
        """seen: (id, v) of each update, in the order in which they came. None is missing, and each row's came in their order; once: none twice."""
        rows = {}
        for key, v in seen:
            rows.setdefault(key, []).append(v)
        assert set(rows) == set(self.last)
        for key, last in self.last.items():
            came = rows[key] if once else list(dict.fromkeys(rows[key]))
            wrong = next((at for at, v in enumerate(came) if v != at + 1), None)
            assert wrong is None, f"row {key}: behind {came[max(0, wrong - 3):wrong]} comes {came[wrong:wrong + 5]}"
            assert len(came) == last, f"row {key}: ends at {len(came)} of {last}"
        print(f"{sum(self.last.values())} updates, {len(seen) - len(set(seen))} of them seen twice")


def updates_in(bodies):
    """(id, v) of each update among envelopes, in their order."""
    return [(body["after"]["id"], body["after"]["v"]) for body in map(json.loads, filter(None, bodies)) if body["op"] == "u"]
