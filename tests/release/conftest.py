"""What the tests of a release share: the release, the systems, the servers."""
import os

import pytest

os.environ.setdefault("SERVERS_SHORT_LIVED", "1")

from support import servers  # noqa: E402
from support.release import Release, unpacked  # noqa: E402

MEMBERSHIP = pytest.StashKey()


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.stash[MEMBERSHIP] = servers.join_run()


def pytest_unconfigure(config):
    if MEMBERSHIP in config.stash:
        servers.leave_run(config.stash[MEMBERSHIP])


@pytest.fixture(scope="session")
def release():
    made = Release()
    assert made.file("deb").exists(), "run scripts/package release"
    return made


@pytest.fixture(params=["bullseye", "bookworm", "trixie"])
def anywhere(request):
    with unpacked(request.param) as chroot:
        yield chroot


@pytest.fixture(params=["bookworm", "trixie"])
def debian(request):
    with unpacked(request.param) as chroot:
        yield chroot
