"""A small ledger of incremental snapshots; tests/ledger/run.py plays large ones."""
import os
import random
import time

import pytest

from ledger.run import STRATEGIES, Play, properties

ROWS, CHUNK, TABLES = 12_000, 200, 3


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_topics_are_the_tables_after_kills(strategy, db, connectors):
    """Several signals wait, a writer goes at full speed, and the process is killed five times."""
    seed = int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
    connector = connectors(db, {**properties(strategy, CHUNK), "walduct.snapshot.rows.per.second": "3000"}, worker={"offset.flush.interval.ms": "100"})
    result = Play(db, connector, ROWS, TABLES, seed).run(kill_seconds=1, chunk=CHUNK, deadline=time.monotonic() + 180, most_kills=5)
    assert result["good"] and result["kills"] > 0, result
