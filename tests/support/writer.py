"""A session that changes rows beside a test, until it is told to stop."""
import random
import threading

from support.wait import wait_until


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


class Updates(Writer):
    """Sets v of all rows of t to 1, 2, …, a pause apart."""

    def __init__(self, database, pause_s):
        super().__init__(database, 0)
        self.pause_s = pause_s

    def change(self, session, choose):
        if self.over.wait(self.pause_s):
            return 0
        session.execute("update t set v = %s", (self.changes + 1,))
        return 1


def disturb_under_updates(database, disturb, times, apart, pause_s=0.005):
    """So many times, so many updates apart. How many there were in all."""
    writer = Updates(database, pause_s)
    writer.start()
    try:
        for _ in range(times):
            at = writer.changes
            wait_until(lambda at=at: writer.changes > at + apart or writer.error, 30, f"{apart} more updates")
            disturb()
    finally:
        writer.stop()
    return writer.changes
