"""Promotions under load, one after the other; what was the standby is the primary of the next. E2E_PROMOTIONS=50 is the drill."""
import os
import random

import pytest

from chaos.ledger import TABLES, Account, Writer, wait_complete
from support.cluster import Pair
from support.events import from_lines
from support.wait import wait_until

PROMOTIONS = int(os.environ.get("E2E_PROMOTIONS", "2"))

pytestmark = pytest.mark.timeout(600 + 60 * PROMOTIONS)


class Drill:
    """A pair under a writer with a ledger, and a connector that knows both addresses."""

    def __init__(self, private_servers, databases, connectors, synchronized):
        waits = {"synchronized_standby_slots": "standby"} if synchronized else {}
        self.servers = private_servers(postgres=17, pg_set=waits)
        self.pair = Pair(self.servers)
        self.db = databases(self.servers.postgres)
        self.db.script(TABLES)
        both = {"database.hostname": "127.0.0.1,127.0.0.1", "database.port": ",".join(map(str, self.pair.ports)),
                "database.target_session_attrs": "primary"}
        self.connector = connectors(self.db, {**both, "slot.failover": "true", "publish.via.partition.root": "true",
                                              "message.key.columns": "public.leaves:id",
                                              "retriable.restart.connector.wait.ms": "500"}, sink="file")
        self.connector.start().wait_streaming()
        self.choose = random.Random(int(os.environ.get("E2E_SEED", "5")))
        self.writer = None
        self.read, self.rest = [], ""  # of the records so far; the file grows with each snapshot, so none is read twice
        self.records = None

    def write(self):
        self.writer = Writer(self.db, self.choose.random(), rate=100)
        self.writer.next = (self.db.value("select max(id) from entries") or 0) + 1_000_000  # what was lost is not used again
        self.writer.start()

    def events(self):
        if self.records is None:
            self.records = open(self.connector.dir / "records.jsonl", errors="surrogateescape")
        whole, newline, self.rest = (self.rest + self.records.read()).rpartition("\n")
        self.read += from_lines(whole + newline)
        return self.read

    def published(self):
        return sum(e.table == "entries" for e in self.events())

    def wait_more(self, rows):
        before = self.published()
        wait_until(lambda: self.published() >= before + rows, 120, f"{rows} more rows", interval_s=0.1)

    def fail_over(self):
        self.db.close_session()
        self.pair.fail_over()
        self.db.server = self.servers.postgres

    def account(self):
        return Account(self.db, wait_complete(self.db, self.events))

    def close(self):
        if self.writer is not None:
            self.writer.stop()
        self.pair.close()
        if self.records is not None:
            self.records.close()


@pytest.fixture
def drill(private_servers, databases, connectors):
    made = []

    def make(**how):
        made.append(Drill(private_servers, databases, connectors, **how))
        return made[-1]
    yield make
    for one in made:
        one.close()


def test_SLT_18_promotions_under_load(drill):
    """synchronized_standby_slots is set: whatever the primary loses was never published, and the connector goes on by itself."""
    drill = drill(synchronized=True)
    drill.write()
    for _ in range(PROMOTIONS):
        drill.pair.wait_synced(drill.connector.slot)
        drill.wait_more(drill.choose.randint(1, 100))
        drill.fail_over()
        drill.pair.make_standby()
        drill.wait_more(1)
    drill.writer.stop()
    account = drill.account()
    print(f"{PROMOTIONS} promotions: {account.text()}")
    assert account.good, account.wrong[:5]
    drill.connector.stop()


@pytest.mark.parametrize("behind", [True, False], ids=["behind-the-position", "control"])
def test_FAIL_18_promotions_that_lose_the_end(behind, drill):
    """It is not set, and the standby has stood still while rows were published: each promotion ends with exit code 4, and a snapshot is
    what then makes Kafka right again. The control: the standby had everything, and each promotion goes on."""
    drill = drill(synchronized=False)
    connector = drill.connector
    for _ in range(PROMOTIONS):
        drill.write()
        drill.pair.wait_synced(connector.slot)
        drill.wait_more(10)
        if behind:
            drill.pair.standby.stop()
            drill.wait_more(10)
        drill.writer.stop()
        account = drill.account()
        assert not account.lost
        connector.stop()
        if not behind:
            drill.pair.standby.wait_replayed()
        drill.fail_over()
        drill.write()  # the new primary grows past the position
        drill.pair.make_standby()
        if behind:
            for _ in range(2):
                assert connector.run_to_end() == 4, connector.log_text()[-2000:]
                assert connector.logged("reason=position_diverged")
            connector.config["snapshot.mode"] = "when_needed"
        connector.start().wait_streaming(60)
        connector.config["snapshot.mode"] = "initial"
        drill.wait_more(1)
        drill.writer.stop()
    account = drill.account()
    print(f"{PROMOTIONS} promotions: {account.text()}")
    assert not account.lost and bool(account.invented) == behind
    if not behind:
        assert account.good, account.wrong[:5]
    connector.stop()
