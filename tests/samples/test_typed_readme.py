"""examples/README.md, typed as it stands in a new shell, on a copy of the folder as a package has it: only the addresses are this test's."""
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from samples.languages import CACHE, EXAMPLES, GO, Go, call
from support.paths import BINARY
from support.wait import wait_until

README = EXAMPLES.parent / "README.md"
# Python and Node ask their registries, as a user's do; Go's and Maven's libraries are those of scripts/deps samples.
BLOCKS = {"Python": "python", "Node": "node", "Go": "go", "Java": "java"}


def block(title):
    """The first block of lines behind a line that begins so."""
    return re.search(rf"^{title}.*?\n```\n(.*?)```$", README.read_text(), re.M | re.S).group(1)


@pytest.fixture
def outbox(private_servers, databases, connectors):
    """The connector of docs/outbox.md, with its topic."""
    servers = private_servers(postgres=17, kafka=True)
    shop = databases(servers.postgres)
    shop.script(call(BINARY, "outbox", "init", "--role", servers.postgres.user, "--publication", shop.name))
    printed = json.loads(call(BINARY, "outbox", "init", "--print", "connector"))["config"]
    own = ("database.", "topic.prefix", "slot.name", "publication.name", "connector.class", "plugin.name")
    connector = connectors(shop, {**{name: value for name, value in printed.items() if not name.startswith(own)}, "schema.include.list": None},
                           worker={"bootstrap.servers": servers.bootstrap})
    return servers, shop, connector.start().wait_streaming()


@pytest.mark.parametrize("language", BLOCKS)
def test_an_order_and_its_effect(language, outbox, tmp_path):
    servers, shop, connector = outbox
    call("cp", "-r", EXAMPLES.parent, tmp_path)
    server = servers.postgres
    address = f"postgres://{server.user}:{server.password}@{server.host}:{server.port}/{shop.name}"
    lines = block("The connector of docs/outbox.md has to run") + block(language)
    lines = lines.replace("postgres://postgres:secret@localhost:5433/shop", address).replace("localhost:9092", servers.bootstrap)
    lines = lines.replace("jdbc:postgresql://localhost:5433/shop?user=postgres&password=secret",
                          f"jdbc:postgresql://{server.host}:{server.port}/{shop.name}?user={server.user}&password={server.password}")
    assert address in lines and servers.bootstrap in lines
    ours = {"DATABASE_URL", "BOOTSTRAP_SERVERS", "ADMIN", "BILLING", "TOPIC", "GROUP"}
    environment = {**{name: value for name, value in os.environ.items() if name not in ours}, "HOME": str(tmp_path), **GO,
                   "PYENV_ROOT": os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv")), "MAVEN_OPTS": f"-Dmaven.repo.local={CACHE / 'm2'}"}
    log = tmp_path / "typed.log"
    with open(log, "wb") as output:
        typed = subprocess.Popen(["bash", "-e"], cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=output, stderr=output,
                                 start_new_session=True)
    try:
        typed.stdin.write(lines.encode())
        typed.stdin.close()

        def applied():
            assert typed.poll() is None, log.read_text()[-3000:]
            return "placed 1" in log.read_text() and "applied" in log.read_text()
        wait_until(applied, 240, "the effect", interval_s=0.5)
        assert shop.execute("select customer, orders, total::text from customer_totals") == [("c7", 1, "99.90")]
    finally:
        if typed.poll() is None:
            os.killpg(typed.pid, signal.SIGTERM)
            try:
                typed.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(typed.pid, signal.SIGKILL)
                typed.wait()
    connector.stop()


def testing_blocks():
    """Those behind "## testing", in their order: each a shell of its own."""
    return re.findall(r"^```\n(.*?)```$", README.read_text().partition("\n## testing\n")[2], re.M | re.S)


@pytest.mark.parametrize("helper, says", [("pytest", "3 passed"), ("junit", "Tests run: 3, Failures: 0, Errors: 0"), ("go", r"ok\s+\S+")])
def test_the_tests_of_an_outbox(helper, says, tmp_path):
    """With walduct on the path, as a package puts it, and PostgreSQL's programs."""
    block, = (one for one in testing_blocks() if f"cd testing/{helper}\n" in one)
    assert len(testing_blocks()) == 3
    if helper == "go" and Go.missing():
        pytest.skip(Go.missing())
    call("cp", "-r", EXAMPLES.parent, tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "walduct").symlink_to(BINARY)
    environment = {**{name: value for name, value in os.environ.items() if not name.startswith(("WALDUCT", "PG"))}, "HOME": str(tmp_path), **GO,
                   "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "DOCKER_HOST": f"unix://{tmp_path}/none",
                   "PYENV_ROOT": os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv")), "MAVEN_OPTS": f"-Dmaven.repo.local={CACHE / 'm2'}"}
    typed = subprocess.run(["bash", "-e"], cwd=tmp_path / "examples", env=environment, input=block, capture_output=True, text=True, timeout=400)
    assert typed.returncode == 0 and re.search(says, typed.stdout), typed.stdout[-3000:] + typed.stderr[-2000:]
