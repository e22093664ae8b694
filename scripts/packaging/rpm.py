"""walduct-VERSION-1.MACHINE.rpm by rpmbuild, which also reads from the program what it needs of glibc."""
import shutil
import subprocess
import tempfile
from pathlib import Path

from files import DESCRIPTION, LICENSE, MACHINES, SUMMARY, epoch

SPEC = """Name: walduct
Version: {version}
Release: 1
Summary: {summary}
License: {license}
URL: https://walduct.invalid
Requires: ca-certificates
%global debug_package %{{nil}}
%global __strip /bin/true
%global __brp_strip %{{nil}}
%global _build_id_links none
%global _binary_payload w9.gzdio

%description
{description}

%install
cp -a {tree}/. %{{buildroot}}

%files
{files}

%post
# Units that run go on with the new program when their administrator restarts them: a restart is never a surprise.
[ ! -d /run/systemd/system ] || systemctl daemon-reload || :

%preun
# An upgrade leaves the running process alone; a removal stops it cleanly.
if [ "$1" = 0 ] && [ -d /run/systemd/system ]; then systemctl stop 'walduct@*.service' walduct-serve.service || :; fi

%postun
[ ! -d /run/systemd/system ] || systemctl daemon-reload || :
"""


def listed(tree):
    """Files by their names; of folders those of walduct's own alone."""
    lines = ["%dir /etc/walduct", "%dir /usr/share/doc/walduct"]
    for path in sorted(tree.rglob("*")):
        name = "/" + path.relative_to(tree).as_posix()
        if path.is_dir():
            if name.startswith("/usr/share/doc/walduct/"):
                lines.append(f"%dir {name}")
        else:
            lines.append(("%doc " if name.startswith("/usr/share/doc/") else "") + name)
    return "\n".join(lines)


def make(stage, arch, version, out):
    machine = MACHINES[arch]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        tree = scratch / "tree"
        shutil.copytree(stage, tree, symlinks=True)
        (tree / "etc/walduct").mkdir(parents=True, exist_ok=True)
        (tree / "usr/share/zsh/vendor-completions").rename(tree / "usr/share/zsh/site-functions")
        for path in [tree, *tree.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        (scratch / "walduct.spec").write_text(SPEC.format(
            version=version.replace("-", "~"), summary=SUMMARY, license=LICENSE, description=DESCRIPTION, tree=tree, files=listed(tree)))
        macros = {"_topdir": scratch, "_rpmdir": scratch / "made", "_dbpath": scratch / "db", "_buildhost": "walduct",
                  "use_source_date_epoch_as_buildtime": 1, "clamp_mtime_to_source_date_epoch": 1, "_rpmfilename": "walduct.rpm"}
        defined = [word for name, value in macros.items() for word in ("--define", f"{name} {value}")]
        done = subprocess.run(["rpmbuild", "-bb", "--target", f"{machine}-linux", *defined, scratch / "walduct.spec"],
                              capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(scratch),
                                                                   "SOURCE_DATE_EPOCH": str(epoch())})
        if done.returncode:
            raise SystemExit(f"package: rpmbuild failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        made = out / f"walduct-{version}-1.{machine}.rpm"
        shutil.copy(scratch / "made/walduct.rpm", made)
    return made
