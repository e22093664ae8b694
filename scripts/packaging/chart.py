"""walduct-VERSION.tgz: deploy/helm/walduct as `helm install` takes it, with the version of the program."""
import re

from files import ROOT, Entry, tar, with_folders, zipped

CHART = ROOT / "deploy" / "helm" / "walduct"


def make(version, out):
    entries = []
    for path in sorted(CHART.rglob("*")):
        if path.is_file():
            data = path.read_bytes()  # of links, what they lead to
            if path.name == "Chart.yaml":
                data = re.sub(rb"(?m)^(version|appVersion): .*$", rb"\1: " + version.encode(), data)
            entries.append(Entry(path.relative_to(CHART).as_posix(), 0o644, data))
    made = out / f"walduct-{version}.tgz"
    made.write_bytes(zipped(tar(with_folders(entries), "walduct/")))
    return made
