"""What a stop of `walduct serve` says of positions that it could not store."""
import os
import subprocess

import pytest
from test_serve import config_of, published

from support.paths import BINARY
from support.serve import Worker
from support.wait import wait_until


def status(worker):
    return subprocess.run([str(BINARY), "status", "--url", worker.base], capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize("away", [True, False])
def test_positions_that_cannot_be_stored(away, private_servers, databases, tmp_path):
    """Exit code 1, in the log, and in what is kept of the end; what was read until then is no progress. Control: Kafka is there."""
    servers = private_servers(postgres=17, kafka=True)
    db = databases(servers.postgres)
    db.script("create table items (id int primary key); create table failed (id int primary key)")
    worker = Worker(tmp_path / "worker", servers.bootstrap, f"stop-{os.getpid()}").start()
    worker.create("shop", config_of(db))
    # What has failed long before is told then, not by the stop.
    worker.create("broken", config_of(db, **{"slot.name": "broken", "publication.name": "nobody", "publication.autocreate.mode": "disabled"}))
    worker.wait_state("broken", "RUNNING/FAILED")
    db.execute("insert into items values (1)")
    wait_until(lambda: published(servers.bootstrap, db) == [1], 60, "the first row")
    if away:
        servers.pause_kafka()
        db.execute("insert into items select generate_series(2, 5000)")
        wait_until(lambda: "5000 rows read in all" in status(worker), 30, "they are read")
        db.execute("insert into items select generate_series(5001, 6000)")
        assert "  rows       0 records/s acknowledged, " in status(worker)
    worker.process.terminate()
    code = worker.process.wait(40)
    said = status(worker)
    try:
        assert code == (1 if away else 0), worker.log_text()[-3000:]
        assert ("stopped before all positions were stored, of: shop: " in worker.log_text()) == away, worker.log_text()[-3000:]
        assert ("(stopped_before_stored)" in said) == away and f"exit code {code}" in said, said
    finally:
        servers.resume_kafka()
    if away:
        worker.start()
        wait_until(lambda: set(published(servers.bootstrap, db)) == set(range(1, 6001)), 60, "all rows")
        worker.stop()
