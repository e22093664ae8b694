"""What people see who sit before it: help, colours, `tail` for eyes, `status --watch`."""
import re
import subprocess

import pytest

from support.http import Surface
from support.paths import BINARY
from support.terminal import Terminal
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")


def walduct(*arguments, **options):
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=30, **options)


@pytest.fixture
def terminals():
    made = []

    def make(*arguments, **options):
        made.append(Terminal(BINARY, *arguments, **options))
        return made[-1]
    yield make
    for one in made:
        one.close()


def test_what_is_misspelt_is_answered():
    bare = walduct()
    assert bare.returncode == 2 and "\nRun:\n" in bare.stdout and bare.stderr == ""
    wrong = walduct("stauts")
    assert wrong.returncode == 2 and "did you mean status?" in wrong.stderr
    option = walduct("outbox", "init", "--databse", "x")
    assert option.returncode == 2 and "did you mean --database?" in option.stderr
    assert "did you mean import?" in walduct("help", "offsets", "imprt").stderr
    reason = walduct("explain", "slot_lsot", "--url", "http://127.0.0.1:1")
    assert reason.returncode == 2 and "no reason 'slot_lsot', and no process answers at http://127.0.0.1:1" in reason.stderr
    assert re.search(r"; slot_lost, .*\?", reason.stderr), reason.stderr
    assert walduct("explain", "WalductStalled").stdout.startswith("WalductStalled\n")
    assert "SQLSTATE" in walduct("explain", "57P01").stdout


def test_completion_of_bash_works_as_printed():
    text = f'PATH={BINARY.parent}:$PATH; source <(walduct completion bash); COMP_WORDS=(walduct stat); COMP_CWORD=1; ' \
           '_walduct walduct stat; echo "${COMPREPLY[@]}"'
    assert subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True).stdout == "status\n"


def test_errors_are_red_on_a_terminal_only(terminals, tmp_path):
    file = tmp_path / "c.json"
    file.write_text('{"name": "shop", "config": {"connector.class": "PostgresConnector"}}')
    shown = terminals("validate", "-f", file)
    assert shown.wait_exit() == 2
    assert "\x1b[31merror: " in shown.text and "\x1b[31mrefused: " in shown.text
    plain = terminals("validate", "-f", file, environment={"NO_COLOR": "1"})
    plain.wait_exit()
    assert "\x1b[" not in plain.text and "error: " in plain.text
    assert "\x1b[" not in walduct("validate", "-f", file).stdout


def test_the_clients_environment_is_told_where_it_matters(db, connectors):
    told = "environment variables of PostgreSQL's client are ignored"
    connector = connectors(db, sink="file")
    db.script("create table items (id int primary key)")
    connector.write_files()
    for command in (("validate",), ("doctor",), ("status", "--url", "http://127.0.0.1:1")):
        assert told not in walduct(*command, *connector.files(), env={"PGHOST": "elsewhere"}).stderr
    connector.start(environment={"PGHOST": "elsewhere"}).wait_streaming()
    connector.stop()
    assert connector.log_text().count(told) == 1


# --- tail ---

TABLE = "create table orders (id int primary key, item text, total numeric(8,2), raw bytea); alter table orders replica identity full"
CHANGES = ("insert into orders values (1, 'steel pipe', 199.60, '\\x0001ff'); update orders set total = 204.59 where id = 1;"
           "delete from orders where id = 1")


def test_tail_is_for_eyes_on_a_terminal(db, connectors, terminals):
    db.script(TABLE)
    connector = connectors(db)
    connector.write_files()
    tail = terminals("tail", *connector.files(), columns=78)
    tail.wait_text("streaming")
    db.script(CHANGES)
    tail.wait_text("TOMBSTONE")
    lines = [line for line in tail.plain().splitlines() if "orders" in line and "level" not in line]
    begin = r"\d\d:\d\d:\d\d\.\d{3}Z [0-9A-F]+/[0-9A-F]+ +"
    changes = [line for line in lines if re.match(begin, line)]
    assert re.fullmatch(begin + r'CREATE    public\.orders  id=1  item="steel pipe"  to.*…', changes[0]), changes
    assert re.match(begin + r"UPDATE    public\.orders  id=1  total: 199\.60 → 204", changes[1])
    assert re.fullmatch(begin + r"DELETE    public\.orders  id=1", changes[2])
    assert all(len(line) <= 78 for line in changes) and "\x1b[32mCREATE" in tail.text
    tail.type("\x03")
    assert tail.wait_exit() == 0
    assert db.slots() == []


def test_tail_for_eyes_without_a_terminal_is_not_cut(db, connectors):
    db.script(TABLE)
    connector = connectors(db).start("--pretty", "--table", "public.orders", command="tail").wait_streaming()
    db.script(CHANGES)
    wait_until(lambda: "TOMBSTONE" in connector.out.read_text(), 20, "the tombstone")
    connector.stop()
    assert 'id=1  item="steel pipe"  total=199.60  raw=\\x0001ff\n' in connector.out.read_text()
    assert "\x1b" not in connector.out.read_text()


def test_a_table_that_is_not_there_is_said_at_once(db, connectors):
    db.script(TABLE)
    refused = connectors(db).call("tail", "--table", "public.ordres")
    assert refused.returncode == 2 and refused.stdout == ""
    assert f'--table public.ordres matches no table of database "{db.name}"' in refused.stderr
    assert "did you mean public.orders?" in refused.stderr


# --- status ---

def test_status_watch_has_a_clock_and_is_left_by_q(db, connectors, terminals):
    db.script("create table items (id int primary key)")
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    for key in ("q", "\x03"):
        watch = terminals("status", "--watch", "--url", Surface(connector).base)
        watch.wait_text("RUNNING")
        assert re.search(r"\d\d:\d\d:\d\d  http://.*every second; q or Ctrl-C leaves", watch.text)
        assert not watch.echoes()
        watch.type(key)
        assert watch.wait_exit(5) == 0
        assert watch.echoes(), "the terminal is as before"
    connector.stop()


def test_status_finds_the_listener_of_the_files(db, connectors):
    db.script("create table items (id int primary key)")
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    connector.config["walduct.listen"] = Surface(connector).base.removeprefix("http://")
    connector.write_files()
    asked = walduct("status", *connector.files())
    assert asked.returncode == 0 and f"{connector.name}  RUNNING" in asked.stdout, asked
    elsewhere = walduct("status", *connector.files(), "--url", "http://127.0.0.1:1")
    assert elsewhere.returncode == 1 and "127.0.0.1:1" in elsewhere.stderr
    connector.stop()
