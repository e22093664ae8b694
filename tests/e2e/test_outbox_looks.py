"""Whoever looks at an outbox table that is polled leaves its rows to the connector that publishes them."""
import pytest

from test_outbox_poll import MARKED, put
from support.polling import polled
from support.wait import wait_until

LOOKS = [("tail",), ("tail", "--operation", "d"), ("shadow", "--directory", "shadow"), ("record", "corpus"),
         ("run", "-o", "sink=stdout", "--until-caught-up"),
         ("run", "-o", "sink=file", "-o", "sink.file.path=looked", "--until-caught-up")]
LIVE = {"walduct.outbox.publish.locally": None, "sink": None}


def rows(db):
    return db.execute("select * from outbox order by id")


def locks(db):
    return db.value("select count(*) from pg_locks where locktype = 'advisory'"
                    " and database = (select oid from pg_database where datname = current_database())")


@pytest.fixture
def live(databases, pg17, connectors, tmp_path):
    """What runs in production, with three rows to be published."""
    db = databases(pg17)
    db.execute(MARKED)
    put(db, 1, 3)

    def make(**more):
        return db, connectors(db, {**polled(db), **LIVE, **more}, superuser=True)
    return make


@pytest.mark.parametrize("done", ["mark", "delete"])
@pytest.mark.parametrize("look", LOOKS, ids=lambda look: "-".join(look[:3]))
def test_a_look_takes_no_row(live, tmp_path, look, done):
    db, connector = live(**{"walduct.outbox.done": done})
    before = rows(db)
    look = [look[0], *(str(tmp_path / word) if word in ("shadow", "corpus") else word for word in look[1:])]
    ended = connector.call(*look)
    assert ended.returncode == 2, ended.stderr
    assert "walduct.outbox.source=" in ended.stderr and "SELECT" in ended.stderr, ended.stderr
    assert rows(db) == before and locks(db) == 0 and not ended.stdout
    assert not (tmp_path / "shadow").exists()


@pytest.mark.parametrize("done", ["mark", "delete"])
def test_tail_looks_through_a_slot(live, done):
    """As its refusal says."""
    db, connector = live(**{"walduct.outbox.done": done})
    before = rows(db)
    connector.start("-o", "walduct.outbox.source=slot", command="tail").wait_streaming()
    put(db, 4, 4)
    wait_until(lambda: f"{db.name}.event.Order" in connector.out.read_text(), 20, "the new row")
    connector.stop()
    assert rows(db)[:3] == before and len(rows(db)) == 4 and not db.slots()


@pytest.mark.parametrize("done, left", [("mark", 3), ("delete", 0)])
def test_a_test_prints_its_own_table(live, done, left):
    db, connector = live(**{"walduct.outbox.done": done, "walduct.outbox.publish.locally": "true", "sink": "stdout"})
    printed = connector.call("run", "--until-caught-up")
    assert printed.returncode == 0 and len(printed.stdout.splitlines()) == 3, printed.stderr
    assert len(rows(db)) == left and db.value("select count(*) from outbox where published_at is null") == 0
    again = connector.call("run", "--until-caught-up")
    assert again.returncode == 0 and not again.stdout
