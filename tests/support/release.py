"""A release as scripts/package release made it in build/dist, and bare systems to try it in (scripts/deps chroots)."""
import contextlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from support.paths import DEPS, ROOT

DIST = ROOT / "build" / "dist"
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


def output(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


class Release:
    def __init__(self):
        self.version = output(ROOT / "build/release/portable/walduct", "version").split()[1]

    def file(self, kind, arch="amd64"):
        machine = MACHINES[arch]
        return DIST / {
            "deb": f"walduct_{self.version}-1_{arch}.deb", "rpm": f"walduct-{self.version}-1.{machine}.rpm",
            "tarball": f"walduct-{self.version}-linux-{arch}.tar.gz", "chart": f"walduct-{self.version}.tgz",
            "wheel": f"walduct-{self.version}-py3-none-manylinux_2_31_{machine}.whl", "image": f"walduct-{self.version}-oci-{arch}.tar",
        }[kind]

    def program(self, arch, folder):
        """Of the tarball, unpacked in `folder`."""
        subprocess.run(["tar", "-xzf", self.file("tarball", arch), "-C", folder, "--strip-components=1"], check=True)
        return folder / "bin" / "walduct"


class Chroot:
    """A Debian of its own below a folder: its processes, its files; the machine's network."""

    def __init__(self, folder):
        self.root = folder

    def command(self, *command):
        inside = ["chroot", str(self.root), "/usr/bin/env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
                  "HOME=/root", *map(str, command)]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                f'mount -t proc proc "{self.root}/proc" && exec "$@"', "sh", *inside]

    def run(self, *command, **options):
        return output(*self.command(*command), **options)

    def put(self, source, folder="root"):
        shutil.copy(source, self.root / folder)
        return f"/{folder}/{Path(source).name}"


def files_into(image, folder):
    """An image archive's files below a folder, layer upon layer; its configuration."""
    folder.mkdir()
    with tarfile.open(image) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    blob = lambda digest: files["blobs/" + digest.replace(":", "/")]  # noqa: E731
    manifest = json.loads(blob(json.loads(files["index.json"])["manifests"][0]["digest"]))
    for layer in manifest["layers"]:
        with tarfile.open(fileobj=io.BytesIO(blob(layer["digest"])), mode="r:gz") as unpacked_layer:
            unpacked_layer.extractall(folder, filter="fully_trusted", numeric_owner=True)
    return json.loads(blob(manifest["config"]["digest"]))


@contextlib.contextmanager
def unpacked(suite):
    assert os.getuid() == 0, "these tests need root: they mount and chroot"
    folder = Path(tempfile.mkdtemp(prefix=f"walduct-{suite}-"))
    try:
        folder.chmod(0o755)
        subprocess.run(["tar", "-xf", DEPS / "chroots" / f"{suite}.tar", "-C", folder, "--exclude=./dev/*"], check=True)
        for name, numbers in {"null": (1, 3), "zero": (1, 5), "random": (1, 8), "urandom": (1, 9)}.items():
            os.mknod(folder / "dev" / name, 0o20666, os.makedev(*numbers))
            (folder / "dev" / name).chmod(0o666)  # whatever the umask is
        # The machine's way to names and packages.
        for path in ("/etc/resolv.conf", "/etc/hosts"):
            shutil.copy(path, folder / path[1:])
        for path in Path("/etc/apt/apt.conf.d").glob("*proxy*"):
            shutil.copy(path, folder / "etc/apt/apt.conf.d")
        yield Chroot(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
