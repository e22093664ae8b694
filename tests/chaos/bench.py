"""What a run of chaos stands on: the servers behind their proxies, the connector, a supervisor that starts it again whenever it ends."""
import contextlib
import os
import subprocess
import threading
import time
from collections import Counter

from chaos.ledger import PUBLISHED, TABLES
from chaos.proxy import Proxy
from support import servers as all_servers
from support.cluster import Pair
from support.connector import PLAIN_JSON, Connector, database_properties
from support.kafka import TopicReader

FAILOVER_SINCE = 17  # the version of PostgreSQL whose logical slots fail over


class NotPlayed(Exception):
    """This machine or this configuration has not what a fault needs."""


class SmallDisk:
    """A file system of its own for the offset file, small enough to be filled; only root can have one."""

    def __init__(self, directory, wanted):
        self.directory, self.why_not = directory, None
        directory.mkdir()
        if not wanted:
            self.why_not = "the offset is not in a file on a small disk"
        elif os.getuid() != 0:
            self.why_not = "only root can mount one"
        else:
            done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "walduct-chaos", directory], capture_output=True, text=True)
            self.why_not = done.stderr.strip() if done.returncode else None

    def fill(self):
        if self.why_not:
            raise NotPlayed(self.why_not)
        with contextlib.suppress(OSError), open(self.directory / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))

    def empty(self):
        (self.directory / "filler").unlink(missing_ok=True)

    def close(self):
        if self.why_not is None:
            subprocess.run(["umount", "-l", self.directory], check=False)


def behind_a_proxy(proxy, listener, plain, controller):
    """Settings of a broker whose clients are told to come through the proxy, those of the tests not."""
    listeners = f"PLAINTEXT://127.0.0.1:{plain},PROXIED://127.0.0.1:{listener}"
    return {"listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{plain},PROXIED://127.0.0.1:{proxy.port}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}"}


class Bench:
    def __init__(self, directory, version, exactly_once=False, small_disk=True):
        listener, plain, controller = all_servers.free_ports(3)
        self.kafka_proxy = Proxy("127.0.0.1", listener)
        self.bootstrap = f"127.0.0.1:{plain}"
        settings = {"wal_sender_timeout": "10s"}
        if version >= FAILOVER_SINCE:
            settings["synchronized_standby_slots"] = "standby"
        self.servers = all_servers.private(postgres=version, kafka=True, pg_set=settings,
                                           kafka_set=behind_a_proxy(self.kafka_proxy, listener, plain, controller))
        self.disk = SmallDisk(directory / "disk", small_disk and not exactly_once)
        self.pair = Pair(self.servers) if version >= FAILOVER_SINCE else None
        self.database = self.servers.postgres.database("chaos").create()
        self.database.script(TABLES)
        self.database.script(f"""create table scratch (id int primary key, v text);
            create publication chaos for table {PUBLISHED} with (publish_via_partition_root);
            create role connector login superuser password 'chaos'""")
        self.proxy = Proxy("127.0.0.1", self.servers.postgres.port)
        self.offset_file = None if exactly_once else self.disk.directory / "offsets.dat"
        config, worker = self._properties(version, exactly_once)
        self.connector = Connector(directory, config, worker)
        self.second = Connector(directory / "second", config, worker)  # one configuration, and one offset file
        self.reader = TopicReader(self.bootstrap, "chaos.")
        self.ends, self.supervises = Counter(), threading.Event()

    def _properties(self, version, exactly_once):
        config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
                  **database_properties(self.database), "database.port": str(self.proxy.port), "database.user": "connector",
                  "database.password": "chaos", "topic.prefix": "chaos", "slot.name": "chaos", "publication.name": "chaos",
                  "publication.autocreate.mode": "disabled", "schema.include.list": "public", "snapshot.mode": "when_needed",
                  "message.key.columns": "public.leaves:id",
                  "retriable.restart.connector.wait.ms": "1000", "slot.retry.delay.ms": "500", "slot.max.retries": "100",
                  **PLAIN_JSON}
        if version >= FAILOVER_SINCE:
            config["slot.failover"] = "true"
        worker = {"bootstrap.servers": f"127.0.0.1:{self.kafka_proxy.port}"}
        if exactly_once:
            config["exactly.once.support"] = "required"
            worker |= {"offset.storage.topic": "offsets-chaos", "offset.storage.partitions": "1",
                       "offset.storage.replication.factor": "1"}
        else:
            worker["offset.storage.file.filename"] = str(self.offset_file)
        return config, worker

    def start(self):
        self.supervises.set()
        self.connector.start()
        threading.Thread(target=self._supervise, daemon=True).start()

    def _supervise(self):
        while self.supervises.is_set():
            if not self.connector.running():
                self.ends[self.connector.process.returncode] += 1
                self.connector.start()
            time.sleep(0.1)

    def signal(self, which):
        if self.connector.running():
            self.connector.process.send_signal(which)

    def sql(self, *statements):
        with self.database.connect(connect_timeout=5) as session:
            for statement in statements:
                session.execute(statement)

    def promote(self):
        """The primary is lost under load, its standby takes its place, and gets one itself."""
        if self.pair is None:
            raise NotPlayed(f"slots fail over since PostgreSQL {FAILOVER_SINCE}")
        if self.pair.standby is None:  # the last promotion was disturbed
            self.pair.make_standby()
        self.pair.wait_synced("chaos")
        self.pair.fail_over()
        self.database.server = self.servers.postgres
        self.proxy.target = ("127.0.0.1", self.servers.postgres.port)
        self.proxy.cut()
        self.pair.make_standby()

    def close(self):
        self.supervises.clear()
        time.sleep(0.3)
        self.reader.close()
        self.connector.close()
        self.second.close()
        if self.pair is not None:
            self.pair.close()
        self.servers.remove()
        self.disk.close()
