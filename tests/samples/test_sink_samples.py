"""examples/redis, rabbitmq, nats, http, kinesis, sqs, sns: walduct in its folder, as Debezium Server is started, and the consumer, killed and started again."""
import json
import os
import shutil
import signal
import subprocess

import pytest

from samples.languages import EXAMPLES, SAMPLES
from support.aws import ENVIRONMENT, Aws, arn_of
from support.paths import BINARY
from support.redis import Redis
from support.servers import free_ports
from support.wait import wait_until

MANY = 300
ORDERS = f"""
insert into outbox (aggregatetype, aggregateid, type, payload)
select 'Order', n::text, 'OrderPlaced', jsonb_build_object('customer', 'c' || n % 7, 'total', (n + 0.25)::text) from generate_series(1, {MANY}) n"""
SECRET = "whsec_ZHVtbXktc2VjcmV0LW9mLXRoaXJ0eS10d28tYnl0ZXM="


def of_redis(servers):
    return {"REDIS": servers.redis}


def of_rabbitmq(servers):
    host, _, port = servers.rabbitmq.rpartition(":")
    return {"RABBITMQ_HOST": host, "RABBITMQ_PORT": port}


def of_nats(servers):
    return {"NATS": servers.nats}


def of_http(_):
    port, = free_ports(1)
    return {"RECEIVER": f"http://127.0.0.1:{port}", "PORT": str(port), "WEBHOOK_SECRET": SECRET}


def of_sqs(servers):
    queue = Aws(servers.aws).create_queue("outbox.fifo", FifoQueue="true")
    return {**ENVIRONMENT, "QUEUE_URL": queue, "AWS_ENDPOINT_URL": servers.aws, "DEBEZIUM_SINK_SQS_ENDPOINT": servers.aws}


def of_kinesis(servers):
    Aws(servers.aws).create_stream("outbox.event.Order", shards=2)
    return {**ENVIRONMENT, "AWS_ENDPOINT_URL": servers.aws, "DEBEZIUM_SINK_KINESIS_ENDPOINT": servers.aws}


def of_sns(servers):
    queue = Aws(servers.aws).create_topic("outbox.fifo", "billing.fifo", raw=True, FifoTopic="true")
    return {**ENVIRONMENT, "QUEUE_URL": queue, "TOPIC_ARN": arn_of("outbox.fifo"), "AWS_ENDPOINT_URL": servers.aws,
            "DEBEZIUM_SINK_SNS_ENDPOINT": servers.aws}


SINKS = {"redis": of_redis, "rabbitmq": of_rabbitmq, "nats": of_nats, "http": of_http, "kinesis": of_kinesis, "sqs": of_sqs, "sns": of_sns}
CONSUMERS = {"sns": "sqs"}  # of a queue, whoever fills it
SERVERS = {"http": {}, "kinesis": {"aws": True}, "sqs": {"aws": True}, "sns": {"aws": True}}


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


@pytest.mark.parametrize("sink", SINKS)
def test_each_event_has_its_effect_once(private_servers, processes, tmp_path, sink):
    sample = EXAMPLES.parent / sink
    servers = private_servers(postgres=17, **SERVERS.get(sink, {sink: True}))
    server, shop, billing = servers.postgres, servers.postgres.database("shop").create(), servers.postgres.database("billing").create()
    shop.script((EXAMPLES / "outbox.sql").read_text())
    billing.script((EXAMPLES / "billing.sql").read_text())
    shutil.copytree(sample, tmp_path / sink)
    environment = {**os.environ, **SINKS[sink](servers), "PGHOST": server.host, "PGPORT": str(server.port), "PGPASSWORD": "walduct",
                   "DATABASE_URL": f"postgres://{server.user}:{server.password}@{server.host}:{server.port}/billing"}
    log, seen = tmp_path / "walduct.log", tmp_path / "consumer.log"
    walduct = processes([BINARY, "run"], log, cwd=tmp_path / sink, env=environment)
    command = [SAMPLES / "python" / "bin" / "python", EXAMPLES.parent / CONSUMERS.get(sink, sink) / "consumer.py"]
    consumer = processes(command, seen, env=environment)

    shop.execute("insert into outbox (aggregatetype, aggregateid, type, payload) values ('Order', '1', 'OrderPlaced', "
                 "'{\"customer\":\"c7\",\"total\":\"99.90\"}')")
    wait_until(lambda: "applied" in seen.read_text(), 60, "the first effect")
    assert str(shop.value("select id from outbox")) in seen.read_text()
    if sink == "redis":
        with Redis(servers.redis) as client:
            (_, fields), = client.entries("outbox.event.Order")
        assert dict(fields)["key"] == "1" and json.loads(dict(fields)["EVENTTYPE"]) == "OrderPlaced"

    shop.execute(ORDERS)
    wait_until(lambda: seen.read_text().count("applied") > 20, 60, "some effects")
    consumer.send_signal(signal.SIGKILL)
    walduct.send_signal(signal.SIGKILL)
    consumer.wait(), walduct.wait()
    walduct = processes([BINARY, "run"], log, cwd=tmp_path / sink, env=environment)
    shop.execute(ORDERS)
    consumer = processes(command, seen, env=environment)
    wanted = shop.execute("select payload->>'customer', count(*), sum((payload->>'total')::numeric) from outbox group by 1 order by 1")
    wait_until(lambda: billing.execute("select customer, orders, total from customer_totals order by 1") == wanted, 120, "every effect")
    if sink == "redis":
        with Redis(servers.redis) as client:
            assert len(client.entries("outbox.event.Order")) == 1 + 2 * MANY, "an event is in the stream once"
    for process in (consumer, walduct):
        process.terminate()
        assert process.wait(30) == 0
