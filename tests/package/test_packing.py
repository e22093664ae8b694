"""How scripts/package release packs what is staged, tried with a program of one line: the layout of each kind, the same bytes each time.
What is packed in earnest is installed and run by tests/release."""
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = "1.2.3"
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
PROGRAM = b"#!/bin/sh\necho walduct 1.2.3\n"


def output(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, **options).stdout


def put(folder, name, data, mode=0o644):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def pack(folder, arch):
    """What make.py makes of a few files."""
    stage, portable, out = folder / "stage", folder / "portable", folder / "out"
    put(stage, "usr/bin/walduct", PROGRAM, 0o700)  # whatever the umask was
    put(stage, "usr/share/doc/walduct/LICENSE", b"Apache License")
    put(stage, "usr/share/doc/walduct/LICENSES.linked", b"==== libfoo")
    put(stage, "usr/share/doc/walduct/docs/install.md", b"# Install")
    put(stage, "usr/share/zsh/vendor-completions/_walduct", b"#compdef walduct")
    put(stage, "usr/lib/systemd/system/walduct-serve.service", b"[Unit]")
    put(portable, "parts.tsv", b"linked\tlibfoo\t1.0-1\nlinked\tlibrdkafka\t2.0\n")
    put(portable, "image/lib/x86_64-linux-gnu/libc.so.6", b"libc", 0o755)
    put(portable, "image/usr/share/ca-certificates/mozilla/A.crt", b"one\n")
    put(portable, "image/usr/share/ca-certificates/mozilla/B.crt", b"two")
    put(portable, "image/usr/share/doc/libc6/copyright", b"LGPL")
    put(portable, "image.control/libc6", b"Package: libc6\nVersion: 2.36-9\n")
    out.mkdir()
    output(ROOT / "scripts/packaging/make.py", VERSION, out, f"{arch}={stage}={portable}",
           env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
    return out


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return pack(tmp_path_factory.mktemp("amd64"), "amd64")


def test_every_kind_is_made_and_summed(made):
    assert {path.name for path in made.iterdir()} == {
        "walduct_1.2.3-1_amd64.deb", "walduct-1.2.3-1.x86_64.rpm", "walduct-1.2.3-linux-amd64.tar.gz", "walduct-1.2.3-linux-amd64.spdx.json",
        "walduct-1.2.3-py3-none-manylinux_2_31_x86_64.whl", "walduct-1.2.3-oci-amd64.tar", "walduct-1.2.3-oci-amd64.spdx.json",
        "walduct-1.2.3.tgz", "INSTALL.md", "SHA256SUMS"}
    assert output("sha256sum", "--check", "SHA256SUMS", cwd=made).count(": OK") == 9


def test_commands_name_files_that_are_there(made):
    text = (made / "INSTALL.md").read_text()
    for path in made.iterdir():
        if path.suffix in (".deb", ".rpm", ".whl", ".tgz", ".gz", ".tar"):
            assert path.name in text, path.name


def test_the_same_again_for_the_other_architecture(made, tmp_path):
    again, other = pack(tmp_path / "again", "amd64"), pack(tmp_path / "other", "arm64")
    assert (again / "SHA256SUMS").read_text() == (made / "SHA256SUMS").read_text()
    assert output("dpkg-deb", "--field", other / "walduct_1.2.3-1_arm64.deb", "Architecture").strip() == "arm64"
    assert output("rpm", "-qp", "--qf", "%{ARCH}", other / "walduct-1.2.3-1.aarch64.rpm") == "aarch64"
    assert (other / "walduct-1.2.3-py3-none-manylinux_2_31_aarch64.whl").exists()
    assert read_image(other / "walduct-1.2.3-oci-arm64.tar")[0]["architecture"] == "arm64"


def test_debian_package(made, tmp_path):
    package = made / "walduct_1.2.3-1_amd64.deb"
    assert output("dpkg-deb", "--field", package, "Depends").strip() == "libc6 (>= 2.31), libgcc-s1, ca-certificates"
    listing = output("dpkg-deb", "--contents", package)
    assert "-rwxr-xr-x root/root" in listing and "./usr/bin/walduct\n" in listing and "./etc/walduct/" in listing
    assert "/usr/share/zsh/vendor-completions/_walduct" in listing
    subprocess.run(["dpkg-deb", "--control", package, tmp_path], check=True)
    for script in ("postinst", "prerm", "postrm"):
        assert (tmp_path / script).read_bytes() == (ROOT / "deploy/debian" / script).read_bytes()


def test_rpm(made):
    package = made / "walduct-1.2.3-1.x86_64.rpm"
    files = output("rpm", "-qp", "--qf", "[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\n]", package)
    assert "-rwxr-xr-x root /usr/bin/walduct\n" in files and "drwxr-xr-x root /etc/walduct\n" in files
    assert "/usr/share/zsh/site-functions/_walduct\n" in files and "/usr/bin\n" not in files, "folders of others are theirs"
    assert "ca-certificates" in output("rpm", "-qp", "--requires", package)


def test_tarball(made, tmp_path):
    subprocess.run(["tar", "-xzf", made / "walduct-1.2.3-linux-amd64.tar.gz", "-C", tmp_path], check=True)
    root = tmp_path / "walduct-1.2.3-linux-amd64"
    assert output(root / "bin/walduct", "version") == "walduct 1.2.3\n"
    assert (root / "share/zsh/site-functions/_walduct").exists() and (root / "INSTALL").exists()


def test_wheel_is_installed_and_runs(made, tmp_path):
    wheel = made / "walduct-1.2.3-py3-none-manylinux_2_31_x86_64.whl"
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        recorded = archive.read("walduct-1.2.3.dist-info/RECORD").decode().splitlines()
        assert {line.split(",")[0] for line in recorded} == set(archive.namelist())
        assert "walduct-1.2.3.dist-info/licenses/LICENSES.linked" in archive.namelist()
    output(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    output(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--disable-pip-version-check", wheel)
    assert output(tmp_path / "venv/bin/walduct") == "walduct 1.2.3\n"
    assert output(python, "-m", "walduct") == "walduct 1.2.3\n"


def read_image(path):
    """(config, names → (mode, uid, content)) of an archive's one image, each digest checked."""
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    for name, data in files.items():
        if name.startswith("blobs/sha256/"):
            assert hashlib.sha256(data).hexdigest() == name.removeprefix("blobs/sha256/")
    blob = lambda digest: files["blobs/sha256/" + digest.removeprefix("sha256:")]  # noqa: E731
    [listed] = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(blob(listed["digest"]))
    config = json.loads(blob(manifest["config"]["digest"]))
    [loaded] = json.loads(files["manifest.json"])
    assert loaded["Config"] == "blobs/" + manifest["config"]["digest"].replace(":", "/")
    found = {}
    for layer, diff in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
        with tarfile.open(fileobj=io.BytesIO(blob(layer["digest"])), mode="r:gz") as archive:
            for member in archive:
                found[member.name] = (member.mode, member.uid, archive.extractfile(member).read() if member.isfile() else member.linkname)
        assert "sha256:" + hashlib.sha256(gzip.decompress(blob(layer["digest"]))).hexdigest() == diff
    return config, found


def test_image(made):
    config, files = read_image(made / "walduct-1.2.3-oci-amd64.tar")
    run = config["config"]
    assert run["User"] == "65532:65532" and run["Entrypoint"] == ["walduct"] and run["Cmd"][0] == "run"
    assert run["Healthcheck"]["Test"] == ["CMD", "walduct", "status", "--alive"] and run["Healthcheck"]["Interval"] == 30 * 10 ** 9
    assert any(value.startswith("WALDUCT_LISTEN=") for value in run["Env"]) and run["StopSignal"] == "SIGTERM"
    assert files["usr/bin/walduct"] == (0o755, 0, PROGRAM)
    assert files["lib"][2] == "usr/lib" and files["usr/lib/x86_64-linux-gnu/libc.so.6"][2] == b"libc", "merged, as Debian 12 has it"
    assert files["etc/ssl/certs/ca-certificates.crt"][2] == b"one\ntwo\n"
    assert files["var/lib/walduct"][:2] == (0o750, 65532)
    assert b"Version: 2.36-9" in files["var/lib/dpkg/status.d/libc6"][2], "for scanners"
    assert {"usr/share/doc/walduct/LICENSE", "usr/share/doc/walduct/LICENSES.linked", "usr/share/doc/libc6/copyright"} <= files.keys()


def test_lists_of_parts(made):
    parts = json.loads((made / "walduct-1.2.3-oci-amd64.spdx.json").read_text())
    known = {part["SPDXID"]: part["name"] for part in parts["packages"]}
    ends = {(r["relationshipType"], known[r["relatedSpdxElement"]]) for r in parts["relationships"]}
    assert {("STATIC_LINK", "libfoo"), ("STATIC_LINK", "librdkafka"), ("DEPENDS_ON", "libc6")} <= ends
    digest = parts["packages"][0]["checksums"][0]["checksumValue"]
    assert digest == hashlib.sha256((made / "walduct-1.2.3-oci-amd64.tar").read_bytes()).hexdigest()
