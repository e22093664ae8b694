"""What all kinds of package share: the staged files of one architecture, as entries with the same owner, mode and time everywhere."""
import gzip
import hashlib
import io
import os
import stat
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
SUMMARY = "PostgreSQL changes to Kafka as Debezium writes them"
DESCRIPTION = """walduct streams the changes of PostgreSQL databases into Kafka, with the configuration,
topics, bytes and offsets of the Debezium connector, as one native process."""
LICENSE = "Apache-2.0"


def epoch():
    """The time of everything that is packed: the commit's (scripts/package)."""
    return int(os.environ["SOURCE_DATE_EPOCH"])


class Entry:
    """A file (bytes), a link (target) or a folder; paths are relative, folders without a slash at the end."""

    def __init__(self, path, mode, data=None, target=None, uid=0):
        self.path, self.mode, self.data, self.target, self.uid = path, mode, data, target, uid

    def header(self, prefix):
        info = tarfile.TarInfo(prefix + self.path)
        info.mode, info.mtime, info.uid, info.gid = self.mode, epoch(), self.uid, self.uid
        info.uname = info.gname = "" if self.uid else "root"
        if self.target is not None:
            info.type, info.linkname = tarfile.SYMTYPE, self.target
        elif self.data is None:
            info.type = tarfile.DIRTYPE
        else:
            info.size = len(self.data)
        return info


def staged(folder):
    """The entries of a folder, sorted: executable or not is all that is taken of their modes."""
    entries = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            entries.append(Entry(name, 0o777, target=os.readlink(path)))
        elif path.is_dir():
            entries.append(Entry(name, 0o755))
        else:
            entries.append(Entry(name, 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644, path.read_bytes()))
    return entries


def with_folders(entries):
    """The same with the folders that lead to them, each before what is in it."""
    known = {}
    for entry in sorted(entries, key=lambda each: each.path):
        parts = entry.path.split("/")
        for length in range(1, len(parts)):
            known.setdefault("/".join(parts[:length]), Entry("/".join(parts[:length]), 0o755))
        known[entry.path] = entry
    return [known[path] for path in sorted(known)]


def renamed(entries):
    """Where zsh looks on systems that are not Debian."""
    for entry in entries:
        entry.path = entry.path.replace("zsh/vendor-completions", "zsh/site-functions")
    return entries


def tar(entries, prefix=""):
    """An uncompressed archive; `prefix` ends with a slash."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in entries:
            archive.addfile(entry.header(prefix), io.BytesIO(entry.data) if entry.data is not None else None)
    return out.getvalue()


def zipped(data):
    return gzip.compress(data, 9, mtime=epoch())


def sha256(data):
    return hashlib.sha256(data).hexdigest()
