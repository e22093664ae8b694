"""examples/redis: walduct in its folder, as Debezium Server is started, and the consumer, killed and started again."""
import json
import os
import shutil
import signal
import subprocess

import pytest

from samples.languages import EXAMPLES, SAMPLES
from support.paths import BINARY
from support.redis import Redis
from support.wait import wait_until

SAMPLE, STREAM, MANY = EXAMPLES.parent / "redis", "outbox.event.Order", 300
ORDERS = f"""
insert into outbox (aggregatetype, aggregateid, type, payload)
select 'Order', n::text, 'OrderPlaced', jsonb_build_object('customer', 'c' || n % 7, 'total', (n + 0.25)::text) from generate_series(1, {MANY}) n"""


@pytest.fixture
def processes():
    made = []

    def start(command, log, **more):
        with open(log, "ab") as output:
            made.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **more))
        return made[-1]
    yield start
    for one in made:
        if one.poll() is None:
            one.kill()
            one.wait()


def test_each_event_has_its_effect_once(private_servers, processes, tmp_path):
    servers = private_servers(postgres=17, redis=True)
    server, shop, billing = servers.postgres, servers.postgres.database("shop").create(), servers.postgres.database("billing").create()
    shop.script((SAMPLE / "outbox.sql").read_text())
    billing.script((EXAMPLES / "billing.sql").read_text())
    shutil.copytree(SAMPLE, tmp_path / "redis")
    environment = {**os.environ, "REDIS": servers.redis, "PGHOST": server.host, "PGPORT": str(server.port), "PGPASSWORD": "walduct",
                   "DATABASE_URL": f"postgres://{server.user}:{server.password}@{server.host}:{server.port}/billing"}
    log, seen = tmp_path / "walduct.log", tmp_path / "consumer.log"
    walduct = processes([BINARY, "run"], log, cwd=tmp_path / "redis", env=environment)
    command = [SAMPLES / "python" / "bin" / "python", SAMPLE / "consumer.py"]
    consumer = processes(command, seen, env=environment)

    shop.execute("insert into outbox (aggregatetype, aggregateid, type, payload) values ('Order', '1', 'OrderPlaced', "
                 "'{\"customer\":\"c7\",\"total\":\"99.90\"}')")
    wait_until(lambda: "applied" in seen.read_text(), 60, "the first effect")
    with Redis(servers.redis) as client:
        (_, fields), = client.entries(STREAM)
    told = dict(fields)
    assert told["key"] == "1" and json.loads(told["value"]) == {"customer": "c7", "total": "99.90"}
    assert json.loads(told["ID"]) == str(shop.value("select id from outbox")) and json.loads(told["EVENTTYPE"]) == "OrderPlaced"

    shop.execute(ORDERS)
    wait_until(lambda: seen.read_text().count("applied") > 20, 60, "some effects")
    consumer.send_signal(signal.SIGKILL)
    walduct.send_signal(signal.SIGKILL)
    consumer.wait(), walduct.wait()
    walduct = processes([BINARY, "run"], log, cwd=tmp_path / "redis", env=environment)
    shop.execute(ORDERS)
    consumer = processes(command, seen, env=environment)
    wanted = shop.execute("select payload->>'customer', count(*), sum((payload->>'total')::numeric) from outbox group by 1 order by 1")
    wait_until(lambda: billing.execute("select customer, orders, total from customer_totals order by 1") == wanted, 120, "every effect")
    with Redis(servers.redis) as client:
        assert len(client.entries(STREAM)) == 1 + 2 * MANY, "an event is in the stream once"
    for process in (consumer, walduct):
        process.terminate()
        assert process.wait(30) == 0
    assert seen.read_text().count("seen before") <= 1  # what was applied and not acknowledged at the kill
