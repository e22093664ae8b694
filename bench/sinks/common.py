"""What the scripts here share: the servers, the table, its rows."""
import contextlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[1:1] = [str(ROOT / "tests"), str(ROOT / "bench" / "e2e")]

from sinks import OfNats, OfRabbitMq, OfRedis  # noqa: E402
from support import backlog, servers  # noqa: E402
from web import OfHttp  # noqa: E402

SINKS = {kind.name: kind for kind in (OfRedis, OfNats, OfRabbitMq, OfHttp)}
# Of bench/e2e's typical rows, with a longer note: the value of a record is 1.6 KB.
ROWS = backlog.ROWS.replace("repeat('lorem ipsum ', 8)", "repeat('lorem ipsum ', 63)")
RECORD_BYTES = 1600


def names(text):
    chosen = text.split(",")
    if unknown := set(chosen) - set(SINKS):
        raise SystemExit(f"bench: no sink {', '.join(unknown)}; there are {', '.join(SINKS)}")
    return chosen


@contextlib.contextmanager
def servers_of(sinks):
    membership = servers.join_run()  # else another run that ends takes the servers for those of a broken one
    own = servers.private(postgres=17, **{name: True for name in sinks if name != "http"},
                          pg_set={**backlog.SETTINGS, "max_replication_slots": "200", "max_wal_senders": "20"})
    try:
        yield own
    finally:
        own.remove()
        servers.leave_run(membership)


@contextlib.contextmanager
def made(sinks, own, directory):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(contextlib.closing(SINKS[name](own, directory))) for name in sinks]


def table(own):
    database = own.postgres.database("sinks").create()
    database.execute(backlog.TABLE)
    database.execute("create publication bench for table typical")
    return database


def fill(database, rows):
    """In transactions of 100."""
    backlog.fill(database, rows, 100, ROWS)
