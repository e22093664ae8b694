"""walduct-VERSION-linux-ARCH.tar.gz: bin, share and lib as below /usr/local, to be unpacked anywhere."""
from files import Entry, renamed, staged, tar, with_folders, zipped

# What one unpacks by hand is not below /usr.
HINT = """walduct {version}, {arch}, for any Linux with glibc 2.31 or newer (Debian 11, Ubuntu 20.04, RHEL 9, …).

  bin/walduct version
  sudo cp -r bin share /usr/local/        the program, its manual pages, completion for shells

lib/systemd has units that run /usr/bin/walduct: change that line for another place. share/doc/walduct has the documents.
"""


def make(stage, arch, version, out):
    name = f"walduct-{version}-linux-{arch}"
    entries = renamed(staged(stage / "usr"))
    entries.append(Entry("INSTALL", 0o644, HINT.format(version=version, arch=arch).encode()))
    made = out / f"{name}.tar.gz"
    made.write_bytes(zipped(tar([Entry(".", 0o755), *with_folders(entries)], f"{name}/")))
    return made
