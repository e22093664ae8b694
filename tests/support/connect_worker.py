"""Kafka Connect distributed on the worker file of a Worker, and as one: start, stop, kill, REST."""
import signal
import subprocess

from support import debezium
from support.serve import Worker
from support.wait import wait_until


class ConnectWorker(Worker):
    def __init__(self, worker):
        self.__dict__.update(worker.__dict__)
        self.log = self.dir / "connect.log"

    def begin(self):
        self.process = debezium.start_distributed(self.dir, self.properties, self.log)
        return self

    def start(self):
        self.begin()
        wait_until(self.healthy, 120, f"Connect serves (see {self.log})", interval_s=0.2)
        return self

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
