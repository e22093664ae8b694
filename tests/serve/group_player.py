"""Plays a scenario against several workers of one group: each request goes to the next of them."""
import json
import urllib.parse
import urllib.request

from serve.player import Player
from support.wait import wait_until


class GroupPlayer(Player):
    """What was asked before is to be known everywhere, as a client of Connect's workers waits for, too."""

    def __init__(self, bases, *others):
        super().__init__(bases[0], *others)
        self.bases, self.turn = bases, 0

    def _send(self, *request, **more):
        self.turn += 1
        self.address = urllib.parse.urlsplit(self.bases[self.turn % len(self.bases)])
        return super()._send(*request, **more)

    def _without_place(self, text):
        for base in self.bases:
            text = text.replace(base, self.base)
        return super()._without_place(text)

    def _exchange(self, step):
        self._agree()
        return super()._exchange(step)

    def _agree(self):
        wait_until(lambda: len({self._told_by(base) for base in self.bases}) == 1, 30, "all workers tell the same", interval_s=0.1)

    @staticmethod
    def _told_by(base):
        def get(path):
            with urllib.request.urlopen(base + path, timeout=60) as answer:
                return json.load(answer)
        try:
            all_ = get("/connectors?expand=info&expand=status")
            topics = {name: {one: sorted(two["topics"]) for one, two in get(f"/connectors/{urllib.parse.quote(name, safe='')}/topics").items()}
                      for name in all_}
        except OSError:  # one went meanwhile
            return base
        return json.dumps([all_, topics], sort_keys=True)
