"""A sink that is away for long, under a writer: memory is bounded, hardly any CPU is used, a line tells at least each minute, and it goes on by itself.
E2E_AWAY_S says how long; by name, as it takes ten minutes for each sink."""
import json
import os
import time

import pytest

from support.destinations import OfHttp, OfKinesis, OfNats, OfRabbitMq, OfRedis, OfSns, OfSqs
from support.wait import wait_until
from support.writer import Updates

AWAY_S = int(os.environ.get("E2E_AWAY_S", "600"))
MOST_KB = 48 * 1024


def is_last(body):
    """Without reading it: of the tens of thousands that came, each time one looks."""
    return (b'"id":99,' if isinstance(body, bytes) else '"id":99,') in body


@pytest.mark.timeout(AWAY_S + 300)
@pytest.mark.parametrize("kind", [OfRedis, OfNats, OfRabbitMq, OfHttp, OfKinesis, OfSqs, OfSns], ids=lambda kind: kind.sink)
def test_a_sink_is_away_for_long(db, private_servers, connectors, kind):
    target = kind(None if kind is OfHttp else private_servers(**{kind.name: True}), db)
    db.execute("create table t (id int primary key, v int, pad text); insert into t select n, 0, repeat('x', 1000) from generate_series(1, 20) n")
    connector = connectors(db, target.config(), sink=target.sink).start(environment=target.environment).wait_streaming()
    wait_until(lambda: len(target.bodies()) >= 20, 30, "the snapshot")
    target.down()
    writer = Updates(db, 0.1)  # 200 rows a second
    writer.start()
    connector.wait_log("not take records: they wait")
    wait_until(lambda: writer.changes > 50, 30, "what fills its buffers")
    begin, cpu = time.monotonic(), connector.cpu_seconds()
    wait_until(lambda: time.monotonic() - begin > AWAY_S, AWAY_S + 30, "a long time", interval_s=0.5)
    used, peak = (connector.cpu_seconds() - cpu) / (time.monotonic() - begin), connector.peak_rss_kb()
    lines = connector.log_text().count("no progress for")
    print(f"{kind.sink}: {100 * used:.2f} % of a core, {peak} kB at most, {lines} lines")
    target.up()
    writer.stop()
    db.execute("insert into t values (99, 0, '')")
    wait_until(lambda: any(is_last(body) for body in target.bodies()), 120, "the last row")
    connector.stop()
    target.close()
    rows = [json.loads(body)["after"] for body in target.bodies()]
    for key in range(1, 21):
        assert list(dict.fromkeys(row["v"] for row in rows if row["id"] == key)) == list(range(writer.changes + 1))
    assert peak < MOST_KB and used < 0.01 and AWAY_S // 60 <= lines <= AWAY_S // 30 + 2, (used, peak, lines)
