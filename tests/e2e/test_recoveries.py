"""What the hint of an error says is typed as it stands, in the order in which it stands, and ends in a connector that works: two
commands at most."""
import os
import re
import shlex
import subprocess

import pytest
from test_serve import config_of, workers  # noqa: F401

from support.paths import BINARY
from support.wait import wait_until

TABLE = "create table items (id int primary key, note text)"


def walduct(*arguments, **environment):
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})


def typed(hint, db, *more):
    """What a hint tells to type: SQL and commands, as they stand between its words."""
    done = []
    for found in re.finditer(r"walduct (?:offsets reset)(?:[^,:;()]|:(?=/|\d))*|(?:ALTER|CREATE|GRANT|DROP) [A-Z][^;:]*?(?=;|, then|:|$)|SELECT pg_[a-z_]+\([^)]*\)", hint):
        text = found.group().strip()
        if text.startswith("walduct "):
            named = " --url " in text or " -f " in text
            result = walduct(*shlex.split(text)[1:], *(() if named else more))
            assert result.returncode == 0, (text, result)
        else:
            db.execute(text)
        done.append(text)
    return done


def lose(db, slot, private):
    """The slot falls behind by more than the server allows, and is invalidated."""
    db.execute("create table noise (t text)")
    for _ in range(6):
        db.execute("insert into noise select repeat('x', 1000) from generate_series(1, 30000)")
        db.execute("select pg_switch_wal()")
    db.execute("checkpoint")
    wait_until(lambda: db.value("select wal_status from pg_replication_slots where slot_name = %s", slot) == "lost", 60, "lost")


@pytest.fixture
def small(private_servers):
    return private_servers(postgres=17, pg_set={"max_slot_wal_keep_size": "32MB", "max_wal_size": "64MB", "min_wal_size": "32MB"})


BREAKS = {
    "slot_lost": lambda db, slot, server: lose(db, slot, server),
    "position_lost": lambda db, slot, server: db.execute("select pg_drop_replication_slot(%s)", slot),
    "publication_missing": lambda db, slot, server: db.script(f'drop publication "{slot}"; insert into items values (7)'),
}


@pytest.mark.parametrize("reason", BREAKS)
def test_run(reason, small, databases, connectors):
    db = databases(small.postgres)
    db.script(TABLE)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    BREAKS[reason](db, connector.slot, small)
    connector.start()
    assert connector.wait_exit() in (3, 4), connector.log_text()
    log = connector.log_text()
    assert f"reason={reason}" in log and "NAME" not in log, log
    hint = re.search(r'hint="((?:[^"\\]|\\.)*)"', log[log.index("stopped: "):]).group(1).replace('\\"', '"')
    override = re.search(r"-o (snapshot\.mode=\w+)", hint)
    assert connector.name in hint, hint
    if override:
        typed_run = re.search(r"\(walduct (run -f [^)]*)\)", hint).group(1)
        assert shlex.split(typed_run) == ["run", *map(str, connector.files()), "-o", override.group(1)], hint
        connector.start("-o", override.group(1))
    else:
        assert len(typed(hint, db, *connector.files())) == 1, hint
        connector.start()
    connector.wait_streaming()
    db.execute("insert into items values (2)")
    connector.wait_events(lambda events: any(e.value and e.id == 2 and e.op == "c" for e in events))
    assert connector.terminate() == 0
    connector.start().wait_streaming()
    assert connector.terminate() == 0, "it stays mended"


@pytest.mark.parametrize("reason", BREAKS)
def test_serve(reason, small, workers, databases):  # noqa: F811
    db = databases(small.postgres)
    db.script(TABLE)
    worker = workers().start()
    config = config_of(db)
    worker.create("shop", config)
    worker.wait_state("shop", "RUNNING/RUNNING")
    slot = config["slot.name"]
    wait_until(lambda: db.value("select count(*) from pg_replication_slots where slot_name = %s and active", slot) == 1, 60, "it streams")
    assert walduct("stop", "shop", "--url", worker.base).returncode == 0
    wait_until(lambda: db.value("select count(*) from pg_replication_slots where slot_name = %s and not active", slot) == 1, 60, "it rests")
    BREAKS[reason](db, slot, small)
    walduct("resume", "shop", "--url", worker.base)
    worker.wait_state("shop", "RUNNING/FAILED")
    status = worker.get("/status")["connectors"][0]
    error = status["last_error"]
    assert error["reason"] == reason, error
    commands = typed(error["hint"].split(". So that")[0], db, "--url", worker.base)
    assert 1 <= len(commands) <= 2 and "shop" in commands[-1], error
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: db.value("select count(*) from pg_replication_slots where slot_name = %s and active", slot) == 1, 60, "it streams")


# What a first start finds, on a server of its own: the role is everybody's.
FIRST = {
    "role_may_not_replicate": (3, 'alter role "{role}" noreplication', {}),
    "may_not_connect": (3, 'revoke connect on database "{db}" from public, "{role}"', {}),
    "table_not_readable": (3, 'alter table items owner to current_user; revoke all on items from public, "{role}"; '
                              'create publication "{db}" for table items', {"publication.autocreate.mode": "disabled"}),
    "publication_missing": (3, "select 1", {"publication.autocreate.mode": "disabled"}),
}


@pytest.mark.parametrize("reason", FIRST)
def test_a_first_start(reason, small, databases, connectors):
    code, broken, config = FIRST[reason]
    db = databases(small.postgres)
    db.script(TABLE)
    connector = connectors(db, config, sink="file")
    db.script(broken.format(role=connector.config["database.user"], db=db.name))
    connector.start()
    assert connector.wait_exit() == code, connector.log_text()
    log = connector.log_text()
    assert f"reason={reason}" in log, log
    hint = re.search(r'hint="((?:[^"\\]|\\.)*)"', log[log.index("stopped: "):]).group(1).replace('\\"', '"')
    commands = typed(hint.split(" (Amazon")[0], db)
    assert 1 <= len(commands) <= 2, hint
    connector.start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    assert connector.terminate() == 0


def test_doctor_knows_a_publication_that_was_made_anew(db, connectors):
    db.script(TABLE)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    wait_until(lambda: "walduct_tables" in (connector.offset() or {}), 30, "it goes with the position")
    connector.stop()
    assert "publication_missing" not in connector.call("doctor").stdout
    db.script(f'drop publication "{connector.publication}"; insert into items values (2); create publication "{connector.publication}" for table items')
    done = connector.call("doctor")
    assert done.returncode == 2 and "error  publication_missing" in done.stdout, done
    assert "--drop-slot --accept-loss" in done.stdout, done
    connector.start()
    assert connector.wait_exit() == 3
    reset = connector.call("offsets", "reset", "--drop-slot", "--accept-loss")
    assert reset.returncode == 0 and "is dropped" in reset.stdout, reset
    assert "publication_missing" not in connector.call("doctor").stdout
    connector.start().wait_streaming()
    connector.wait_events(lambda events: {e.id for e in events if e.value} == {1, 2})
    assert connector.terminate() == 0


def test_a_slot_that_is_good_is_not_dropped(db, connectors):
    db.script(TABLE)
    connector = connectors(db, sink="file").start().wait_streaming()
    connector.stop()
    refused = connector.call("offsets", "reset", "--drop-slot")
    assert refused.returncode == 3 and "--accept-loss" in refused.stderr, refused
    kept = connector.call("offsets", "reset")
    assert kept.returncode == 0 and "is dropped" not in kept.stdout, kept
    assert db.value("select count(*) from pg_replication_slots where slot_name = %s", connector.slot) == 1


def status_of(worker, name):
    page = worker.get("/status")
    return next((one for one in page["connectors"] + page["resting"] if one["name"] == name), {})


def test_a_slot_that_is_lost_while_nobody_reads_it(small, workers, databases):  # noqa: F811
    """Of a paused, a stopped and a failed connector: status has the very command, and what follows it where it does not start by itself."""
    db = databases(small.postgres)
    db.script(TABLE)
    worker = workers().start()
    names = {"paused": "pause", "stopped": "stop", "failed": None}
    slots = {name: f"{db.name}_{name}" for name in names}
    for name in names:
        worker.create(name, config_of(db, **{"slot.name": slots[name], "publication.name": slots[name], "topic.prefix": slots[name]}))

    def active():
        return db.value("select count(*) from pg_replication_slots where active and slot_name = any(%s)", list(slots.values()))
    wait_until(lambda: active() == 3, 60, "all stream")
    db.script(f'drop publication "{slots["failed"]}"; insert into items values (1)')
    worker.wait_state("failed", "RUNNING/FAILED")
    for name in ("paused", "stopped"):
        assert walduct(names[name], name, "--url", worker.base).returncode == 0
    wait_until(lambda: active() == 0, 60, "all rest")
    lose(db, slots["paused"], small)
    for name in names:
        wait_until(lambda name=name: status_of(worker, name).get("slot", {}).get("problem"), 30, f"{name} is told of")
        shown = walduct("status", name, "--url", worker.base)
        assert shown.returncode == 6 and status_of(worker, name)["health"] == "failed", shown
        reset = f"walduct offsets reset {name} --accept-loss --url {worker.base}"
        then = f", then walduct resume {name} --url {worker.base}" if names[name] else ", which starts it again"
        assert reset + then + ":" in shown.stdout, shown
        assert reset in walduct("doctor", name, "--url", worker.base).stdout
    # Both commands as they stand; what the first one says is what is left.
    for name in names:
        done = walduct(*shlex.split(f"offsets reset {name} --accept-loss --url {worker.base}"))
        assert done.returncode == 0 and ("walduct resume" in done.stdout) == bool(names[name]), done
        if names[name]:
            wait_until(lambda name=name: "problem" not in status_of(worker, name).get("slot", {}), 30, f"{name} has nothing to tell of")
            assert worker.state(name).split("/")[0] == name.upper(), "it stays as it was asked to be"
            assert walduct(*shlex.split(f"resume {name} --url {worker.base}")).returncode == 0
    wait_until(lambda: active() == 3, 60, "all stream again")
    wait_until(lambda: walduct("status", "--url", worker.base).returncode == 0, 20, "the last looks have seen it")
