"""The program of a release: what it asks of a machine, how it is hardened, that each package has the same one."""
import gzip
import hashlib
import io
import re
import subprocess
import tarfile
import zipfile

import pytest

from support.paths import DEPS
from support.release import output

LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
NEWEST_GLIBC = (2, 31)
both = pytest.mark.parametrize("arch", ["amd64", "arm64"])


def read_elf(*arguments):
    return output("readelf", "-W", *arguments)


@pytest.fixture
def program(release, arch, tmp_path):
    return release.program(arch, tmp_path)


@both
def test_few_libraries_and_no_newer_glibc(program, arch):
    assert set(re.findall(r"\(NEEDED\).*\[(.+)\]", read_elf("-d", program))) <= LIBRARIES
    asked = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", read_elf("-V", program))
    assert asked and max((int(major), int(minor)) for major, minor in asked) <= NEWEST_GLIBC
    # A symbol without a version would be taken from whatever library has one of that name.
    loose = [line.split()[-1] for line in read_elf("--dyn-syms", program).splitlines() if re.search(r"(GLOBAL) +DEFAULT +UND [^@]+$", line)]
    assert not loose, loose


@both
def test_hardened_as_the_ordinary_build(program, arch):
    assert "DYN" in re.search(r"Type: +(\S+)", read_elf("-h", program))[1], "position independent"
    dynamic, symbols, segments = read_elf("-d", program), read_elf("--dyn-syms", program), read_elf("-l", program)
    assert "GNU_RELRO" in segments and "BIND_NOW" in dynamic and "RPATH" not in dynamic and "RUNPATH" not in dynamic
    assert not re.search(r"GNU_STACK .* RWE", segments)
    assert "__stack_chk_fail" in symbols and "__memcpy_chk" in symbols


@both
def test_every_package_has_the_same_program(release, program, arch, tmp_path):
    wanted = hashlib.sha256(program.read_bytes()).hexdigest()
    subprocess.run(["dpkg-deb", "--extract", release.file("deb", arch), tmp_path / "deb"], check=True)
    (tmp_path / "rpm").mkdir()
    payload = subprocess.run(["rpm2cpio", release.file("rpm", arch)], check=True, capture_output=True).stdout
    subprocess.run(["cpio", "-id", "--quiet"], input=payload, cwd=tmp_path / "rpm", check=True)
    found = {kind: (tmp_path / kind / "usr/bin/walduct").read_bytes() for kind in ("deb", "rpm")}
    with zipfile.ZipFile(release.file("wheel", arch)) as wheel:
        found["wheel"] = wheel.read(f"walduct-{release.version}.data/scripts/walduct")
    found["image"] = dict(files_of_image(release.file("image", arch)))["usr/bin/walduct"]
    assert {kind: hashlib.sha256(data).hexdigest() for kind, data in found.items()} == dict.fromkeys(found, wanted)


def files_of_image(path):
    with tarfile.open(path) as archive:
        for member in archive:
            data = archive.extractfile(member).read() if member.isfile() else b""
            if data[:2] == b"\x1f\x8b":
                with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))) as layer:
                    yield from ((each.name, layer.extractfile(each).read()) for each in layer if each.isfile())


@both
def test_licences_of_all_that_is_inside(release, program, arch):
    documents = program.parents[1] / "share/doc/walduct"
    linked = (documents / "LICENSES.linked").read_text()
    for line in (DEPS / "portable" / arch / "parts.tsv").read_text().splitlines():
        name = line.split("\t")[1]
        assert name == "librdkafka" or f"==== {name}\n" in linked, name
    assert (documents / "LICENSES.librdkafka").stat().st_size > 10_000


def test_rpm_asks_for_what_the_program_asks_for(release):
    needs = output("rpm", "-qp", "--requires", release.file("rpm"))
    assert "libc.so.6(GLIBC_2.28)(64bit)" in needs or "libc.so.6(GLIBC_2.30)(64bit)" in needs or "GLIBC_2." in needs
    assert "ca-certificates" in needs and "libssl" not in needs and "libpq" not in needs
