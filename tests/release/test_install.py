"""A release on bare systems: installed as INSTALL.md says, until the first event is in Kafka or on standard output. Timed."""
import json
import re
import subprocess
import sys
import tarfile
import time
import uuid

import pytest

from support import servers
from support.events import from_lines
from support.kafka import read_topics
from support.paths import ROOT
from support.release import Chroot, files_into, output

MOST_SECONDS = 120
JSON = "org.apache.kafka.connect.json.JsonConverter"


@pytest.fixture(scope="module")
def shop():
    """Servers with a table that has two rows: (servers, database, connector file, worker file)."""
    run = servers.shared("release", postgres=15, kafka=True)
    database = run.postgres.database()
    database.create()
    database.script("create table customers (id integer primary key, name text not null); insert into customers values (1, 'Ada'), (2, 'Linus')")
    return run, database


def configuration(shop, to_kafka):
    run, database = shop
    prefix = f"shop{uuid.uuid4().hex[:8]}"
    config = {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
        "database.hostname": run.postgres.host, "database.port": str(run.postgres.port), "database.user": run.postgres.user,
        "database.password": run.postgres.password, "database.dbname": database.name, "topic.prefix": prefix, "slot.name": prefix,
        "publication.name": prefix, "publication.autocreate.mode": "filtered", "table.include.list": "public.customers"}
    worker = {"key.converter": JSON, "key.converter.schemas.enable": "false", "value.converter": JSON, "value.converter.schemas.enable": "false"}
    if to_kafka:
        worker |= {"bootstrap.servers": run.bootstrap, "offset.storage.topic": f"{prefix}-offsets", "offset.storage.replication.factor": "1",
                   "offset.storage.partitions": "1"}
    else:
        worker |= {"sink": "stdout", "offset.storage.file.filename": "/tmp/offsets.dat"}
    return prefix, json.dumps({"name": "shop", "config": config}), "".join(f"{k}={v}\n" for k, v in worker.items())


def names(events):
    return [json.loads(event.value)["after"]["name"] for event in events]


def write(chroot, connector, worker):
    (chroot.root / "etc/walduct").mkdir(exist_ok=True)
    (chroot.root / "etc/walduct/shop.json").write_text(connector)
    (chroot.root / "etc/walduct/worker.properties").write_text(worker)


RUN = ["walduct", "run", "-f", "/etc/walduct/shop.json", "-w", "/etc/walduct/worker.properties", "--until-caught-up"]


def test_debian_package_to_first_event_in_kafka(release, debian, shop):
    begun = time.monotonic()
    package = debian.put(release.file("deb"))
    debian.run("apt-get", "update", "-q")
    debian.run("apt-get", "install", "-y", "-q", package)
    assert debian.run("walduct", "version").startswith(f"walduct {release.version}\n")
    prefix, connector, worker = configuration(shop, to_kafka=True)
    write(debian, connector, worker)
    assert "0 errors" in debian.run(*RUN[:1], "validate", *RUN[2:6])
    debian.run(*RUN)
    events = read_topics(shop[0].bootstrap, prefix + ".")
    took = time.monotonic() - begun
    assert names(events) == ["Ada", "Linus"]
    assert took <= MOST_SECONDS, f"{took:.0f} s"
    # Units, pages, completion; removed without a trace but the configuration.
    assert (debian.root / "usr/lib/systemd/system/walduct@.service").exists()
    assert (debian.root / "etc/ssl/certs/ca-certificates.crt").exists()
    debian.run("apt-get", "purge", "-y", "-q", "walduct")
    assert not (debian.root / "usr/bin/walduct").exists()


def test_tarball_on_the_oldest_and_the_newest(release, anywhere, shop):
    """Without installing anything: the bare system has no certificates, and no library but the C library's."""
    subprocess.run(["tar", "-xzf", release.file("tarball"), "-C", anywhere.root / "usr/local", "--strip-components=1"], check=True)
    _, connector, worker = configuration(shop, to_kafka=False)
    write(anywhere, connector, worker)
    assert "not found" not in anywhere.run("ldd", "/usr/local/bin/walduct")
    assert names(from_lines(anywhere.run(*RUN))) == ["Ada", "Linus"]


def test_names_are_resolved(release, anywhere):
    """By the system's own resolver: a name of /etc/hosts and one that nobody has."""
    subprocess.run(["tar", "-xzf", release.file("tarball"), "-C", anywhere.root / "usr/local", "--strip-components=1"], check=True)
    (anywhere.root / "etc/hosts").write_text("127.0.0.1 localhost db.shop.example\n")
    for name, said in (("db.shop.example", "refused"), ("nobody.invalid", "nobody.invalid")):
        connector = {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "database.hostname": name,
                                                "database.port": "1", "database.user": "u", "database.password": "p",
                                                "database.dbname": "shop", "topic.prefix": "shop"}}
        write(anywhere, json.dumps(connector), "sink=stdout\noffset.storage.file.filename=/tmp/o\n")
        done = subprocess.run(anywhere.command("walduct", "doctor", *RUN[2:6]), capture_output=True, text=True)
        assert done.returncode == 2 and said in done.stdout + done.stderr, done.stdout + done.stderr


def test_rpm_is_installed_by_rpm(release, tmp_path, shop):
    """Into an empty root; what it asks for is looked at by test_program.py. There is no Fedora here."""
    root = tmp_path / "root"
    root.mkdir()
    output("rpm", "--root", root, "--dbpath", "/var/lib/rpm", "--nodeps", "--noscripts", "-i", release.file("rpm"))
    assert output(root / "usr/bin/walduct", "version").startswith(f"walduct {release.version}\n")
    assert (root / "etc/walduct").is_dir() and (root / "usr/lib/systemd/system/walduct-serve.service").exists()
    output("rpm", "--root", root, "--dbpath", "/var/lib/rpm", "-V", "--nodeps", "walduct")


def test_wheel_puts_it_on_the_path(release, tmp_path):
    output(sys.executable, "-m", "venv", tmp_path / "venv")
    output(tmp_path / "venv/bin/pip", "install", "--no-index", release.file("wheel"))
    assert output(tmp_path / "venv/bin/walduct", "version").startswith(f"walduct {release.version}\n")
    assert output(tmp_path / "venv/bin/python", "-m", "walduct", "version").startswith("walduct ")
    where = output(tmp_path / "venv/bin/python", "-c", "import walduct; print(walduct.find_walduct())").strip()
    assert where == str(tmp_path / "venv/bin/walduct")


@pytest.fixture(params=["amd64", "arm64"])
def image(request, release, tmp_path):
    """An image's files below a folder, and its configuration."""
    config = files_into(release.file("image", request.param), tmp_path / "image")
    return request.param, Chroot(tmp_path / "image"), config


def emulated(arch, root):
    return ["qemu-aarch64-static", "-L", root] if arch == "arm64" else []


def test_image_as_skopeo_reads_it(release, tmp_path):
    for arch in ("amd64", "arm64"):
        seen = json.loads(output("skopeo", "inspect", f"oci-archive:{release.file('image', arch)}"))
        assert (seen["Architecture"], seen["Os"], len(seen["Layers"])) == (arch, "linux", 2)
        assert seen["Labels"]["org.opencontainers.image.version"] == release.version
        output("skopeo", "copy", f"docker-archive:{release.file('image', arch)}", f"dir:{tmp_path / arch}")


def test_image_runs_as_its_user_from_its_own_files(image, release, shop):
    arch, chroot, config = image
    assert config["architecture"] == arch
    libraries = next((chroot.root / "usr/lib").glob("*-linux-gnu/libc.so.6"), None)
    assert libraries is not None and (chroot.root / "etc/ssl/certs/ca-certificates.crt").stat().st_size > 100_000
    _, connector, worker = configuration(shop, to_kafka=False)
    (chroot.root / "etc/walduct/shop.json").write_text(connector)
    (chroot.root / "etc/walduct/worker.properties").write_text(worker)
    if arch == "amd64":
        done = output("chroot", "--userspec=65532:65532", chroot.root, *RUN)
    else:
        etc = chroot.root / "etc/walduct"
        done = output(*emulated(arch, chroot.root), chroot.root / "usr/bin/walduct", "run", "-f", etc / "shop.json", "-w",
                      etc / "worker.properties", "--until-caught-up")
    assert names(from_lines(done)) == ["Ada", "Linus"]


def test_arm64_package_streams_under_qemu(release, tmp_path, shop):
    """Of the .deb, with Debian's own arm64 libraries: its version, and changes made while it streams."""
    subprocess.run(["dpkg-deb", "--extract", release.file("deb", "arm64"), tmp_path], check=True)
    program = [*emulated("arm64", "/usr/aarch64-linux-gnu"), tmp_path / "usr/bin/walduct"]
    assert output(*program, "version").startswith(f"walduct {release.version}\n")
    _, connector, worker = configuration(shop, to_kafka=False)
    (tmp_path / "shop.json").write_text(connector)
    (tmp_path / "worker.properties").write_text(worker.replace("/tmp/offsets.dat", str(tmp_path / "offsets.dat")))
    command = [*program, "run", "-f", tmp_path / "shop.json", "-w", tmp_path / "worker.properties", "--until-caught-up"]
    assert names(from_lines(output(*command))) == ["Ada", "Linus"]
    shop[1].execute("update customers set name = 'Grace' where id = 1")
    assert names(from_lines(output(*command))) == ["Grace"]
    shop[1].execute("update customers set name = 'Ada' where id = 1")


def test_arm64_writes_what_amd64_writes(release, tmp_path, shop):
    """A char has no sign there, numbers other registers: rows with signs, bytes and names beyond ASCII."""
    run, database = shop
    database.script("""
        create table "Ärger" (id integer primary key, price numeric(20, 3), big numeric, bytes bytea, name text, "größe" varchar(30),
          t timestamptz, d date, f float8, r real, range int4range, u uuid, j jsonb, a integer[], bits bit(12), money money, span interval);
        insert into "Ärger" select i, -i * 128.001, (-128)::numeric ^ i, decode(repeat('80ff00', i), 'hex'), repeat(chr(255 + i), i), 'ß' || i,
          '2026-02-03 04:05:06.789+02'::timestamptz - i * interval '1000 days', date '1969-12-31' - i, -1.5e300 / i, -0.1 * i, int4range(-i, i),
          md5(i::text)::uuid, jsonb_build_object('ü', -i), array[-i, i], b'100000000001', -i, i * interval '-1 month' from generate_series(1, 40) i""")
    told = {}
    for arch in ("amd64", "arm64"):
        subprocess.run(["dpkg-deb", "--extract", release.file("deb", arch), tmp_path / arch], check=True)
        prefix, connector, worker = configuration(shop, to_kafka=False)
        more = json.loads(connector)
        more["config"] |= {"table.include.list": "public.Ärger", "column.mask.hash.v2.SHA-256.with.salt.s": "public.Ärger.größe",
                           "topic.naming.strategy": "io.debezium.schema.DefaultUnicodeTopicNamingStrategy", "schema.name.adjustment.mode": "avro_unicode"}
        (tmp_path / "shop.json").write_text(json.dumps(more))
        (tmp_path / "worker.properties").write_text(worker.replace("/tmp/offsets.dat", str(tmp_path / f"{arch}.dat")))
        program = [*emulated(arch, "/usr/aarch64-linux-gnu"), tmp_path / arch / "usr/bin/walduct"]
        events = from_lines(output(*program, "run", "-f", tmp_path / "shop.json", "-w", tmp_path / "worker.properties", "--until-caught-up"))
        told[arch] = [(e.topic.replace(prefix, ""), e.key, json.loads(e.value)["after"]) for e in events]
    assert len(told["amd64"]) == 40
    assert told["arm64"] == told["amd64"]


def test_commands_of_install_md_name_these_files(release):
    text = (ROOT / "build/dist/INSTALL.md").read_text()
    for arch in ("amd64", "arm64"):
        for kind in ("deb", "rpm", "tarball", "wheel", "image"):
            assert release.file(kind, arch).name in text
    assert release.file("chart").name in text
    documented = (ROOT / "docs/install.md").read_text()
    for line in re.findall(r"`(sudo apt install|sudo dnf install|pip install|docker load) [^`]*`", text):
        assert line.split("`")[0] in documented
    assert tarfile.is_tarfile(release.file("chart"))
