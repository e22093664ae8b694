"""Plays a round: both connectors on one database, the plan's statements, all records of both."""
import contextlib
import re
from dataclasses import dataclass, field

import psycopg
from confluent_kafka import Consumer, KafkaException, TopicPartition

from differential.chains import expanded
from differential.connect import NoAnswer, Worker
from differential.plan import MARKER
from support import servers
from support.connector import Connector, database_properties
from support.debezium import free_port
from support.kafka import QUIET, create_topic, delete_topics, read_topics
from support.wait import wait_until

SETTLE_S = 60


class Stopped(Exception):
    """One of the two does not run any more; the text says which and why."""


@dataclass
class Outcome:
    """What a round left: records of both, and the statements as they were sent."""
    theirs: list = field(default_factory=list)
    ours: list = field(default_factory=list)
    setup: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    failed: int = 0  # statements that the server refused
    stopped: str | None = None
    families: dict = field(default_factory=dict)  # (schema, table, column) → families of the types it has had


class Bench:
    """The servers of a run: PostgreSQL, Kafka, Connect."""

    def __init__(self, directory, postgres, bootstrap, registry=None):
        self.dir, self.postgres, self.bootstrap, self.registry = directory, postgres, bootstrap, registry
        self.played = self.restarts = 0
        self.worker = self._new_worker()

    def _new_worker(self):
        return Worker(self.dir / "connect", self.bootstrap, free_port(), converters=self.registry is not None)

    def play(self, plan, options):
        """Once more, with a new Connect, when that one does not answer; the second time it is an error."""
        try:
            return self._play(plan, options)
        except NoAnswer as silence:
            print(f"Kafka Connect is started again: {silence}", flush=True)
            self.restarts += 1
            self.worker.close()
            (self.dir / "connect" / "offsets.dat").unlink(missing_ok=True)
            self.worker = self._new_worker().wait_ready()
            return self._play(plan, options)

    def _play(self, plan, options):
        self.played += 1
        return Game(self, plan, options, f"d{self.played:04}").play()


SETTINGS = {"autovacuum": "off", "max_replication_slots": "20"}


@contextlib.contextmanager
def open_bench(directory, postgres, registry=False):
    """Servers of its own for one run, gone afterwards."""
    membership = servers.join_run()
    own = servers.private(postgres=postgres, kafka=True, registry=registry, pg_set=SETTINGS, kafka_set={"message.max.bytes": "20000000", "log.retention.ms": "-1"})
    bench = None
    try:
        bench = Bench(directory, own.postgres, own.bootstrap, own.registry if registry else None)
        bench.worker.wait_ready()
        yield bench
    finally:
        if bench:
            bench.worker.close()
        own.remove()
        servers.leave_run(membership)


class Game:
    marker = MARKER  # the table whose rows say how far both have come

    def __init__(self, bench, plan, options, name, database=None):
        self.bench, self.plan, self.name = bench, plan, name
        self.prefix = options.get("topic.prefix", "{}").format(name)
        self.outcome = Outcome()
        self.database = bench.postgres.database(database or name)
        options = {name: value.replace("${registry}", bench.registry or "") for name, value in expanded(options, self.prefix).items()}
        self.config = {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
            **database_properties(self.database), "publication.name": "pub", "publication.autocreate.mode": "disabled",
            "poll.interval.ms": "20", "status.update.interval.ms": "1000", **options, "topic.prefix": self.prefix,
        }
        self.walduct = Connector(bench.dir / name, {**self.config, "slot.name": f"{name}_w", "sink": "file",
                                                    # A column that is renamed is shown by Debezium.
                                                    "walduct.mask.lost": "warn",
                                                    "sink.file.path": str(bench.dir / name / "records.jsonl")},
                                 {"offset.storage.file.filename": str(bench.dir / name / "offsets.dat")}, name=name)
        delimiter = options.get("topic.delimiter", ".")
        self.marker_topic = delimiter.join((self.prefix, "public", self.marker))
        self.markers = self.seen = self.read_to = 0
        self.consumer = Consumer({"bootstrap.servers": bench.bootstrap, "group.id": name, **QUIET})

    def play(self):
        try:
            self.database.create()
            with self.database.connect() as session, self.database.connect() as other:
                self.session, self.other = session, other
                other.execute("set lock_timeout = 100")
                session.execute("set lock_timeout = 5000")
                self._setup()
                try:
                    self._start()
                    self._steps()
                    self.settle()
                except Stopped as stopped:
                    self.outcome.stopped = str(stopped)
            self._read()
        finally:
            self._clean()
        return self.outcome

    def _setup(self):
        statements, self.world = self.plan.setup()
        own = [f"alter database {self.name} set {name} to {value}" for name, value in self.plan.settings.items()]
        for statement in own + statements:
            self.outcome.setup.append(statement)
            self._send([statement])
        self._remember()

    def _remember(self):
        for table in self.world.tables.values():
            for name in [table.name, *map(table.partition_name, range(table.partitions))]:
                for column in table.columns:
                    self.outcome.families.setdefault((table.schema, name, column.name), set()).add(column.type.family)

    def _send(self, statements, session=None):
        """False when the server refused one; what was begun is then rolled back."""
        session = session or self.session
        try:
            for statement in statements:
                session.execute(statement)
            return True
        except psycopg.Error as error:
            self.outcome.failed += 1
            self.outcome.steps.append(f"-- refused: {str(error).splitlines()[0]}")
            with contextlib.suppress(psycopg.Error):
                session.execute("rollback")
            return False

    def _start(self):
        self.walduct.start()
        self._wait(self.walduct.logged, r"info +(\[[^\]]*\] )?streaming\b")
        create_topic(self.bench.bootstrap, self.marker_topic)
        self.bench.worker.create(self.name, {**self.config, "slot.name": f"{self.name}_d"})
        # Not when the slot is active: while it is created, it is so too, and what is written then comes with the snapshot.
        streaming = "select 1 from pg_stat_replication r join pg_replication_slots s on s.active_pid = r.pid where slot_name = %s and state = 'streaming'"
        self._wait(lambda _: self.database.server.query(streaming, f"{self.name}_d"), None, 0.1)

    def _steps(self):
        for transaction in self.plan.transactions:
            world = self.world.copy()
            statements = [s.replace("{name}", self.name) for s in transaction.statements(world)]
            if not statements:
                continue
            if transaction.settle:
                self.settle()
            if self._transaction(transaction, statements) and transaction.commit:
                self.world = world
                self._remember()

    def _transaction(self, transaction, statements):
        """Whether the server took it. The other session commits in its middle, unless it has to wait for a lock."""
        beside = [s for operation in transaction.beside for s in operation.sql(self.world.copy())]
        half = len(statements) // 2 if beside and len(statements) > 1 else 0
        if half:
            self.outcome.steps += statements[:half]
            if not self._send(statements[:half]):
                return False
            for statement in beside:
                self.outcome.steps.append(f"/* another session */ {statement}")
                self._send([statement], self.other)
        self.outcome.steps += statements[half:]
        return self._send(statements[half:])

    def settle(self):
        """Both have written what was committed so far."""
        self.markers += 1
        self.session.execute(f"insert into {self.marker} values ({self.markers})")
        self.outcome.steps.append(f"insert into {self.marker} values ({self.markers})  -- and wait until both have written it")
        self._wait(lambda _: self._debezium_markers() >= self.markers and self._walduct_markers() >= self.markers, None)

    def _debezium_markers(self):
        try:
            return self.consumer.get_watermark_offsets(TopicPartition(self.marker_topic, 0), timeout=10)[1]
        except KafkaException:
            return 0

    def _walduct_markers(self):
        path = self.walduct.dir / "records.jsonl"
        if path.exists():
            with open(path, "rb") as records:
                records.seek(self.read_to)
                new = records.read()
            whole = new[:new.rfind(b"\n") + 1]
            self.read_to += len(whole)
            self.seen += sum(1 for line in whole.splitlines() if self.marker_topic.encode() in line[:200])
        return self.seen

    def _wait(self, condition, argument, interval_s=0.02):
        asked = 0

        def done():
            nonlocal asked
            if condition(argument):
                return True
            asked += 1
            if not self.walduct.running():
                said = [line for line in self.walduct.log_text().splitlines() if " info " not in line]
                raise Stopped(f"walduct: exit code {self.walduct.process.returncode}\n" + "\n".join(said[-4:])[-1500:])
            if asked % 20 == 0 and (why := self.bench.worker.failure(self.name)):
                raise Stopped("Debezium: " + " | ".join(re.findall(r"Caused by: (.*)", why)[-2:] or [why[:300]]))
            return False
        try:
            wait_until(done, SETTLE_S, "both have caught up", interval_s)
        except AssertionError:
            theirs, ours = self._debezium_markers(), self._walduct_markers()
            raise Stopped(f"not caught up after {SETTLE_S} s: marker {self.markers}, Debezium wrote {theirs}, walduct {ours}; "
                          f"walduct's log:\n{self.walduct.log_text()[-1500:]}") from None

    def _read(self):
        if self.walduct.running():
            self.walduct.terminate()
        self.outcome.ours = self.walduct.events()
        self.outcome.theirs = read_topics(self.bench.bootstrap, self.name)

    def _clean(self):
        self.walduct.close()
        self.consumer.close()
        self.bench.worker.delete(self.name)
        self.database.drop()
        delete_topics(self.bench.bootstrap, self.name)
