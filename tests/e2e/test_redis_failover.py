"""A replica of Redis takes its primary's place, with the guarantee that docs/sinks.md gives for it: WAIT on request."""
import os

import pytest

from support.redis import Redis
from support.refusing import Way
from support.wait import wait_until
from support.writer import ThreeWriters, updates_in

FAILOVERS = int(os.environ.get("E2E_KILLS", "2"))


def replicate(replica, primary):
    with Redis(replica.redis) as client:
        client.do("REPLICAOF", *primary.redis.split(":"))
        wait_until(lambda: b"master_link_status:up" in client.do("INFO", "replication"), 30, "a replica that follows")


@pytest.mark.parametrize("old", ["dead", "read-only"])
def test_a_replica_is_promoted(db, private_servers, connectors, old):
    """Again and again, under three writers. What was settled was on both servers: nothing is lost; what is sent again has the id that it had."""
    primary, replica = private_servers(redis=True), private_servers(redis=True)
    replicate(replica, primary)
    way, writers = Way(primary.redis), ThreeWriters(db)
    config = {"sink.redis.address": way.address, "sink.redis.wait.enabled": "true", "sink.redis.wait.retry.enabled": "true",
              "sink.redis.wait.timeout.ms": "500", "sink.redis.wait.retry.delay.ms": "100", "walduct.sink.redis.ids": "position"}
    connector = connectors(db, config, sink="redis").start().wait_streaming()

    def fail_over():
        nonlocal primary, replica
        if old == "dead":
            primary.do("kill-redis")
        with Redis(replica.redis) as client:
            client.do("REPLICAOF", "NO", "ONE")
        if old == "dead":
            way.to = replica.redis
            connector.wait_log("does not take records")
            primary.do("start-redis")
        replicate(primary, replica)
        connector.wait_log("does not take records" if old == "dead" else "READONLY")
        way.to = replica.redis
        primary, replica = replica, primary
    writers.disturb(fail_over, FAILOVERS, 20)

    def seen():
        with Redis(primary.redis) as client:
            return updates_in(fields[0][1] for _, fields in client.entries(f"{db.name}.public.t"))
    wait_until(lambda: writers.all_in(seen()), 60, "all updates")
    connector.stop()
    writers.check(seen(), once=True)
    way.close()
