"""`walduct demo`: the story on servers that are there; afterwards nothing of it is."""
import re
import signal
import subprocess
from urllib.parse import quote

from support.kafka import topics_with_prefix
from support.paths import BINARY
from support.wait import wait_until

LEFT = """select 'schema' from pg_namespace where nspname = %(name)s
union all select 'publication' from pg_publication where pubname = %(name)s
union all select 'slot' from pg_replication_slots where slot_name = %(name)s"""


class Demo:
    def __init__(self, db, tmp_path, *arguments):
        self.db, self.name, self.out = db, f"demo_{db.name}"[:40].lower(), tmp_path / "out"
        password = tmp_path / "password"
        password.write_text(db.server.password + "\n")
        url = f"postgres://{quote(db.server.user)}@{db.server.host}:{db.server.port}/{db.name}"
        self.command = [str(BINARY), "demo", "--url", url, "--password-file", str(password), "--schema", self.name, *arguments]

    def run(self, timeout_s=90):
        return subprocess.run(self.command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout_s)

    def start(self):
        with open(self.out, "wb") as out:
            return subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def left(self):
        with self.db.connect() as session:
            return [what for what, in session.execute(LEFT, {"name": self.name})]


def lines_of(text, operation):
    """Of events, not of statements."""
    return [line for line in text.splitlines() if re.match(rf"[0-9:.Z ]{{14}}[0-9A-F/ ]+ {operation} +demo_", line)]


def told(done, demo):
    """The whole story, in order, and nothing left."""
    assert done.returncode == 0, done
    text = done.stdout
    assert [len(lines_of(text, op)) for op in ("READ", "CREATE", "UPDATE", "DELETE", "TOMBSTONE")] == [4, 3, 1, 2, 2], text
    assert "quantity: 40 → 41  total: 199.60 → 204.59" in lines_of(text, "UPDATE")[0]
    assert f"{demo.name}  RUNNING" in text and "slot       reserved" in text
    assert "database.password" not in text
    assert demo.left() == []


def test_demo_without_kafka(db, tmp_path):
    demo = Demo(db, tmp_path, "--once")
    told(demo.run(), demo)


def test_demo_with_kafka(db, broker, tmp_path):
    demo = Demo(db, tmp_path, "--once", "--kafka", broker, "--delete-topics")
    told(demo.run(), demo)
    wait_until(lambda: topics_with_prefix(broker, demo.name) == [], 10, "the topics are deleted")


def test_demo_is_ended_by_ctrl_c(db, tmp_path):
    demo = Demo(db, tmp_path)
    process = demo.start()
    wait_until(lambda: "it goes on until" in demo.out.read_text(), 60, "the end of the story")
    db.execute(f"insert into {demo.name}.customers (id, name) values (4, 'Alan')")
    wait_until(lambda: "name=Alan" in demo.out.read_text(), 20, "the event")
    assert set(demo.left()) == {"schema", "publication", "slot"}
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0, demo.out.read_text()
    assert demo.left() == []


def test_demo_touches_nothing_that_is_there(db, tmp_path):
    demo = Demo(db, tmp_path, "--once")
    db.script(f"create schema {demo.name}; create table {demo.name}.orders (id int)")
    refused = demo.run()
    assert refused.returncode == 3 and f'schema "{demo.name}"' in refused.stderr and "--schema" in refused.stderr, refused
    assert db.value(f"select count(*) from {demo.name}.orders") == 0
    assert demo.left() == ["schema"]
