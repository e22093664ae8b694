"""Cuts a round down while it still differs."""
import copy
import re
import time

from differential.chains import CHAIN
from differential.options import base


class Shrinker:
    """`differs(plan, options)` plays a round: its Difference or text, None when the two are equal."""

    def __init__(self, differs, seconds):
        self.differs, self.deadline = differs, time.monotonic() + seconds
        self.attempts = 0

    def shrink(self, plan, options, found):
        self.plan, self.options, self.found = plan, options, found
        self._one_table()
        self._chain()
        self._options()
        self._one_table()
        self._transactions()
        self._columns()
        self._rows()
        self._transactions()
        self._options()
        return self.plan, self.options, self.found

    def _try(self, plan, options):
        if time.monotonic() > self.deadline:
            return False
        self.attempts += 1
        found = self.differs(plan, options)
        if found is None:
            return False
        self.plan, self.options, self.found = plan, options, found
        return True

    def _one_table(self):
        """Only the table of the topic, else as few as it can be."""
        tables = self.plan.all_tables()
        topic = getattr(self.found, "topic", "")
        alone = {t.uid for t in tables if topic.endswith(re.sub(r"[^A-Za-z0-9._-]", "_", t.name))}
        if alone and len(tables) > len(alone) and self._try(self.plan.only(alone), self.options):
            return
        origin = self.plan
        self._halves([t.uid for t in tables], lambda kept: (origin.only(set(kept)), self.options))

    def _halves(self, items, made):
        """Drops as many of the items as it can, a large part first."""
        size = len(items) // 2
        while size >= 1:
            at = 0
            while at < len(items):
                kept = items[:at] + items[at + size:]
                if self._try(*made(kept)):
                    items = kept
                else:
                    at += size
                if time.monotonic() > self.deadline:
                    return
            size //= 2

    def _options(self):
        removable = [k for k, v in self.options.items() if base().get(k) != v]

        def made(kept):
            options = {k: v for k, v in self.options.items() if k not in removable or k in kept}
            return self.plan, {**base(), **options}
        if removable and not self._try(*made([])):
            self._halves(removable, made)

    def _chain(self):
        """Without the links that the difference does not need."""
        for link in list(self.options.get(CHAIN, ())):
            kept = [l for l in self.options[CHAIN] if l is not link]
            if kept:
                self._try(self.plan, {**self.options, CHAIN: kept})

    def _transactions(self):
        def transactions(kept):
            plan = copy.deepcopy(self.plan)
            plan.transactions = [plan.transactions[i] for i in kept]
            return plan, self.options
        self._halves_by_index(len(self.plan.transactions), transactions)

        def before(kept):
            plan = copy.deepcopy(self.plan)
            plan.before = [plan.before[i] for i in kept]
            return plan, self.options
        self._halves_by_index(len(self.plan.before), before)

    def _halves_by_index(self, count, made):
        """As _halves; the indices are those of the list as it was at the beginning."""
        origin = copy.deepcopy(self.plan)

        def from_origin(kept):
            now, self.plan = self.plan, origin
            try:
                return made(kept)
            finally:
                self.plan = now
        self._halves(list(range(count)), from_origin)

    def _columns(self):
        column = getattr(self.found, "column", None)
        for table in self.plan.all_tables():
            removable = [c.uid for c in table.columns[1:] if c.name != column and not table.bound(c)]

            def made(kept, uid=table.uid, removable=removable):
                plan = copy.deepcopy(self.plan)
                for one in plan.all_tables():
                    if one.uid == uid:
                        one.columns = [c for c in one.columns if c.uid not in removable or c.uid in kept]
                return plan, self.options
            if removable and not self._try(*made([])):
                self._halves(removable, made)

    def _rows(self):
        """Single operations of a transaction, single rows of an insert."""
        for number in range(len(self.plan.transactions)):
            for field in ("operations", "rows"):
                self._inside(lambda plan, n=number: plan.transactions[n] if n < len(plan.transactions) else None, field)
        for number in range(len(self.plan.before)):
            self._inside(lambda plan, n=number: plan.before[n] if n < len(plan.before) else None, "rows")

    def _inside(self, pick, field):
        holder = pick(self.plan)
        if field == "rows" and holder is not None and hasattr(holder, "operations"):
            holder = holder.operations[0] if len(holder.operations) == 1 else None
            inner = pick
            pick = lambda plan: inner(plan).operations[0]  # noqa: E731
        items = getattr(holder, field, None)
        if not items or len(items) < 2:
            return

        def made(kept):
            plan = copy.deepcopy(self.plan)
            setattr(pick(plan), field, [items[i] for i in kept])
            return plan, self.options
        self._halves(list(range(len(items))), made)
