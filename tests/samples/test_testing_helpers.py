"""The helpers of examples/testing, as docs/testing.md says: each makes a PostgreSQL of its own, or takes a server that is there. None of
the machines that run this has Docker: the containers' part is compiled, and not run."""
import json
import os
import re
import shutil
import subprocess

import pytest

from samples.languages import GO, SAMPLES, maven
from support.paths import BINARY, ROOT

HELPERS = ROOT / "examples" / "testing"


@pytest.fixture(params=["processes", "a server that is there"])
def environment(request, tmp_path):
    """Not Docker in any case: what it is asked for is the part that these machines can run."""
    given = {"WALDUCT": str(BINARY), "DOCKER_HOST": f"unix://{tmp_path}/none"}
    if request.param == "processes":
        return given
    server = request.getfixturevalue("private_servers")(postgres=15, pg_set={"max_replication_slots": "10"}).postgres
    before = server.query("select datname from pg_database order by 1")
    request.addfinalizer(lambda: left_behind(server, before))
    return {**given, "WALDUCT_TEST_DATABASE": f"postgres://{server.user}:{server.password}@{server.host}:{server.port}/postgres"}


def left_behind(server, before):
    left = [name for name, in server.query("select datname from pg_database order by 1") if (name,) not in before]
    assert not [name for name in left if re.fullmatch("test_[0-9a-f]{12}", name)]
    assert not server.query("select 1 from pg_replication_slots where slot_name ~ '^test_[0-9a-f]{12}$'")
    assert not server.query("select 1 from pg_roles where rolname ~ '^test_[0-9a-f]{12}$'")


def run(*command, cwd, environment):
    done = subprocess.run([str(a) for a in command], cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_pytest(environment, tmp_path):
    shutil.copytree(HELPERS / "pytest", tmp_path / "copy")
    python = SAMPLES / "python" / "bin" / "python"
    code, said = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path / "copy", environment=environment)
    assert code == 0 and "3 passed" in said, said
    # It would fail: an event more.
    test = tmp_path / "copy" / "test_orders.py"
    test.write_text(test.read_text().replace("    place_order(database, \"c8\"", "    place_order(database, \"c9\", \"9\")\n    place_order(database, \"c8\""))
    code, said = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path / "copy", environment=environment)
    assert code == 1 and "1 failed, 2 passed" in said, said


@pytest.mark.parametrize("source", ["slot", "poll"])
def test_pytest_takes_a_connector_of_ones_own(environment, tmp_path, source):
    """Its table has other names, and its transform another topic."""
    copy = tmp_path / "copy"
    shutil.copytree(HELPERS / "pytest", copy)
    (copy / "own.json").write_text(json.dumps({"name": "own", "config": {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "database.hostname": "production", "database.port": "5432",
        "database.user": "walduct", "database.password": "${env:DATABASE_PASSWORD}", "database.dbname": "shop", "topic.prefix": "own",
        **({"slot.name": "own", "table.include.list": "public.my_events"} if source == "slot" else
           {"walduct.outbox.source": "poll", "walduct.outbox.tables": "public.my_events"}),
        "transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
        "transforms.outbox.route.by.field": "about", "transforms.outbox.table.field.event.key": "about_id",
        "transforms.outbox.route.topic.replacement": "own.${routedByValue}",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter"}}))
    (copy / "conftest.py").write_text("""import pytest
pytest_plugins = ["walduct_outbox"]


@pytest.fixture
def outbox_connector():
    return "own.json"


@pytest.fixture
def outbox_tables():
    return "create table my_events (id bigserial primary key, about text, about_id text, payload jsonb, published_at timestamptz)"
""")
    (copy / "test_orders.py").write_text("""def test_own(outbox):
    for n in (1, 2):
        with outbox.connect() as database:
            database.execute("insert into my_events (about, about_id, payload) values ('order', %s, '{}')", (str(n),))
        event, = outbox.events()
        assert (event.topic, event.key) == ("own.order", str(n))
""")
    code, said = run(SAMPLES / "python" / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=copy, environment=environment)
    assert code == 0 and "1 passed" in said, said


def test_pytest_says_what_walduct_said(environment, tmp_path):
    shutil.copytree(HELPERS / "pytest", tmp_path / "copy")
    test = tmp_path / "copy" / "test_orders.py"
    test.write_text(test.read_text().replace("'Order', %s, 'OrderPlaced'", "'Order', %s, NULL"))
    python = SAMPLES / "python" / "bin" / "python"
    code, said = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path / "copy", environment=environment)
    assert code == 1 and "NotNullViolation" in said, said


def test_the_container_of_pytest_is_asked_for_as_its_library_has_it():
    """It cannot be started here: there is no Docker. Those of Java and Go are checked by their compilers."""
    text = (HELPERS / "pytest" / "walduct_outbox.py").read_text()
    arguments = re.search(r"PostgresContainer\((IMAGE, .*)\)", text).group(1)
    code, said = run(SAMPLES / "python" / "bin" / "python", "-c",
                     "import inspect, docker; from testcontainers.postgres import PostgresContainer as P; IMAGE = 'postgres:17'\n"
                     f"bound = inspect.signature(P.__init__).bind(None, {arguments})\n"
                     "assert not bound.arguments.get('kwargs'), bound\n"
                     "P.with_command, P.start, P.stop, P.get_connection_url, docker.from_env", cwd=HELPERS, environment={})
    assert code == 0, said


def test_junit(environment, tmp_path):
    shutil.copytree(HELPERS / "junit", tmp_path / "copy")
    maven(tmp_path / "copy", "test", environment=environment)
    report, = (tmp_path / "copy" / "target" / "surefire-reports").glob("*.txt")
    assert "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0" in report.read_text()


def test_go(environment, tmp_path):
    if shutil.which("go") is None:
        pytest.skip("no go: Debian 12 has one that is too old for its libraries")
    shutil.copytree(HELPERS / "go", tmp_path / "copy")
    code, said = run("go", "vet", "./...", cwd=tmp_path / "copy", environment={**environment, **GO})
    assert code == 0, said
    code, said = run("go", "test", "-count=1", "-v", "./...", cwd=tmp_path / "copy", environment={**environment, **GO})
    assert code == 0 and said.count("--- PASS") == 3, said
