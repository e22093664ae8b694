"""walduct-VERSION-oci-ARCH.tar: the container image, without a container engine. It holds an OCI layout and a manifest.json, so that
`docker load`, `podman load` and `skopeo copy oci-archive:…` read it.

The program, Debian 12's glibc, its certificates of authorities and nothing else: no shell, no package manager. How it is run is
docker/Dockerfile's: user, folder, environment, command.
"""
import json
import re
import shlex
import time

from files import DESCRIPTION, ROOT, Entry, epoch, sha256, staged, tar, with_folders, zipped

USER = 65532
# Character sets and locales of other languages, and documents, which nothing here reads.
LEFT_OUT = re.compile(r"usr/lib/[^/]+/gconv/|usr/share/(doc/(?!.*copyright)|locale|lintian|man|info|common-licenses)/|usr/sbin/|usr/share/base-files/|"
                      r"etc/(default|update-motd.d|dpkg|ca-certificates|host.conf|profile|issue)|usr/share/(debconf|dict|menu|misc|lintian)/|"
                      r"(lib|usr/lib)/[^/]+/(libmemusage|libpcprofile|audit)|usr/bin/")
PASSWD = f"root:x:0:0:root:/root:/sbin/nologin\nwalduct:x:{USER}:{USER}:walduct:/var/lib/walduct:/sbin/nologin\n"
GROUP = f"root:x:0:\nwalduct:x:{USER}:\n"


def instructions():
    """docker/Dockerfile's last stage as (instruction, argument) pairs."""
    text = re.sub(r"\\\n\s*", " ", (ROOT / "docker/Dockerfile").read_text())
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    pairs = [tuple(line.split(None, 1)) for line in lines]
    last = max(number for number, pair in enumerate(pairs) if pair[0] == "FROM")
    return pairs[last + 1:]


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1]) * 1_000_000_000


def run_as(version):
    """The `config` of an image, as docker/Dockerfile says it."""
    config = {"Env": ["PATH=/usr/bin"], "Labels": {"org.opencontainers.image.version": version}}
    for instruction, argument in instructions():
        if instruction == "LABEL":
            config["Labels"] |= dict(word.split("=", 1) for word in shlex.split(argument))
        elif instruction == "ENV":
            config["Env"].append(argument)
        elif instruction in ("ENTRYPOINT", "CMD"):
            config[instruction.capitalize()] = json.loads(argument)
        elif instruction == "USER":
            config["User"] = argument
        elif instruction == "WORKDIR":
            config["WorkingDir"] = argument
        elif instruction == "VOLUME":
            config["Volumes"] = {path: {} for path in json.loads(argument)}
        elif instruction == "STOPSIGNAL":
            config["StopSignal"] = argument
        elif instruction == "HEALTHCHECK":  # Docker's own; others have probes
            options, command = argument.split("CMD", 1)
            given = dict(re.findall(r"--([a-z-]+)=(\S+)", options))
            config["Healthcheck"] = {"Test": ["CMD", *json.loads(command)], "Interval": seconds(given["interval"]),
                                     "Timeout": seconds(given["timeout"]), "StartPeriod": seconds(given["start-period"])}
    return config


def merged(path):
    """Where Debian 12 has what older packages put into /bin, /lib and /sbin."""
    return re.sub(r"^(bin|sbin|lib|lib64)(?=/|$)", r"usr/\1", path)


def base(debian):
    """Debian's part: packages as unpacked in `debian`, and what their scripts would make of them."""
    found, certificates = {}, []
    for entry in staged(debian):
        entry.path = merged(entry.path)
        if entry.path.startswith("usr/share/ca-certificates/") and entry.data:
            certificates.append(entry.data.strip() + b"\n")
        elif (entry.data is not None or entry.target is not None) and not LEFT_OUT.search(entry.path + "/" * (entry.data is None)):
            found[entry.path] = entry
    if not certificates:
        raise SystemExit("package: the image's base has no certificates")
    own = [Entry(name, 0o777, target=f"usr/{name}") for name in ("bin", "lib", "lib64", "sbin")]
    own += [Entry("usr/sbin", 0o755), Entry("usr/bin", 0o755), Entry("tmp", 0o1777), Entry("root", 0o700), Entry("usr/lib64", 0o755),
            Entry("etc/ssl/certs/ca-certificates.crt", 0o644, b"".join(certificates)),
            Entry("etc/passwd", 0o644, PASSWD.encode()), Entry("etc/group", 0o644, GROUP.encode()),
            Entry("etc/nsswitch.conf", 0o644, b"passwd: files\ngroup: files\nhosts: files dns\nservices: files\n"),
            Entry("etc/walduct", 0o755), Entry("var/lib/walduct", 0o750, uid=USER)]
    return with_folders([*found.values(), *own])


def program(stage):
    """What docker/build-in-image lays out: the program and the licences of what is in it."""
    wanted = re.compile(r"usr/bin/walduct$|usr/share/doc/walduct/LICENSE")
    return with_folders([entry for entry in staged(stage) if entry.data is not None and wanted.match(entry.path)])


def make(stage, arch, version, out, debian, status=()):
    """`debian`: unpacked packages; `status`: (name, control text) of each, for scanners, which look in var/lib/dpkg/status.d."""
    below = base(debian) + [Entry(f"var/lib/dpkg/status.d/{name}", 0o644, text.encode()) for name, text in status]
    layers = [tar(with_folders(below)), tar(program(stage))]
    blobs, packed = {}, []
    for layer in layers:
        data = zipped(layer)
        blobs[sha256(data)] = data
        packed.append({"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": f"sha256:{sha256(data)}", "size": len(data)})
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))
    config = json.dumps({
        "created": created, "architecture": arch, "os": "linux", "config": run_as(version),
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(layer)}" for layer in layers]},
        "history": [{"created": created, "created_by": "Debian 12: glibc, certificates"},
                    {"created": created, "created_by": f"walduct {version}: {DESCRIPTION.split(',')[0]}"}]}).encode()
    blobs[sha256(config)] = config
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": f"sha256:{sha256(config)}", "size": len(config)},
        "layers": packed}).encode()
    blobs[sha256(manifest)] = manifest
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
        {"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": f"sha256:{sha256(manifest)}", "size": len(manifest),
         "platform": {"architecture": arch, "os": "linux"}, "annotations": {"org.opencontainers.image.ref.name": version}}]}
    loaded = [{"Config": f"blobs/sha256/{sha256(config)}", "RepoTags": [f"walduct:{version}"],
               "Layers": [f"blobs/sha256/{layer['digest'][7:]}" for layer in packed]}]
    entries = [Entry("oci-layout", 0o644, b'{"imageLayoutVersion": "1.0.0"}'), Entry("index.json", 0o644, json.dumps(index).encode()),
               Entry("manifest.json", 0o644, json.dumps(loaded).encode())]
    entries += [Entry(f"blobs/sha256/{digest}", 0o644, data) for digest, data in blobs.items()]
    made = out / f"walduct-{version}-oci-{arch}.tar"
    made.write_bytes(tar(with_folders(entries)))
    return made
