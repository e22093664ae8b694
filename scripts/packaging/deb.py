"""walduct_VERSION-1_ARCH.deb for Debian 11 and later and Ubuntu 20.04 and later, by dpkg-deb."""
import shutil
import subprocess
import tempfile
from pathlib import Path

from files import DESCRIPTION, ROOT, SUMMARY, epoch, staged

# The program's symbols are looked at by tests/release: nothing newer than these.
DEPENDS = "libc6 (>= 2.31), libgcc-s1, ca-certificates"
SUGGESTS = "libnats3.4"  # the sink nats-jetstream loads it


def control(arch, version, kilobytes):
    lines = [f" {line}" for line in DESCRIPTION.splitlines()]
    return "\n".join([
        "Package: walduct", f"Version: {version}-1", f"Architecture: {arch}", "Section: net", "Priority: optional",
        "Maintainer: walduct maintainers <maintainers@walduct.invalid>", f"Installed-Size: {kilobytes}", f"Depends: {DEPENDS}", f"Suggests: {SUGGESTS}",
        f"Description: {SUMMARY}", *lines, ""])


def make(stage, arch, version, out):
    made = out / f"walduct_{version}-1_{arch}.deb"
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        shutil.copytree(stage, tree, symlinks=True)
        (tree / "etc/walduct").mkdir(parents=True, exist_ok=True)
        for path in [tree, *tree.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        (tree / "DEBIAN").mkdir()
        size = sum(len(entry.data) for entry in staged(stage) if entry.data is not None)
        (tree / "DEBIAN/control").write_text(control(arch, version, size // 1024))
        for script in ("postinst", "prerm", "postrm"):
            shutil.copy(ROOT / "deploy/debian" / script, tree / "DEBIAN" / script)
            (tree / "DEBIAN" / script).chmod(0o755)
        # xz, which dpkg of every release reads.
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, made], check=True, capture_output=True,
                       env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "SOURCE_DATE_EPOCH": str(epoch())})
    return made
