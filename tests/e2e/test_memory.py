"""What it takes to drain a backlog at full speed."""
import time

from support import backlog

ROWS = 600_000
RSS_LIMIT_KB = 48 << 10


def test_backlog_within_bounds(private_servers, databases, connectors):
    """600,000 rows of 15 columns that were waiting in the slot, into a topic that the broker has yet to create."""
    servers = private_servers(postgres=15, kafka=True, pg_set={"max_wal_size": "8GB"})
    db = databases(servers.postgres)
    db.execute(backlog.TABLE)
    connector = connectors(db, {"snapshot.mode": "no_data"}, worker={"bootstrap.servers": servers.bootstrap})
    assert connector.run_to_end("--until-caught-up") == 0
    end = backlog.fill(db, ROWS, transaction=1000)
    begin = time.monotonic()
    connector.start("--until-lsn", end)
    most = 0
    while connector.running():
        most = max(most, peak_while_running(connector))
        time.sleep(0.02)
    seconds = time.monotonic() - begin
    assert connector.process.returncode == 0, connector.log_text()[-3000:]
    print(f"{ROWS} rows in {seconds:.1f} s, RSS at most {most} kB")
    assert 0 < most <= RSS_LIMIT_KB, f"RSS {most} kB, limit {RSS_LIMIT_KB} kB"
    assert connector.reader.count() == ROWS


def peak_while_running(connector):
    try:
        return connector.peak_rss_kb()
    except StopIteration:
        return 0  # it has just ended
