"""The recorded corpus: what walduct writes equals, byte for byte, what the real Debezium wrote (tests/golden)."""
import pytest

from golden import run
from support import servers

# Delivered through a broker too; the file sink carries the rest.
THROUGH_KAFKA = ["snapshot_initial", "ops_schemas_on", "identity_full"]


@pytest.mark.parametrize("version", [15, 17, 18], ids=lambda v: f"pg{v}")
@pytest.mark.parametrize("name", run.scenario_names(run.MUST))
def test_golden(name, version, tmp_path):
    server = servers.shared(f"golden{version}", postgres=version, **run.SERVER).postgres
    with servers.file_lock(f"golden{version}-in-use"):  # one database `shop` per server
        differences = run.replay(name, server, tmp_path)
    assert not differences, "\n".join(differences)


@pytest.mark.parametrize("name", THROUGH_KAFKA)
def test_golden_through_kafka(name, broker, tmp_path):
    server = servers.shared("golden15", postgres=15, **run.SERVER).postgres
    with servers.file_lock("golden15-in-use"):
        differences = run.replay(name, server, tmp_path, broker)
    assert not differences, "\n".join(differences)
