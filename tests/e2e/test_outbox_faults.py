"""What goes wrong beside a polled outbox table, under three writers: nothing is lost, each key keeps its order, and what comes again was in flight.
E2E_POLL_FAULTS=50 of each; those that are not in the gate run by name."""
import os

import pytest

from support.outbox_faults import BATCH, Play

FAULTS = int(os.environ.get("E2E_POLL_FAULTS", "2"))
POLICIES = ("mark", "delete", "position")
# Each in a row of its own, in turn.
GATE = [("killed", "delete"), ("notify", "mark"), ("locked", "mark"), ("clock", "delete"), ("refused", "mark"), ("away", "position")]
KINDS = ("killed", "workers", "broker", "restarted", "failover", "away", "refused", "notify", "locked", "clock")


@pytest.fixture
def plays(databases, connectors):
    made = []

    def make(server, done, **how):
        db = databases(server)
        how["worker"] = {name: value and value.replace("{name}", db.name) for name, value in (how.get("worker") or {}).items()}
        made.append(Play(db, connectors, done, **how))
        return made[-1]
    yield make
    for one in made:
        one.connector.close()
        one.close()


def killed(plays, shared, _, done):
    play = plays(shared, done)
    play.begin()
    for _ in range(FAULTS):
        play.kill()
    return play, FAULTS * BATCH


def workers(plays, shared, _, done):
    """Killed, with the keys shared out; a position with exactly once instead, of which nothing comes twice."""
    if done == "position":
        topic = {"offset.storage.file.filename": None, "offset.storage.topic": "offsets-of-faults-{name}", "offset.storage.partitions": "1",
                 "offset.storage.replication.factor": "1"}
        play = plays(shared, done, worker=topic, **{"exactly.once.support": "required"})
    else:
        play = plays(shared, done, **{"walduct.outbox.workers": "3"})
    play.begin()
    for _ in range(FAULTS):
        play.kill()
    return play, 0 if done == "position" else 3 * FAULTS * BATCH


def broker(plays, shared, private_servers, done):
    """Kafka stands still."""
    servers = private_servers(kafka=True)
    play = plays(shared, done, worker={"bootstrap.servers": servers.bootstrap})
    play.begin()
    for _ in range(FAULTS):
        play.pause_broker(servers)
    return play, FAULTS * BATCH


def restarted(plays, _, private_servers, done):
    servers = private_servers(postgres=17)
    play = plays(servers.postgres, done)
    play.begin()
    for _ in range(FAULTS):
        play.restart(servers)
    return play, FAULTS * BATCH


def failover(plays, _, private_servers, done):
    """The standby has all that is committed. Where rows are marked, the connector goes on by itself."""
    servers = private_servers(postgres=17)
    play = plays(servers.postgres, done)
    play.follow(servers)
    play.begin()
    for _ in range(FAULTS):
        play.fail_over()
    return play, FAULTS * BATCH


def away(plays, shared, _, done):
    play = plays(shared, done, sink="http")
    play.begin()
    for _ in range(FAULTS):
        play.take_sink_away()
    return play, FAULTS * 2


def refused(plays, shared, _, done):
    """Where attempts are counted a row is refused for good the first time, and tried in another session."""
    play = plays(shared, done, sink="http", **({} if done == "position" else {"walduct.sink.http.refused.attempts": "1"}))
    play.begin()
    for number in range(FAULTS):
        play.refuse((422, 500, 429, "close", 400)[number % 5])
    return play, FAULTS * 2


def notify(plays, shared, _, done):
    play = plays(shared, done)
    play.begin()
    play.connector.wait_log("wakes=notify")
    for number in range(FAULTS):
        play.end_session() if number % 2 == 0 else play.lose_notifications()
    return play, FAULTS * BATCH


def locked(plays, shared, _, done):
    play = plays(shared, done)
    play.begin()
    for _ in range(FAULTS):
        play.lock_row()
    return play, 0


def clock(plays, shared, _, done):
    play = plays(shared, done)
    play.clock = True
    play.begin()
    for _ in range(FAULTS):
        play.wait_more(50)
    return play, 0


def disturb(kind, done, plays, pg17, private_servers):
    play, most = globals()[kind](plays, pg17, private_servers, done)
    repeats = play.end()
    assert repeats <= most, f"{repeats} repeats after {FAULTS} faults: more than was in flight"


@pytest.mark.parametrize("kind, done", GATE)
def test_some_go_wrong(plays, pg17, private_servers, kind, done):
    disturb(kind, done, plays, pg17, private_servers)


@pytest.mark.parametrize("done", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_all_go_wrong(plays, pg17, private_servers, kind, done):
    if (kind, done) == ("failover", "position"):
        return failover_of_a_position(plays, private_servers)
    return disturb(kind, done, plays, pg17, private_servers)


def failover_of_a_position(plays, private_servers):
    """The numbers of transactions may be given again: it stops, and after a reset all rows are published once more."""
    servers = private_servers(postgres=17)
    play = plays(servers.postgres, "position")
    play.follow(servers)
    play.begin()
    for _ in range(FAULTS):
        play.fail_over(goes_on=False)
        assert play.connector.wait_exit(60) == 3 and play.connector.logged("outbox_position_lost"), play.connector.log_text()[-2000:]
        reset = play.connector.call("offsets", "reset", "--accept-loss")
        assert reset.returncode == 0, reset.stdout + reset.stderr
        play.connector.start().wait_streaming(60)
        play.wait_more(30)
    play.end()
