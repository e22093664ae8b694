"""One backlog, drained by several readers in turn: what run.py and regression.py share."""
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests"))

from measure import line, measure  # noqa: E402
from support import backlog, servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties  # noqa: E402
from support.debezium import free_port  # noqa: E402
from support.kafka import TopicReader  # noqa: E402
from support.paths import BINARY  # noqa: E402
from support.postgres import lsn  # noqa: E402
from turns import rounds  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

MARGIN_BYTES = 2 << 30
PG_RECVLOGICAL = "/usr/lib/postgresql/15/bin/pg_recvlogical"


class Bench:
    """One workload in a database of its own. `peers`: other engines (peers.py), each for so many rounds."""

    recvlogical_program = PG_RECVLOGICAL

    def __init__(self, args, workload, own, directory, peers=(), peer_rounds=0):
        self.args, self.workload, self.own = args, workload, own
        self.peers, self.peer_rounds = [peer for peer in peers if peer.takes(workload)], min(peer_rounds, args.rounds)
        self.rows = workload.count(args.rows)
        self.database = own.postgres.database(f"bench_{workload.name}").create()
        workload.prepare(self.database, args.rows)
        self.database.execute(f"create publication bench for table {workload.table_name}")
        self.directory = directory / workload.name
        self.broker_pid = None if args.no_kafka else own.broker
        self.warm_up = self._connector(f"{workload.name}_warm_up", null=args.no_kafka)  # the broker's code is compiled while it runs
        self.connectors = self._connectors("walduct", True, null=args.no_kafka)
        self.null = self._connectors("null", args.null, null=True)
        self.exact = self._connectors("exact", args.exactly_once, exactly_once=True)
        self.others = self._connectors("other", args.against, binary=args.against, null=args.no_kafka)
        self.scraped = self._connectors("scraped", args.scrape)
        self.end = None
        self.wal_bytes = 0  # of the backlog

    def config(self, name):
        """Its slot and its topic prefix are its own: each reader of each round drains the same backlog anew."""
        return {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
            **database_properties(self.database), **PLAIN_JSON, "topic.prefix": name, "slot.name": name,
            "publication.name": "bench", "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data",
            "table.include.list": f"public.{self.workload.table_name}", "database.hostname": self._host(),
            **self.workload.properties(name, self.own.registry if self.workload.registry else None),
        }

    def _host(self):
        return str(self.directory.parent) if self.args.unix else self.own.postgres.host

    def _connectors(self, name, wanted, **options):
        return [self._connector(f"{self.workload.name}_{name}{n}", **options) for n in range(self.args.rounds if wanted else 0)]

    def _connector(self, name, exactly_once=False, null=False, binary=BINARY):
        folder, config = self.directory / name, self.config(name)
        worker = {} if self.args.no_kafka else {"bootstrap.servers": self.own.bootstrap}
        if exactly_once:
            config["exactly.once.support"] = "required"
            worker["offset.storage.topic"] = "offsets"
        else:
            worker["offset.storage.file.filename"] = str(folder / "offsets.dat")
        if null:
            worker.update({"sink": "file", "sink.file.path": "/dev/null"})
        return Connector(folder, config, worker, name=name, binary=binary)

    def prepare(self):
        """Slots first, then the backlog."""
        for connector in (self.warm_up, *self.connectors, *self.null, *self.exact, *self.others, *self.scraped):
            if connector.run_to_end("--until-caught-up") != 0:
                raise SystemExit(f"bench: walduct did not start:\n{connector.log_text()[-2000:]}")
        slots = [("recvlogical", self.args.rounds if self.args.recvlogical else 0), *((peer.slot, self.peer_rounds) for peer in self.peers)]
        for reader, many in slots:
            for number in range(many):
                self.database.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", self._slot(reader, number))
        begin = self.database.value("select pg_current_wal_lsn()::text")
        self.end = self.workload.fill(self.database, self.args.rows, self.args.transaction)
        self.wal_bytes = lsn(self.end) - lsn(begin)
        self.workload.one_more(self.database)

    def _slot(self, reader, number):
        return f"{self.workload.name}_{reader}{number}"

    def readers(self):
        args = self.args
        return {**({"pg_recvlogical": self.recvlogical} if args.recvlogical else {}), "walduct": lambda n: self.drain(self.connectors[n]),
                **({"to /dev/null": lambda n: self.drain(self.null[n])} if args.null else {}),
                **({"exactly once": lambda n: self.drain(self.exact[n])} if args.exactly_once else {}),
                **({"other build": lambda n: self.drain(self.others[n])} if args.against else {}),
                **({"scraped": lambda n: self._drain_scraped(self.scraped[n])} if args.scrape else {}),
                **{peer.name: lambda n, peer=peer: peer.run(self, self._slot(peer.slot, n)) for peer in self.peers}}

    def rounds_of(self, reader):
        return self.peer_rounds if reader in {peer.name for peer in self.peers} else self.args.rounds

    def recvlogical(self, number):
        postgres, slot = self.own.postgres, self._slot("recvlogical", number)
        command = [self.recvlogical_program, "-h", self._host(), "-p", str(postgres.port), "-U", postgres.user, "-d", self.database.name,
                   "--start", "-S", slot, "-f", "/dev/null", "-o", "proto_version=1", "-o", "publication_names=bench",
                   "--no-loop", "--endpos", self.end]
        process = subprocess.Popen(command, env={**os.environ, "PGPASSWORD": postgres.password}, stdin=subprocess.DEVNULL)
        measured = measure(process, self.database, slot, self.rows, self.broker_pid)
        if process.returncode != 0:
            raise SystemExit(f"bench: pg_recvlogical ended with exit code {process.returncode}")
        return measured

    def _drain_scraped(self, connector):
        port, ended = free_port(), threading.Event()

        def scrape():
            while not ended.wait(1):
                with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
                    page.read()
        scraper = threading.Thread(target=scrape, daemon=True)
        scraper.start()
        try:
            return self.drain(connector, "--listen", f"127.0.0.1:{port}")
        finally:
            ended.set()
            scraper.join()

    def drain(self, connector, *arguments):
        connector.start("--until-lsn", self.end, *arguments)
        measured = measure(connector.process, self.database, connector.slot, self.rows, self.broker_pid)
        if connector.process.returncode != 0:
            raise SystemExit(f"bench: walduct ended with exit code {connector.process.returncode}:\n{connector.log_text()[-2000:]}")
        if "sink" not in connector.worker:
            self._check_rows(connector)
        return measured

    def _check_rows(self, connector):
        topic = TopicReader(self.own.bootstrap, self.workload.topic(connector.prefix))
        with contextlib.closing(topic):
            # The markers of transactions count, too.
            if topic.count() < self.rows:
                raise SystemExit(f"bench: {connector.prefix} wrote {topic.count()} of {self.rows} rows")


def in_turns(bench):
    """What each reader of one workload measured, round by round."""
    args, workload = bench.args, bench.workload
    print(f"\n{workload.name}: preparing {bench.rows} rows in transactions of {workload.transaction or args.transaction}", flush=True)
    bench.prepare()
    time.sleep(2)
    readers = bench.readers()
    results = {name: [] for name in readers}
    bench.drain(bench.warm_up)
    for number, names in enumerate(rounds({name: bench.rounds_of(name) for name in readers}, args.rounds)):
        for name in names:
            results[name].append(readers[name](number))
            print(f"round {number + 1}: {line(name, results[name][-1])}", flush=True)
    return {name: measured for name, measured in results.items() if measured}


def touched_memory():
    """Until what it answers is closed, files are written to memory that this machine has used before. Memory that was free is handed to a virtual
    machine by its host at the first touch, which costs a broker more than all it does with a record, and depends on what ran before.
    (Only processors of Intel's and AMD's kind say whether they are virtual.)"""
    hole = tempfile.TemporaryFile(dir=BINARY.parent)  # on a disk: in a file system in memory a hole takes none
    if "hypervisor" not in Path("/proc/cpuinfo").read_text() or os.environ.get("SERVERS_SHORT_LIVED") == "1":
        return hole
    known = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    size = (int(known["MemFree"].split()[0]) << 10) + MARGIN_BYTES
    with contextlib.suppress(OSError, ValueError):  # "max"
        size = min(size, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    print(f"bench: touching {size >> 30} GB of memory", flush=True)
    hole.truncate(size)
    buffer = bytearray(1 << 20)
    while hole.readinto(buffer):
        pass
    return hole


@contextlib.contextmanager
def private_servers(args, chosen, pg_set=None, kafka_set=None):
    """The servers that these workloads need, with more settings, and a directory."""
    with tempfile.TemporaryDirectory(prefix="walduct-bench-") as directory:
        os.chmod(directory, 0o777)  # the server runs as another user, and puts its socket there
        settings = {**backlog.SETTINGS, "max_replication_slots": "200", "max_wal_senders": "20",
                    "unix_socket_directories": directory if args.unix else "", **(pg_set or {})}
        own = servers.private(postgres=args.postgres, kafka=not args.no_kafka,
                              registry=any(WORKLOADS[name].registry for name in chosen),
                              pg_set=settings, kafka_set=kafka_set)
        try:
            with contextlib.nullcontext() if args.no_kafka else touched_memory():
                yield own, Path(directory)
        finally:
            own.remove()
