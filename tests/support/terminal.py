"""A program on a terminal of its own: what it prints, with colours, and keys that are typed."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time


class Terminal:
    def __init__(self, *command, columns=100, environment=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        env = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **(environment or {})}
        # A session of its own, whose terminal this is: its keys are signals.
        self.process = subprocess.Popen([str(c) for c in command], stdin=slave, stdout=slave, stderr=slave, env=env,
                                        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.text = ""

    def echoes(self):
        """Whether the terminal shows what is typed."""
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def read(self, timeout_s=0.2):
        """All that has been printed, without \\r."""
        while select.select([self.master], [], [], timeout_s)[0]:
            try:
                more = os.read(self.master, 65536)
            except OSError:  # nobody has it open any more
                break
            if not more:
                break
            self.text += more.decode(errors="replace").replace("\r\n", "\n")
        return self.text

    def wait_text(self, text, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while text not in self.read(0.1):
            assert time.monotonic() < deadline, f"no {text!r} in:\n{self.text}"
        return self.text

    def plain(self):
        return re.sub(r"\x1b\[[0-9;]*[mHJ]", "", self.text)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def wait_exit(self, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while self.process.poll() is None:
            self.read(0.1)
            assert time.monotonic() < deadline, f"it goes on:\n{self.text}"
        self.read(0)
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
