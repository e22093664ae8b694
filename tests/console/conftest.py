"""One Chromium for all; workers with what a test wants on them."""
import uuid

import pytest

from console.browser import Browser
from support.serve import Worker


@pytest.fixture(scope="session")
def browser():
    made = Browser()
    yield made
    made.close()


@pytest.fixture
def worker(databases, broker, tmp_path):
    made = Worker(tmp_path / "worker", broker, f"console-{uuid.uuid4().hex[:8]}")
    yield made
    made.kill()


@pytest.fixture
def writing(worker):
    worker.properties["walduct.console.write"] = "true"
    return worker.start()
