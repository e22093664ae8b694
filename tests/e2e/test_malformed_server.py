"""A server that is none, or means no good: a clear error, soon, within bounded memory."""
import ssl
import time

import pytest

from support.false_postgres import FalsePostgres, answers_with_one_column, answers_without_end, asks_for_rounds
from support.tls import Authority


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
