"""Where things live in a checkout."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RUN = ROOT / ".run" / "test"
DEPS = ROOT / ".deps"
SERVERS = ROOT / "scripts" / "servers"
GOLDEN = ROOT / "tests" / "golden"
BINARY = Path(os.environ.get("WALDUCT_BINARY", ROOT / "build" / "release" / "walduct"))
SINK_CONTRACT = ROOT / "build" / "release" / "tests" / "walduct_sink_contract"
