"""Sinks that refuse one in ten of what is written, under three writers: nothing is lost, and each key keeps its order."""
import random

import pytest

from support import servers
from support.nats import Nats
from support.rabbitmq import RabbitMq
from support.redis import Redis
from support.refusing import NatsDoor, RedisDoor
from support.wait import wait_until
from support.writer import ThreeWriters, updates_in


def one_in_ten(way):
    """At random, but for the first ten."""
    choose = random.Random(1)
    return lambda number: way if number == 3 or number > 10 and choose.random() < 0.1 else "ok"


def every_tenth(way):
    """Who sends again ten at a time would meet it for ever."""
    return lambda number: way if number % 10 == 3 else "ok"


def nothing():
    pass


def many_at_once(db):
    """Ten changes of each row, which are on their way together."""
    db.script("begin; lock table t in exclusive mode; do $$ begin for i in 1..10 loop update t set v = v + 1; end loop; end $$; commit")


@pytest.mark.parametrize("ids", ["auto", "position"])
@pytest.mark.parametrize("way", [*RedisDoor.ANSWERS, "close", "lost"])
def test_redis_refuses_one_in_ten(db, connectors, way, ids):
    redis = servers.shared("redis", redis=True).redis
    door, writers = RedisDoor(redis, (every_tenth if ids == "auto" else one_in_ten)(way)), ThreeWriters(db)
    config = {"sink.redis.address": door.address, "sink.redis.batch.size": "5", "walduct.sink.redis.ids": ids}
    connector = connectors(db, config, sink="redis").start().wait_streaming()
    writers.disturb(nothing, 1, 30)

    def seen():
        with Redis(redis) as client:
            return updates_in(fields[0][1] for _, fields in client.entries(f"{db.name}.public.t"))
    wait_until(lambda: writers.all_in(seen()), 60, "all updates")
    connector.stop()
    assert door.refused >= 1
    writers.check(seen(), once=ids == "position" or way in RedisDoor.ANSWERS)
    assert not connector.logged("retrying")
    door.close()


@pytest.mark.parametrize("discard", ["old", "new"])
@pytest.mark.parametrize("way", [*NatsDoor.ANSWERS, "close", "lost"])
def test_nats_refuses_one_in_ten(db, connectors, way, discard):
    """What is behind a refused one is refused, too, whatever the stream's limits are, and it gets on."""
    url = servers.shared("nats", nats=True).nats
    door, writers = NatsDoor(url, (every_tenth if discard == "old" else one_in_ten)(way)), ThreeWriters(db)
    with Nats(url) as client:
        client.create(db.name, [f"{db.name}.>"], discard=discard, max_msgs=1_000_000)
    connector = connectors(db, {"sink.nats-jetstream.url": door.url}, sink="nats-jetstream").start().wait_streaming()
    writers.disturb(lambda: many_at_once(db), 1, 10)

    def seen():
        with Nats(url) as client:
            return updates_in(body for _, _, body in client.messages(db.name))
    wait_until(lambda: writers.all_in(seen()), 90, "all updates")
    connector.stop()
    assert door.refused >= 1
    writers.check(seen(), once=True)
    door.close()
    with Nats(url) as client:
        client.delete(db.name)


@pytest.mark.parametrize("in_flight", ["1", "1024"])
@pytest.mark.parametrize("way", ["full", "unbound"])
def test_rabbitmq_refuses_again_and_again(db, connectors, way, in_flight):
    """One at a time each key keeps its order; with many on their way a key's last message is its last change."""
    address, writers, got, steps = servers.shared("rabbitmq", rabbitmq=True).rabbitmq, ThreeWriters(db), [], iter(range(10**9))
    host, _, port = address.rpartition(":")
    config = {"sink.rabbitmq.connection.host": host, "sink.rabbitmq.connection.port": port, "sink.rabbitmq.exchange": db.name,
              "sink.rabbitmq.routingKey": "all", "snapshot.mode": "no_data", "walduct.sink.rabbitmq.max.in.flight": in_flight}
    with RabbitMq(address) as client:
        client.exchange(db.name)
        client.queue(db.name, (db.name, "#"), **({"x-max-length": 10, "x-overflow": "reject-publish"} if way == "full" else {}))

        def read():
            got.extend(updates_in(body for _, _, body in client.take(db.name)))
            return got

        def disturb():
            if way == "full":
                if client.count(db.name) >= 10:
                    read()
            elif next(steps) % 10 == 0:
                client.channel.queue_unbind(db.name, db.name, "#")
            else:
                client.channel.queue_bind(db.name, db.name, "#")
        connector = connectors(db, config, sink="rabbitmq").start().wait_streaming()
        writers.disturb(disturb, 40, 0)
        client.channel.queue_bind(db.name, db.name, "#")
        wait_until(lambda: writers.all_in(read()), 60, "all updates")
        connector.stop()
        read()
        client.channel.exchange_delete(db.name)
        client.delete(db.name)
    assert connector.logged("does not take")
    if in_flight == "1":
        writers.check(got)
    else:
        writers.check(list(reversed(dict.fromkeys(reversed(got)))))
