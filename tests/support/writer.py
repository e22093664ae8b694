"""A session that changes rows beside a test, until it is told to stop."""
import random
import threading


class Writer(threading.Thread):
    """A subclass says what one step is: `change` answers how many changes it was."""

    def __init__(self, database, seed):
        super().__init__(daemon=True)
        self.database, self.choose, self.over, self.changes, self.error = database, random.Random(seed), threading.Event(), 0, None

    def change(self, session, choose):
        raise NotImplementedError

    def run(self):
        try:
            with self.database.connect() as session:
                while not self.over.is_set():
                    self.changes += self.change(session, self.choose)
        except Exception as error:  # noqa: BLE001  (told by stop)
            self.error = error

    def stop(self):
        self.over.set()
        self.join(60)
        assert not self.is_alive() and self.error is None, f"the writer ended: {self.error}"
