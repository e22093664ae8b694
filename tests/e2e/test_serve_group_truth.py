"""What a group's REST interface says while its workers are restarted one after the other: by name, as it takes minutes."""
import os
import random
import threading
import time
from collections import Counter

import pytest

from support.group import Group

CONNECTORS, WORKERS = 9, 3
ROUNDS = int(os.environ.get("E2E_GROUP_ROLLS", "1"))
# A state is in the topic before its worker's process ends, and the others follow that.
FOLLOWS_S, RETRIES_S = 0.3, 15


class Asker(threading.Thread):
    """Asks any worker that lives for all states, and the leader by way of it for something that it does; again until it is done."""

    def __init__(self, group):
        super().__init__(daemon=True)
        self.group, self.ends, self.random = group, threading.Event(), random.Random(1)
        self.gone = {}  # worker_id: when its process had ended
        self.wrong, self.answers, self.refusals, self.never = [], Counter(), [], []

    def run(self):
        while not self.ends.is_set():
            began = time.monotonic()
            told = self.until_done("GET", "/connectors?expand=status")
            for name, one in (told or {}).items():
                self.judge(name, one["status"], began)
            self.until_done("PUT", f"/connectors/c{self.random.randrange(CONNECTORS)}/resume")

    def until_done(self, method, path):
        end = time.monotonic() + RETRIES_S
        while time.monotonic() < end:
            worker = self.random.choice(self.group.workers)
            try:
                # As who balances load does: a worker that begins is not asked.
                ready = worker.ask("GET", "/health")[0] == 200
                status, body = worker.ask(method, path) if ready else (None, None)
            except OSError:  # it is not there, or goes
                ready = False
            if not ready:
                time.sleep(0.05)
                continue
            self.answers[status] += 1
            if status < 300:
                return body
            self.refusals.append(body["message"])
            time.sleep(0.2)
        self.never.append((method, path))
        return None

    def judge(self, name, status, began):
        for one in (status["connector"], *status["tasks"]):
            gone = self.gone.get(one["worker_id"])
            if one["state"] == "RUNNING" and gone is not None and began > gone + FOLLOWS_S:
                self.wrong.append((name, one, round(began - gone, 2)))


@pytest.fixture
def group(private_servers, databases, tmp_path):
    servers = private_servers(postgres=17, kafka=True, pg_set={"max_replication_slots": "30", "max_wal_senders": "30"})
    db = databases(servers.postgres)
    db.script(";".join(f"create table items{i} (id int primary key)" for i in range(CONNECTORS)))
    made = Group(tmp_path, servers.bootstrap, db, WORKERS, CONNECTORS)
    yield made
    for worker in made.workers:
        worker.kill()


def test_rest_tells_the_truth_while_workers_are_restarted(group):
    for worker in group.workers:
        worker.start()
    group.create()
    group.wait_spread(group.workers)
    asker = Asker(group)
    asker.start()
    for worker in group.workers * ROUNDS:
        worker.stop()
        asker.gone[f"127.0.0.1:{worker.port}"] = time.monotonic()
        time.sleep(3)
        del asker.gone[f"127.0.0.1:{worker.port}"]
        worker.start()
        group.wait_spread(group.workers)
    asker.ends.set()
    asker.join()
    print("answers", dict(asker.answers), *asker.refusals, sep="\n")
    assert not asker.wrong and not asker.never
    # 409 says, as Connect's does, that nothing was done while the group is rebalanced.
    asked, failed = sum(asker.answers.values()), sum(number for status, number in asker.answers.items() if status >= 500)
    assert asked > 100 and failed <= asked / 100
    for worker in group.workers:
        worker.stop()
