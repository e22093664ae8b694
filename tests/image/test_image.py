"""The container image without a container engine: its files are read, its build steps are run, its binary is run as
the image's user. So docker/ cannot rot unseen."""
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
NOT_LISTED = {"libc6"}  # part of every Debian image
NOT_LINKED = {"ca-certificates", "libcurl4", "libnats3.4"}  # read, or loaded, at run time


def instructions():
    """The Dockerfile as (instruction, argument) pairs, continued lines joined, comments dropped."""
    text = re.sub(r"\\\n\s*", " ", (DOCKER / "Dockerfile").read_text())
    lines = [line.strip() for line in text.splitlines()]
    return [tuple(line.split(None, 1)) for line in lines if line and not line.startswith("#")]


def arguments_of(name):
    return [argument for instruction, argument in instructions() if instruction == name]


@pytest.fixture(scope="module")
def staging():
    """What docker/build-in-image lays out, in a folder that another user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="walduct-image-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        subprocess.run([DOCKER / "build-in-image", folder], check=True)
        yield folder
    finally:
        shutil.rmtree(folder)


def in_image(staging, command):
    """The command line of a command of the image, as its user."""
    program = staging / "usr/bin" / command[0]
    line = [str(program), *command[1:]]
    if os.getuid() == 0:
        line = ["setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "--", *line]
    return line


def environment(**more):
    return {"PATH": "/usr/bin:/bin", "DATABASE_PASSWORD": "x", **more}


def run_in_image(staging, command, **more):
    """Runs a command of the image as its user, from a folder it cannot write."""
    return subprocess.run(in_image(staging, command), cwd="/", env=environment(**more), capture_output=True, text=True,
                          timeout=60)


def test_every_run_step_is_a_script_of_the_docker_folder():
    steps = arguments_of("RUN")
    assert steps
    for step in steps:
        script = DOCKER / Path(shlex.split(step)[0]).name
        assert os.access(script, os.X_OK), step


def test_copied_files_exist():
    for argument in arguments_of("COPY"):
        *sources, _ = shlex.split(argument)
        for source in sources:
            if sources[0].startswith("--from="):
                assert sources == ["--from=build", "/out/"]
                assert "/out" in arguments_of("RUN")[0]
            else:
                assert (ROOT / source).exists(), source


def test_image_runs_as_an_ordinary_user():
    assert arguments_of("USER") == ["65532:65532"]
    assert "--uid 65532 --gid 65532" in (DOCKER / "install-runtime").read_text()


def test_runtime_packages_can_be_installed():
    done = subprocess.run([DOCKER / "install-runtime", "--simulate"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def linked_packages(binary):
    """The Debian packages of the libraries the binary names directly."""
    dynamic = subprocess.run(["readelf", "-d", binary], capture_output=True, text=True, check=True).stdout
    packages = set()
    for library in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
        owner = subprocess.run(["dpkg", "-S", f"*/{library}"], capture_output=True, text=True, check=True).stdout
        packages |= {line.split(":")[0] for line in owner.splitlines() if line.endswith(f"-linux-gnu/{library}")}
    return packages


def test_declared_packages_are_those_the_binary_is_linked_to(staging):
    lines = (DOCKER / "runtime-packages").read_text().splitlines()
    declared = {line for line in lines if line and not line.startswith("#")}
    assert linked_packages(staging / "usr/bin/walduct") - NOT_LISTED == declared - NOT_LINKED


def read_elf(*arguments):
    return subprocess.run(["readelf", "-W", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def test_binary_is_hardened(staging):
    """As Debian hardens its packages: cmake/WalductTargets.cmake."""
    binary = staging / "usr/bin/walduct"
    assert "Type:                              DYN" in read_elf("-h", binary), "position independent"
    assert "GNU_RELRO" in read_elf("-l", binary)
    dynamic, symbols = read_elf("-d", binary), read_elf("--dyn-syms", binary)
    assert "BIND_NOW" in dynamic and "RPATH" not in dynamic and "RUNPATH" not in dynamic
    assert "__stack_chk_fail" in symbols and "__memcpy_chk" in symbols
    archive = ROOT / ".deps/librdkafka/lib/librdkafka.a"
    if archive.exists():
        assert "__stack_chk_fail" in read_elf("-s", archive), "librdkafka, too"


def test_all_libraries_are_found(staging):
    libraries = subprocess.run(["ldd", staging / "usr/bin/walduct"], capture_output=True, text=True, check=True).stdout
    assert "not found" not in libraries


def test_licences_are_in_the_image(staging):
    assert "Apache License" in (staging / "usr/share/doc/walduct/LICENSE").read_text()
    assert (staging / "usr/share/doc/walduct/LICENSES.librdkafka").exists()
    linked = (staging / "usr/share/doc/walduct/LICENSES.linked").read_text()
    for package in (DOCKER / "linked-packages").read_text().splitlines()[1:]:
        assert f"==== {package}\n" in linked, package


def test_health_check_asks_the_process(staging, tmp_path):
    """Its servers are away, which is nothing that a restart of the container would mend."""
    command = json.loads(re.search(r"CMD (\[.*\])", arguments_of("HEALTHCHECK")[0]).group(1))
    assert any(argument.startswith("WALDUCT_LISTEN=127.0.0.1:") for argument in arguments_of("ENV"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        listen = {"WALDUCT_LISTEN": f"127.0.0.1:{free.getsockname()[1]}"}
    nobody = run_in_image(staging, command, **listen)
    assert nobody.returncode == 1 and "nobody answers" in nobody.stderr
    example = DOCKER / "example"
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen([staging / "usr/bin/walduct", "run", "-f", example / "connector.json", "-w",
                                    example / "worker.properties", "-o", "database.hostname=127.0.0.1", "-o",
                                    "database.port=1", "-o", "bootstrap.servers=127.0.0.1:1"], cwd="/", env=environment(**listen), stderr=log)
    try:
        deadline = time.monotonic() + 30
        while (done := run_in_image(staging, command, **listen)).returncode and time.monotonic() < deadline:
            assert process.poll() is None, (tmp_path / "log").read_text()
        assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    finally:
        process.kill()
        process.wait()


def test_default_command_reads_the_files_that_compose_mounts():
    entry = json.loads(arguments_of("ENTRYPOINT")[0])
    command = entry + json.loads(arguments_of("CMD")[0])
    assert command[:2] == ["walduct", "run"]
    mounts = compose()["services"]["walduct"]["volumes"]
    targets = {mount.split(":")[1] for mount in mounts}
    assert set(command[3::2]) == targets


def test_example_configuration_is_valid(staging):
    copies = staging / "etc/walduct"
    shutil.copytree(DOCKER / "example", copies)
    done = run_in_image(staging, ["walduct", "validate", "-f", str(copies / "connector.json"), "-w",
                                  str(copies / "worker.properties")])
    assert done.returncode == 0, done.stdout + done.stderr


def compose():
    return yaml.safe_load((DOCKER / "compose.yaml").read_text())


def test_compose_has_the_three_services():
    services = compose()["services"]
    assert set(services) == {"postgres", "kafka", "walduct"}
    assert services["postgres"]["image"].startswith("postgres:17")
    assert services["kafka"]["image"].startswith("apache/kafka:4")
    build = services["walduct"]["build"]
    assert (DOCKER / build["context"] / build["dockerfile"]).exists()
    for name in services["walduct"]["depends_on"]:
        assert "healthcheck" in services[name]


def test_compose_mounts_exist():
    declared = set(compose()["volumes"])
    for service in compose()["services"].values():
        for mount in service["volumes"]:
            source = mount.split(":")[0]
            assert (DOCKER / source).exists() if source.startswith(".") else source in declared, mount


def test_example_points_at_the_services_of_compose():
    connector = json.loads((DOCKER / "example/connector.json").read_text())["config"]
    services = compose()["services"]
    assert connector["database.hostname"] in services
    assert connector["database.dbname"] == services["postgres"]["environment"]["POSTGRES_DB"]
    worker = (DOCKER / "example/worker.properties").read_text()
    advertised = services["kafka"]["environment"]["KAFKA_ADVERTISED_LISTENERS"]
    assert re.search(r"^bootstrap.servers=(.*)$", worker, re.M).group(1) in advertised


DOCKER_STUB = """#!/usr/bin/env bash
# What docker/release asks of Docker, answered by this machine.
set -euo pipefail
echo "$*" >>"$ASKED"
case "$1" in
  build)
    while [ "$#" -gt 0 ]; do
      [ "$1" != --iidfile ] || echo "sha256:$(printf "%064d" 7)" >"$2"
      shift
    done ;;
  run)
    case "$*" in
      *dpkg-query*) shift 5 && exec dpkg-query "$@" ;;
      *version) exec "$PROGRAM" version ;;
    esac ;;
esac
"""


def release(tmp_path, staging, *arguments):
    stub = tmp_path / "bin" / "docker"
    stub.parent.mkdir(exist_ok=True)
    stub.write_text(DOCKER_STUB)
    stub.chmod(0o755)
    given = {**os.environ, "PATH": f"{stub.parent}:{os.environ['PATH']}", "ASKED": str(tmp_path / "asked"),
             "PROGRAM": str(staging / "usr/bin/walduct")}
    return subprocess.run([DOCKER / "release", *arguments], capture_output=True, text=True, env=given, timeout=120)


def test_release_pins_the_base_and_lists_the_parts(tmp_path, staging):
    base = "debian:12-slim@sha256:" + "a" * 64
    made = release(tmp_path, staging, base, "registry.example:5000/walduct:0.1.0")
    assert made.returncode == 0, made.stderr
    builds = [line for line in (tmp_path / "asked").read_text().splitlines() if line.startswith("build")]
    assert len(builds) == 2 and all(f"--build-arg BASE={base} " in line for line in builds)
    assert arguments_of("FROM") == ["${BASE} AS build", "${BASE}"]
    folder = ROOT / "build" / "image"
    assert subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder).returncode == 0
    parts = json.loads((folder / "image.spdx.json").read_text())
    assert parts["spdxVersion"] == "SPDX-2.3" and parts["name"] == "registry.example:5000/walduct-0.1.0"
    known = {part["SPDXID"]: part for part in parts["packages"]}
    assert len(known) == len(parts["packages"])
    for part in known.values():
        assert {"name", "versionInfo", "downloadLocation", "licenseConcluded", "copyrightText"} <= part.keys()
    ends = {(relation["relationshipType"], known[relation["relatedSpdxElement"]]["name"]) for relation in parts["relationships"]}
    assert {("STATIC_LINK", "librdkafka"), ("STATIC_LINK", "libabsl-dev"), ("DEPENDS_ON", "libc6")} <= ends


@pytest.mark.parametrize("arguments", [("debian:12-slim", "walduct:1"), ("debian@sha256:abc", "walduct:1"),
                                       ("debian@sha256:" + "a" * 64, "walduct"), ()])
def test_release_refuses_what_is_not_pinned(tmp_path, staging, arguments):
    refused = release(tmp_path, staging, *arguments)
    assert refused.returncode == 2 and refused.stderr
    assert not (tmp_path / "asked").exists()
