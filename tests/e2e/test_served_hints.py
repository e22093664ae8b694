"""What `walduct status` says to do about a connector of `walduct serve` that has failed is typed into a shell as it stands, and it goes on:
a worker has no file that could be changed."""
import json
import re
import shlex
import shutil
import subprocess

import pytest
from test_serve import config_of, published, shop, workers  # noqa: F401
from test_typed_hints import kafka_tool

from support.http import ask
from support.kafka import TopicReader
from support.paths import BINARY
from support.wait import wait_until

LARGE = "select repeat(md5(random()::text), 100000)"  # 3.2 MB; records may have 1 MB


@pytest.fixture
def shell(tmp_path):
    """Types a line in bash, where `walduct` is the program under test."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "walduct").symlink_to(BINARY)

    def run(line):
        done = subprocess.run(["bash", "-o", "pipefail", "-ec", line], capture_output=True, text=True, timeout=60,
                              env={"PATH": f"{tmp_path}/bin:/usr/local/bin:/usr/bin:/bin"})
        assert done.returncode == 0, (line, done)
        return done.stdout
    return run


def hint_of(worker, name, reason):
    worker.wait_state(name, "RUNNING/FAILED")
    error = json.loads(ask(worker.port, f"/status?connector={name}")[1])["connectors"][0]["last_error"]
    assert error["reason"] == reason, error
    return error["hint"]


def skip_in(hint):
    return re.search(r"walduct skip .*?(?= leaves this one row out)", hint).group(0)


@pytest.mark.parametrize("incremental", [False, True])
def test_a_row_of_a_snapshot_is_left_out(incremental, shop, broker, shell):  # noqa: F811
    worker, db = shop("create table items (id int primary key, note text); insert into items select g from generate_series(1, 5) g;"
                      f"update items set note = ({LARGE}) where id in (3, 5)",
                      {"snapshot.mode": "no_data"} if incremental else {}, state=None)
    if incremental:
        worker.wait_state("shop", "RUNNING/RUNNING")
        wait_until(lambda: db.slot(db.name) and db.slot(db.name)["active"], 30, "it streams")
        shell(f"walduct signal execute-snapshot shop --table public.items --url {worker.base}")
    for row in (3, 5):
        command = skip_in(hint_of(worker, "shop", "record_too_large"))
        assert f"""--row-key '{{"id":{row}}}'""" in command and command.endswith(f"--url {worker.base}"), command
        unasked = subprocess.run(["bash", "-c", command.replace("walduct", str(BINARY), 1)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert unasked.returncode == 2 and "say --yes" in unasked.stderr, unasked
        shell(command + " --yes")
        # FAILED until the configuration is taken.
        wait_until(lambda: row == 3 or worker.state("shop") == "RUNNING/RUNNING", 60, "it goes on")
        if row == 3:
            wait_until(lambda: '"id":5' in json.dumps(json.loads(ask(worker.port, "/status?connector=shop")[1])).replace("\\", ""), 60, "the next")
    wait_until(lambda: set(published(broker, db)) == {1, 2, 4}, 60, "the others")
    db.execute("insert into items values (6)")
    wait_until(lambda: 6 in published(broker, db), 60, "the stream")
    wait_until(lambda: worker.log_text().count("row of a snapshot left out, as walduct.snapshot.skip.rows asks for") >= 2, 30, "both are told of")
    wait_until(lambda: "COMPLETED" in shell(f"walduct status --url {worker.base} || true"), 30, "it has ended")
    assert "rows left out: 2" in shell(f"walduct status --url {worker.base} || true")
    ends = json.loads(ask(worker.port, "/status?connector=shop")[1])["connectors"][0]["last_snapshots"]
    assert [end["rows_left_out"] for end in ends if end["event"] == "COMPLETED"] == ["2"], ends
    assert re.search(r"snapshot completed, without all rows.* rows_left_out=2", worker.log_text())
    worker.stop()


def test_a_record_that_is_too_large_is_let_through(shop, broker, shell):  # noqa: F811
    """Whose limit it is, and both commands with their values."""
    worker, db = shop(f"create table items (id int primary key, note text); insert into items values (1, ({LARGE}))", state=None)
    hint = hint_of(worker, "shop", "record_too_large")
    error = json.loads(ask(worker.port, "/status?connector=shop")[1])["connectors"][0]["last_error"]
    assert "larger than the producer's max.request.size allows: 32" in error["message"] and "Broker" not in error["message"], error
    tool = re.search(r"kafka-configs\.sh .*?max\.message\.bytes=(\d+)", hint)
    patch = re.search(r"curl -X PATCH .*?\}'", hint).group(0)
    assert f'"producer.override.max.request.size":"{tool.group(1)}"' in patch, hint
    shell(patch)
    # The producer takes it now, and the topic does not: it is the broker that is told of.
    wait_until(lambda: "Broker: Message size too large" in worker.ask_text("/status?connector=shop")[1], 60, "the broker's limit", interval_s=0.3)
    worker.wait_state("shop", "RUNNING/FAILED")
    said = re.search(r"kafka-configs\.sh .*?max\.message\.bytes=\d+", hint_of(worker, "shop", "record_too_large")).group(0)
    assert said == tool.group(0), said
    kafka_tool(shlex.split(said))
    shell(f"walduct restart shop --url {worker.base}")
    wait_until(lambda: published(broker, db) == [1], 60, "the record")
    worker.stop()


@pytest.mark.skipif(not shutil.which("jq"), reason="no jq")
def test_a_mask_that_is_lost_is_given_the_new_name(shop, broker, shell):  # noqa: F811
    worker, db = shop("create table items (id int primary key, ssn text); insert into items values (1, '555-1')",
                      {"column.mask.with.4.chars": "public.items.ssn"}, state=None)
    wait_until(lambda: published(broker, db) == [1], 60, "the snapshot")
    db.script("alter table items rename ssn to ssn_no; insert into items values (2, '555-2')")
    hint = hint_of(worker, "shop", "mask_lost")
    lines = hint.split("walduct serve is told so by: ")[1].split(", or by: ")
    assert len(lines) == 2 and lines[0].startswith("curl -s ") and '{"walduct.mask.lost":"warn"}' in lines[1], lines
    shell(lines[0])
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: published(broker, db) == [1, 2], 60, "the row")
    values = [event.value for event in TopicReader(broker, f"{db.name}.public.items").read()]
    assert len(values) == 2 and not [value for value in values if b"555-" in value], values
    assert worker.get("/connectors/shop/config")["column.mask.with.4.chars"] == "public.items.ssn,public.items.ssn_no"
    # The entry of the old name is kept as the hint said: nothing says the opposite.
    wait_until(lambda: worker.ask_text("/metrics")[1].count("walduct_capture_look_age_seconds{"), 30, "it was looked at")
    shown = shell(f"walduct status --url {worker.base} || true") + shell(f"walduct doctor shop --url {worker.base} || true")
    assert "column_matches_nothing" not in shown and "match no column" not in shown, shown
    worker.stop()


def test_doctor_names_the_process_in_what_it_prints(shop, broker, shell):  # noqa: F811
    """A table that came back to the publication: `walduct signal …` with name and address."""
    worker, db = shop("create table items (id int primary key); insert into items values (1)",
                      {"publication.autocreate.mode": "filtered"}, state=None)
    wait_until(lambda: published(broker, db) == [1], 60, "the snapshot")
    db.execute(f'alter publication "{db.name}" drop table items')
    db.execute("insert into items values (2)")
    db.execute(f'alter publication "{db.name}" add table items')
    db.execute("insert into items values (3)")
    wait_until(lambda: 3 in published(broker, db), 60, "the stream")

    def command():
        done = subprocess.run([str(BINARY), "doctor", "shop", "--url", worker.base, "--json"], capture_output=True, text=True, timeout=60)
        hints = [finding["hint"] for finding in json.loads(done.stdout)["connectors"][0]["findings"]]
        found = [re.search(r"walduct signal execute-snapshot .*?--url [^ ,;]+", hint) for hint in hints]
        return next((one.group(0) for one in found if one), None)
    line = wait_until(command, 60, "the finding", interval_s=1)
    assert shlex.split(line)[3] == "shop" and line.endswith(f"--url {worker.base}"), line
    shell(line)
    wait_until(lambda: 2 in published(broker, db), 60, "what was written meanwhile")
    worker.stop()


def problem_of(worker, name, reason):
    """The hint of what is found about its tables."""
    def hint():
        capture = json.loads(ask(worker.port, f"/status?connector={name}")[1])["connectors"][0].get("capture", {})
        return next((one["hint"] for one in capture.get("problems", []) if one["reason"] == reason), None)
    return wait_until(hint, 40, reason, interval_s=0.3)


def test_a_table_with_another_name_is_captured_again(shop, broker, shell):  # noqa: F811
    """The list as a whole, with the new name in the place of the old one; what was written meanwhile is read by what is typed next."""
    worker, db = shop("create table items (id int primary key); create table other (id int primary key); insert into items values (1)",
                      {"table.include.list": "public.items,public.other"}, state=None)
    wait_until(lambda: published(broker, db) == [1], 60, "the snapshot")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 30, "it streams")
    db.execute("insert into items values (0)")
    wait_until(lambda: published(broker, db) == [1, 0], 60, "a row from the stream")
    db.script("alter table items rename to articles; insert into articles values (2)")
    hint = problem_of(worker, "shop", "captured_table_renamed")
    patch = re.search(r"curl -X PATCH .*?\}'", hint).group(0)
    assert '{"table.include.list":"public.other,public.articles"}' in patch, hint
    shell(patch)
    worker.wait_state("shop", "RUNNING/RUNNING")
    read = re.search(r"walduct signal execute-snapshot .*?--url [^ ,;]+", hint).group(0)
    assert read.split()[3:6] == ["shop", "--table", "public.articles"], read

    def ids():
        return {json.loads(event.value)["after"]["id"] for event in TopicReader(broker, f"{db.name}.public.articles").read()}
    wait_until(lambda: db.slot(db.name)["active"], 30, "it streams")
    db.execute("insert into articles values (3)")
    wait_until(lambda: 3 in ids(), 60, "the new name")
    shell(read)
    wait_until(lambda: ids() == {0, 1, 2, 3}, 60, "what was written before")
    worker.stop()


def test_what_is_meant_is_said_once(shop, broker, shell):  # noqa: F811
    """A table that was dropped for good: the worker goes on, and so do its other connectors."""
    worker, db = shop("create table items (id int primary key); create table old (id int primary key); insert into items values (1)",
                      {"table.include.list": "public.items,public.old"}, state=None)
    wait_until(lambda: published(broker, db) == [1], 60, "the snapshot")
    db.execute("drop table old")
    hint = problem_of(worker, "shop", "captured_table_dropped")
    line = hint.split("where it is, ")[1]
    assert "process" not in hint and line.startswith("take them out of the list: curl -X PATCH "), hint
    shell(re.search(r"curl -X PATCH .*?\}'", line).group(0))
    wait_until(lambda: worker.get("/connectors/shop/config")["table.include.list"] == "public.items", 30, "the list")
    worker.wait_state("shop", "RUNNING/RUNNING")
    db.execute("insert into items values (2)")
    wait_until(lambda: published(broker, db) == [1, 2], 60, "it goes on")
    wait_until(lambda: worker.ask_text("/metrics")[1].count("walduct_capture_look_age_seconds{"), 30, "it was looked at")
    shown = shell(f"walduct status --url {worker.base} || true")
    assert "captured_table_dropped" not in shown and "list_matches_nothing" not in shown, shown
    worker.stop()


def test_what_another_connector_reads_is_not_to_be_dropped(shop):  # noqa: F811
    """By one publication; the doctor of the worker knows both."""
    lists = {"publication.autocreate.mode": "disabled"}
    worker, db = shop("create table items (id int primary key); create table orders (id int primary key); create table old (id int primary key);"
                      'create publication "{db}" for table items, orders, old', lists)

    def more():
        told = subprocess.run([BINARY, "doctor", "shop", "--url", worker.base, "--json"], capture_output=True, text=True, timeout=60).stdout
        return [one for one in json.loads(told)["connectors"][0]["findings"] if one["reason"] == "publication_sends_more"]
    wait_until(lambda: worker.get("/status")["connectors"][0]["activity"] == "streaming", 60, "it streams")
    one, = more()
    assert "share it (2): public.old, public.orders" in one["message"], one
    assert one["hint"].startswith("where no other connector reads them by this publication: ALTER PUBLICATION"), one
    worker.create("other", config_of(db, **{**lists, "table.include.list": "public.orders", "slot.name": f"{db.name}_o", "topic.prefix": f"{db.name}_o"}))
    worker.wait_state("other", "RUNNING/RUNNING")
    one, = more()
    assert "(1): public.old" in one["message"] and "orders" not in one["message"] + one["hint"], one
    db.execute(f'alter publication "{db.name}" drop table old')
    assert not more()
    worker.stop()


def test_the_publication_of_another_connector_is_left_alone(shop, broker, shell):  # noqa: F811
    """What was read by before is there: its name is what to type, and no ALTER of the other one's."""
    worker, db = shop("create table items (id int primary key); create table events (id int primary key); insert into items values (1);"
                      'create publication "{db}" for table items; create publication "{db}_e" for table events',
                      {"publication.autocreate.mode": "disabled", "table.include.list": "public.items"}, state=None)
    wait_until(lambda: published(broker, db) == [1], 60, "the snapshot")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 30, "it streams")
    other = {"publication.autocreate.mode": "disabled", "table.include.list": "public.events", "publication.name": f"{db.name}_e"}
    worker.create("other", config_of(db, **other, **{"slot.name": f"{db.name}_o", "topic.prefix": f"{db.name}_o"}))
    worker.wait_state("other", "RUNNING/RUNNING")
    assert worker.ask("PATCH", "/connectors/shop/config", {"publication.name": f"{db.name}_e"})[0] == 200
    hint = problem_of(worker, "shop", "publication_lacks_tables")
    assert hint.startswith(f"publication.name was {db.name}, by which the stored position was read"), hint
    assert "by which another connector reads: ALTER PUBLICATION" in hint, hint
    told = shell(f"walduct doctor shop --url {worker.base} --json || true")
    lacks = [one["hint"] for one in json.loads(told)["connectors"][0]["findings"] if one["reason"] == "publication_lacks_tables"]
    assert lacks and not [one for one in lacks if one.startswith("ALTER")], lacks
    db.execute("insert into items values (2)")
    shell(re.search(r"curl -X PATCH .*?\}'", hint).group(0))
    wait_until(lambda: worker.get("/connectors/shop/config")["publication.name"] == db.name, 30, "the name")
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 30, "it streams")
    db.execute("insert into items values (3)")
    wait_until(lambda: 3 in published(broker, db), 60, "the stream")
    shell(re.search(r"walduct signal execute-snapshot .*?--url [^ ,;]+", hint).group(0))
    wait_until(lambda: 2 in published(broker, db), 60, "what was written meanwhile")
    assert db.published_tables(f"{db.name}_e") == ["public.events"]
    worker.stop()


def test_one_slot_of_two_connectors(shop, broker):  # noqa: F811
    """Taken as Kafka Connect takes it; who has the slot is said by its name, and the slot is not one to drop with the first of them."""
    worker, db = shop("create table items (id int primary key); insert into items values (1)", state=None)
    wait_until(lambda: published(broker, db) == [1], 60, "the snapshot")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 30, "it streams")
    config = {**worker.get("/connectors/shop/config"), "name": "shop2", "topic.prefix": f"{db.name}_2", "slot.max.retries": "0", "errors.max.retries": "0"}
    worker.create("shop2", config)
    log = worker.log_text()
    assert re.search(r"two connectors are to read one replication slot.* name=shop2 .*connector shop of this worker reads it", log), log
    hint = hint_of(worker, "shop2", "slot_in_use")
    assert hint.startswith("connector shop of this process reads it: give one of the two another slot.name"), hint
    assert "pg_terminate_backend" not in hint and "other process" not in hint, hint
    shared = {one["name"]: one.get("shared_slot", {}).get("message", "") for one in worker.get("/status")["connectors"]}
    assert "connector shop2, too" in shared["shop"] and "connector shop, too" in shared["shop2"], shared
    assert worker.ask("DELETE", "/connectors/shop")[0] == 204
    said = next(line for line in worker.log_text().splitlines() if "connector deleted" in line)
    assert "pg_drop_replication_slot" not in said and "connector shop2 would lose" in said, said
    assert worker.ask("DELETE", "/connectors/shop2")[0] == 204
    wait_until(lambda: f"SELECT pg_drop_replication_slot('{db.name}')" in worker.log_text(), 10, "the last one's")
    worker.stop()
