"""Where things live in a checkout."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Servers of tests start fast and are no measure of anything (scripts/servers, support/servers.py); others are on a disk.
SHORT_LIVED = os.environ.get("SERVERS_SHORT_LIVED") == "1"
RUN = ROOT / ".run" / ("test" if SHORT_LIVED else "measured")
DEPS = ROOT / ".deps"
SERVERS = ROOT / "scripts" / "servers"
GOLDEN = ROOT / "tests" / "golden"
BINARY = Path(os.environ.get("WALDUCT_BINARY", ROOT / "build" / "release" / "walduct"))
WAL_RECORDS = ROOT / "build" / "release" / "tests" / "walduct_wal_records"
RABBITMQ_CONTRACT = ROOT / "build" / "release" / "tests" / "walduct_rabbitmq_contract"
AWS_CONTRACT = ROOT / "build" / "release" / "tests" / "walduct_aws_contract"
NATS_CONTRACT = ROOT / "build" / "release" / "tests" / "walduct_nats_contract"
REDIS_CONTRACT = ROOT / "build" / "release" / "tests" / "walduct_redis_contract"
SINK_CONTRACT = ROOT / "build" / "release" / "tests" / "walduct_sink_contract"
