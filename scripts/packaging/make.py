#!/usr/bin/env python3
"""Makes all kinds of package from staged files, as scripts/package release calls it:

  make.py VERSION OUT ARCH=STAGE=PORTABLE...

STAGE holds usr/ and etc/; PORTABLE is what scripts/deps portable made (licences, list of parts, the image's base). OUT gets one file
of each kind, lists of parts (SPDX), INSTALL.md and SHA256SUMS.
"""
import hashlib
import subprocess
import sys
from pathlib import Path

import chart
import deb
import oci
import rpm
import tarball
import wheel
from files import MACHINES, ROOT

INSTALL = """# walduct {version}

One program per architecture is in all of these files. It needs glibc 2.31 or newer and libgcc_s; all else is inside.
Check what you have fetched: `sha256sum --check --ignore-missing SHA256SUMS`.
"""
COMMANDS = """
## {arch}

| where | what to type |
|---|---|
| Debian 11, 12, 13, Ubuntu 20.04 to 24.04 and later | `sudo apt install ./walduct_{version}-1_{arch}.deb` |
| RHEL, Rocky, Alma 9 and later, Fedora, Amazon Linux 2023 | `sudo dnf install ./walduct-{version}-1.{machine}.rpm` |
| any Linux, without root | `tar -xzf walduct-{version}-linux-{arch}.tar.gz && walduct-{version}-linux-{arch}/bin/walduct version` |
| CI, tests: with Python's tools | `pip install ./walduct-{version}-py3-none-manylinux_2_31_{machine}.whl && walduct version` |
| Docker | `docker load -i walduct-{version}-oci-{arch}.tar && docker run --rm walduct:{version} version` |
| Podman | `podman load -i walduct-{version}-oci-{arch}.tar` |
| a registry of yours | `skopeo copy oci-archive:walduct-{version}-oci-{arch}.tar docker://registry.example/walduct:{version}` |
"""
HELM = """
## Kubernetes

```
helm install shop ./walduct-{version}.tgz --set image.repository=registry.example/walduct --set 'worker.bootstrap\\.servers=kafka:9092'
```
"""


def control_of(folder):
    """(package, what it says of itself) of unpacked packages."""
    return [(path.name, path.read_text()) for path in sorted(folder.iterdir())]


def field(text, name):
    return next(line.split(": ", 1)[1] for line in text.splitlines() if line.startswith(f"{name}: "))


def parts_list(of, version, parts):
    """Beside a file: what is in it, as SPDX."""
    lines = of.parent / (of.name.removesuffix(".tar").removesuffix(".tar.gz") + ".tsv")
    lines.write_text(parts)
    digest = hashlib.sha256(of.read_bytes()).hexdigest()
    subprocess.run([ROOT / "scripts/sbom", "--image", f"walduct:{version}", digest, lines], check=True)
    lines.unlink()


def make_all(version, out, arch, stage, portable):
    linked = (portable / "parts.tsv").read_text()
    image_base = control_of(portable / "image.control")
    made = [module.make(stage, arch, version, out) for module in (deb, rpm, wheel)]
    archive = tarball.make(stage, arch, version, out)
    parts_list(archive, version, linked)
    image = oci.make(stage, arch, version, out, portable / "image", image_base)
    parts_list(image, version, linked + "".join(f"installed\t{name}\t{field(text, 'Version')}\n" for name, text in image_base))
    return [*made, archive, image]


def main(version, out, *given):
    out = Path(out)
    text = INSTALL.format(version=version)
    for each in given:
        arch, stage, portable = each.split("=")
        make_all(version, out, arch, Path(stage), Path(portable))
        text += COMMANDS.format(version=version, arch=arch, machine=MACHINES[arch])
    chart.make(version, out)
    (out / "INSTALL.md").write_text(text + HELM.format(version=version))
    names = sorted(path.name for path in out.iterdir() if path.name != "SHA256SUMS")
    (out / "SHA256SUMS").write_text("".join(f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}\n" for name in names))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
