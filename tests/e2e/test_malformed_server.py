"""A server that is none, or means no good: a clear error, soon, within bounded memory."""
import itertools
import os
import re
import ssl
import time

import pytest

from support.connector import STREAMING
from support.false_postgres import (FalsePostgres, ShorteningRelay, answers_with_one_column, answers_without_end,
                                    asks_for_rounds)
from support.tls import Authority
from support.wait import wait_until


@pytest.fixture
def false_server(db, connectors, tmp_path):
    """A connector that is led to a server of this kind."""
    servers = []

    def start(talk, tls=False):
        settings = {}
        context = None
        if tls:
            authority = Authority(tmp_path)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*authority.issue("server", hosts=["127.0.0.1"]))
            settings = {"database.sslmode": "verify-full", "database.sslrootcert": str(authority.certificate)}
        servers.append(FalsePostgres(talk, context))
        return connectors(db, {"database.hostname": "127.0.0.1", "database.port": str(servers[-1].port), "errors.max.retries": "0",
                               **settings})
    yield start
    for server in servers:
        server.close()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("pieces", [False, True], ids=["at-once", "in-pieces"])
def test_rounds_of_scram_without_end(pieces, tls, false_server):
    """libpq would compute them, at 2^31 for an hour, deaf to any signal."""
    connector = false_server(asks_for_rounds(2**31 - 1, pieces), tls)
    begin = time.monotonic()
    assert connector.run_to_end() == 3
    assert time.monotonic() - begin < 20
    assert connector.logged("asks for 2147483647 rounds of SCRAM.*reason=scram_iterations hint=")


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("pieces", [False, True], ids=["at-once", "in-pieces"])
def test_rounds_as_many_as_servers_use(pieces, tls, false_server):
    """The control: they are computed, and the server is told the proof."""
    proofs = []
    connector = false_server(asks_for_rounds(4096, pieces, proofs), tls)
    connector.run_to_end()
    assert not connector.logged("scram_iterations")
    assert any(b",p=" in proof for proof in proofs), proofs


def test_an_answer_without_end(false_server):
    connector = false_server(answers_without_end)
    connector.start()
    peak = 0
    while connector.running():
        try:
            peak = max(peak, connector.peak_rss_kb())
        except (FileNotFoundError, ProcessLookupError, StopIteration):
            break
        time.sleep(0.02)
    assert connector.wait_exit() == 3
    assert connector.logged("larger than 64 MB.*reason=answer_too_large hint=")
    assert peak < 300_000, peak


def test_an_answer_with_too_few_columns(false_server):
    connector = false_server(answers_with_one_column)
    assert connector.run_to_end() == 4
    assert connector.logged("with 1 columns instead of .*reason=malformed_answer hint=")


TAKES = ["column", "columns", "rows"]
# What is only advice ends nothing: of keys, of publications, of who is in the way, of how tables are published, of attached ones.
ADVICE = re.compile(r"\btold AS \(|ON i\.indrelid = w\.oid AND i\.indisunique\b|\bWITH RECURSIVE publication AS\b"
                    r"|\bSELECT w\.oid FROM pg_catalog\.unnest|\bSELECT s\.active_pid, coalesce\(a\.application_name|'pid %s \(database|\bAS truncates\b|\bSELECT r\.oid, r\.(prrelid|pnnspid)\b"
                    r"|\bNOT \(?t\.xmin = a\.xmin\b|\bup\(oid, parent\)|\bs\.now::pg_catalog\.text\b|\bl\.fresh, l\.by\b")


def ends_nothing(take, application, statement):
    """Sessions beside the stream only watch; the last column of IDENTIFY_SYSTEM is the database's name, which is known."""
    return application.endswith((" watch", " slots")) or ADVICE.search(statement) or (take == "column" and statement == "IDENTIFY_SYSTEM")


@pytest.mark.parametrize("take", TAKES)
def test_each_answer_is_short_once(take, pg17, databases, connectors):
    """From the first question of a start to the stream, the snapshot included: an error or nothing, never an abort. Each loses
    something of every third answer; E2E_EVERY_ANSWER=1: of each. Columns that are missing are an error, but for what is only advice."""
    db = databases(pg17)
    db.script("create type mood as enum ('sad'); create table items (id int primary key, m mood, v text);"
              "insert into items values (1, 'sad', 'x')")
    every = "E2E_EVERY_ANSWER" in os.environ
    ended = 0
    for which in itertools.count(0 if every else TAKES.index(take), 1 if every else len(TAKES)):
        relay = ShorteningRelay(pg17, take, which)
        connector = connectors(db, {"database.hostname": "127.0.0.1", "database.port": str(relay.port), "errors.max.retries": "0",
                                    "slot.max.retries": "0"}, sink="file").start()
        wait_until(lambda: not connector.running() or connector.logged(STREAMING), 60, "the stream or the end")
        code = connector.terminate() if connector.running() else connector.wait_exit()
        relay.close()
        question = relay.question()
        assert code >= 0, f"signal {-code} at answer {which}, {question}:\n{connector.log_text()[-2000:]}"
        malformed = code == 4 and bool(connector.logged("reason=malformed_answer"))
        ended += malformed
        if take != "rows" and question is not None:
            # Who may be in the way is more than advice to a process that stood still.
            # What a start remembers for the first look is advice, by the statements that are more than that elsewhere.
            told = connector.logged("how tables are captured is not known error=.*the server answered a query with")
            expected = not told and (not ends_nothing(take, *question) or bool(connector.logged("stood still .* the server answered a query with")))
            assert malformed == expected, f"{code} at answer {which}, {question}:\n{connector.log_text()[-2000:]}"
        db.drop_slot(connector.slot)
        if question is None:
            break
    assert ended > (0 if take == "rows" else 8), ended
