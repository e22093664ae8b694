"""The recorded corpus: what walduct writes equals, byte for byte, what the real Debezium wrote (tests/golden)."""
import os
import zlib

import pytest

from golden import run
from support import servers

# Delivered through a broker too; the file sink carries the rest.
THROUGH_KAFKA = ["snapshot_initial", "ops_schemas_on", "identity_full"]


VERSIONS = (15, 17, 18)
# Each scenario with one version, each version with about a third of them; with all when GOLDEN_VERSIONS=all (scripts/test golden).
EACH = os.environ.get("GOLDEN_VERSIONS") == "all"


def versions(name):
    return VERSIONS if EACH else [VERSIONS[zlib.crc32(name.encode()) % len(VERSIONS)]]


MUST = [pytest.param(name, version, id=f"{name}-pg{version}") for name in run.scenario_names(run.MUST) for version in versions(name)]
# The corpus was recorded with PostgreSQL 17.
ALSO = [pytest.param(name, 17, id=f"{name}-pg17") for name in run.scenario_names(run.ALSO)]


@pytest.mark.parametrize("name, version", MUST + ALSO)
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
