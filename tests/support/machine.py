"""A copy of this machine to install packages on: an overlay over its root file system in a mount name space of its own.
Whatever is written there is gone with it. It shares processes and network with this machine."""
import os
import subprocess
from pathlib import Path

MOUNT = """
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs {0}
mkdir {0}/upper {0}/work {0}/root
mount -t overlay overlay -o lowerdir=/,upperdir={0}/upper,workdir={0}/work {0}/root
for below in dev proc; do mount --rbind /$below {0}/root/$below; done
echo mounted
exec sleep infinity
"""


class Machine:
    def __init__(self, scratch):
        """scratch: an empty folder. Raises OSError where this process may not mount."""
        if os.getuid() != 0:
            raise OSError("mounting needs root")
        self.root = Path(scratch) / "root"
        self.keeper = subprocess.Popen(["unshare", "--mount", "sh", "-c", MOUNT.format(scratch)], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        if self.keeper.stdout.readline() != "mounted\n":
            raise OSError(self.keeper.communicate()[1].strip())

    def line(self, command, user=None):
        """The command line that runs a command there."""
        entered = ["nsenter", f"--target={self.keeper.pid}", "--mount", "chroot"]
        return [*entered, *([f"--userspec={user}:{user}", "--groups="] if user else []), str(self.root), *map(str, command)]

    def run(self, *command, check=True, **options):
        done = subprocess.run(self.line(command), capture_output=True, text=True, cwd="/", **options)
        assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done

    def write(self, path, text, owner="root", mode="600"):
        self.run("sh", "-c", f"mkdir -p $(dirname {path}) && cat > {path} && chown {owner} {path} && chmod {mode} {path}", input=text)

    def remove(self):
        self.keeper.kill()
        self.keeper.communicate()
