"""A polled outbox table under writers, and what goes wrong beside it. What is committed is numbered within its key: a ledger of what has to arrive."""
import contextlib
import json
import os
import random
import threading
from collections import defaultdict

import psycopg

from support.cluster import Pair
from support.polling import STRING, polled
from support.receiver import Receiver
from support.relay import Relay
from support.wait import wait_until

KEYS, WRITERS, BATCH = 12, 3, 50
ATTEMPTS = ", attempts int not null default 0, last_error text, next_try_at timestamptz"
STATE = {"mark": ATTEMPTS + ", published_at timestamptz", "delete": ATTEMPTS, "position": ", xact xid8 not null default pg_current_xact_id()"}
TABLE = """create table outbox (id bigint generated always as identity primary key, aggregate_type text not null, aggregate_id text not null, event_type text not null,
           payload jsonb not null, created_at timestamptz not null default now(){state});
           create table aggregates (id int primary key, n int not null); insert into aggregates select g, 0 from generate_series(0, {last}) g;
           create function wake() returns trigger language plpgsql as $$ begin perform pg_notify('outbox_new', ''); return null; end $$;
           create trigger wake after insert on outbox for each statement execute function wake()"""


class Writing(threading.Thread):
    """Locks an aggregate, counts it up, writes an event with its number; some are rolled back. A server that is away is waited for."""

    def __init__(self, play, choose):
        super().__init__(daemon=True)
        self.play, self.choose, self.over = play, choose, threading.Event()

    def run(self):
        while not self.over.is_set():
            with contextlib.suppress(psycopg.Error), self.play.connect() as session:
                while not self.over.wait(0.02 * self.choose.random()):
                    self.write(session)

    def write(self, session):
        key = self.choose.randrange(KEYS)
        number = session.execute("update aggregates set n = n + 1 where id = %s returning n", (key,)).fetchone()[0]
        columns, values = self.play.more(self.choose)
        session.execute(f"insert into outbox (aggregate_type, aggregate_id, event_type, payload{columns}) values ('Order', %s, 'Placed',"
                        f" jsonb_build_object('n', %s::int){values})", (str(key), number))
        session.rollback() if self.choose.random() < 0.1 else session.commit()


class Play:
    """One table, done as `done` says, into Kafka or (sink=http) a receiver; private servers where they are to be disturbed."""

    def __init__(self, db, connectors, done, sink="kafka", worker=None, **config):
        self.db, self.done, self.seed = db, done, int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
        self.choose, self.pair, self.clock, self.receiver = random.Random(self.seed), None, False, None
        print(f"seed {self.seed} (E2E_SEED={self.seed} repeats the choices)")
        db.script(TABLE.format(state=STATE[done], last=KEYS - 1))
        self.door = Relay((db.server.host, db.server.port))
        to = {"database.hostname": self.door.host, "database.port": str(self.door.port)}
        if sink == "http":
            self.receiver = Receiver()
            to |= {"sink.http.url": self.receiver.url, "walduct.sink.http.headers": "X-Key: {key}", "sink.http.retry.interval.ms": "50",
                   "key.converter": STRING}
        policy = {} if done == "mark" else {"walduct.outbox.done": done}
        self.connector = connectors(db, polled(db, **{"walduct.outbox.poll.batch.size": str(BATCH), "walduct.outbox.attempts.backoff.ms": "100",
                                                      "walduct.outbox.poll.interval.ms": "500", **policy, **to, **config}),
                                    superuser=True, sink=sink, worker=worker)
        self.writers = [Writing(self, random.Random(self.seed + number)) for number in range(WRITERS)]

    def more(self, choose):
        """Columns of time beside the event's: of a clock that goes wrong, hours away; or due in a moment, or long ago."""
        if not self.clock:
            return "", ""
        columns, values = ", created_at", f", now() + interval '{choose.uniform(-3600, 3600):.0f} s'"
        if self.done != "position":
            columns += ", next_try_at"
            values += f", now() + interval '{choose.choice((-3600, -1, 0.5, 1.5)):.1f} s'" if choose.random() < 0.2 else ", null"
        return columns, values

    def connect(self):
        return self.db.server.connect(self.db.name, autocommit=False)

    def begin(self):
        self.connector.start().wait_streaming()
        for writer in self.writers:
            writer.start()
        self.wait_more(10)

    def seen(self):
        """{key: numbers}, as they came."""
        found = defaultdict(list)
        if self.receiver is not None:
            for request in self.receiver.taken:
                found[dict(request["headers"])["X-Key"]].append(json.loads(request["body"])["n"])
        else:
            for event in self.connector.events():
                found[event.key.decode()].append(json.loads(event.value)["n"])
        return found

    def arrived(self):
        return sum(len(numbers) for numbers in self.seen().values())

    def written(self):
        try:
            return self.db.value("select sum(n) from aggregates")
        except psycopg.Error:
            self.db.close_session()
            return 0

    def wait_more(self, count, timeout_s=60):
        """So many more arrive."""
        at = self.arrived()

        def goes_on():
            assert self.connector.running(), f"ended with {self.connector.process.returncode}:\n{self.connector.log_text()[-3000:]}"
            return self.arrived() >= at + count
        wait_until(goes_on, timeout_s, f"{count} more events", interval_s=0.05)

    def wait_written(self, count):
        """So many more are committed."""
        at = wait_until(self.written, 30, "the server answers")
        wait_until(lambda: self.written() >= at + count, 60, f"{count} more written", interval_s=0.05)

    def end(self):
        """All writers have ended and everything has arrived: how many events came again."""
        for writer in self.writers:
            writer.over.set()
        for writer in self.writers:
            writer.join(60)
        self.db.close_session()
        last = {str(key): number for key, number in self.db.execute("select id, n from aggregates")}

        def all_there():
            assert self.connector.running(), f"ended with {self.connector.process.returncode}:\n{self.connector.log_text()[-3000:]}"
            seen = self.seen()
            return all(number == 0 or number in seen[key] for key, number in last.items())
        wait_until(all_there, 90, "the last events", interval_s=0.3)
        if self.done != "position":
            open_rows = "published_at is null" if self.done == "mark" else "true"
            wait_until(lambda: self.db.value(f"select count(*) from outbox where {open_rows}") == 0, 30, "no row is left open")
        self.connector.stop()
        return self.account(last)

    def account(self, last):
        repeats = 0
        for key, numbers in self.seen().items():
            assert list(dict.fromkeys(numbers)) == list(range(1, last[key] + 1)), f"key {key}: lost, or out of order: {numbers}"
            apart = [pair for pair in zip(numbers, numbers[1:]) if pair[1] > pair[0] + 1]
            assert not apart, f"key {key}: a repetition is no stretch of the same order: {apart}"
            repeats += len(numbers) - last[key]
        print(f"{sum(last.values())} events, {repeats} came again")
        return repeats

    def close(self):
        for writer in self.writers:
            writer.over.set()
        self.door.close()
        if self.receiver is not None:
            self.receiver.close()
        if self.pair is not None:
            with contextlib.suppress(psycopg.Error):
                self.db.server.query("alter system reset synchronous_standby_names")
                self.db.server.query("select pg_reload_conf()")
            self.pair.close()

    # --- what goes wrong, once ---

    def kill(self):
        self.connector.kill()
        self.connector.start().wait_streaming(60)
        self.wait_more(self.choose.randint(1, 30))

    def restart(self, servers):
        servers.pg_ctl("restart", "-m", "immediate", "-w", "-l", servers.values["PG_DATA"] + ".log")
        self.db.close_session()
        self.wait_more(self.choose.randint(1, 30))

    def follow(self, servers):
        """A standby has all that a writer was told is committed."""
        self.pair = Pair(servers)
        servers.postgres.query("alter system set synchronous_standby_names = 'standby'")
        servers.postgres.query("select pg_reload_conf()")

    def fail_over(self, goes_on=True):
        self.pair.fail_over()
        self.db.close_session()
        self.db.server = self.pair.servers.postgres
        self.door.to = (self.db.server.host, self.db.server.port)
        self.pair.make_standby()
        self.db.server.query("alter system set synchronous_standby_names = 'standby'")
        self.db.server.query("select pg_reload_conf()")
        if goes_on:
            self.wait_more(self.choose.randint(1, 30))

    def take_sink_away(self):
        self.receiver.down()
        self.wait_written(self.choose.randint(1, 60))
        self.receiver.up()
        self.wait_more(self.choose.randint(1, 30))

    def pause_broker(self, servers):
        servers.pause_kafka()
        self.wait_written(self.choose.randint(1, 60))
        servers.resume_kafka()
        self.wait_more(self.choose.randint(1, 30))

    def refuse(self, status):
        """The next but a few, once."""
        left = [self.choose.randint(1, 9)]

        def judge(number, request):
            left[0] -= 1
            return status if left[0] == 0 else 200
        self.receiver.judge = judge
        wait_until(lambda: left[0] <= 0, 60, "one was refused")
        self.wait_more(10)

    def end_session(self):
        ended = self.db.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%%poll' and datname = %s", self.db.name)
        assert ended
        self.wait_more(self.choose.randint(1, 30))

    def lose_notifications(self):
        self.db.execute("alter table outbox disable trigger wake")
        self.wait_written(30)
        self.wait_more(30)
        self.db.execute("alter table outbox enable trigger wake")
        self.wait_more(1)

    def lock_row(self):
        """One that is open, if there is one: it and those behind it wait."""
        with self.db.transaction() as session:
            number = self.choose.randrange(KEYS)
            session.execute("select id from outbox where aggregate_id = %s order by id desc limit 1 for update", (str(number),))
            session.execute("update outbox set event_type = 'Placed' where id = (select max(id) from outbox)")
            self.wait_written(self.choose.randint(20, 120))
            session.rollback()
        self.wait_more(self.choose.randint(1, 30))
