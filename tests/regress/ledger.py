"""What walduct published beside what test_decoding says of the same WAL."""
import json
import re
import sys
from collections import Counter, defaultdict

_CHANGE = re.compile(r'table (.+?): (INSERT|UPDATE|DELETE|TRUNCATE):')
_NAME = re.compile(r'"((?:[^"]|"")*)"|([^".,]+)')
_OPS = {"INSERT": "c", "UPDATE": "u", "DELETE": "d", "TRUNCATE": "t"}
PARTITIONED = "truncate of a partitioned table"
# The log line of a record that cannot be published: table, LSN, transaction, reason. A restart may say it again.
_REFUSED = re.compile(r'record not published: .* record="table (\S+)".* lsn=(\S+) transaction=(\d+) .*reason=(\w+)')
# Of a table whose column has a type that is not supported: one that was dropped before its rows were read again is none any more.
_TYPELESS = re.compile(r'column left out: its type is not supported table=(\S+)')


def _tables(text):
    """The full names in `public.a, "Odd".b`."""
    parts, names = [], []
    for match in re.finditer(r'"(?:[^"]|"")*"|[^".,\s]+|[.,]', text):
        token = match.group(0)
        if token == ",":
            names.append(".".join(parts))
            parts = []
        elif token != ".":
            parts.append(token[1:-1].replace('""', '"') if token.startswith('"') else token)
    return [*names, ".".join(parts)]


def read_reference(database):
    """Transaction → [(table, operation), …], of all that a publication of all tables has; PARTITIONED: it may have it, since
    another table may have had the name."""
    views, partitioned = ({row[0].replace('"', "") for row in database.execute(f"select distinct name from walduct_regress.{table}")}
                          for table in ("views", "partitioned"))
    transactions = defaultdict(list)
    with database.connect() as connection, connection.transaction(), connection.cursor(name="reference") as changes:
        changes.itersize = 10000
        changes.execute("select xid::text::bigint, case when data like '%: TRUNCATE:%' then data else left(data, 400) end "
                        "from pg_logical_slot_get_changes('reference', null, null, 'skip-empty-xacts', '1')")
        for xid, text in changes:
            change = _CHANGE.match(text)
            if not change:
                assert text.startswith(("BEGIN", "COMMIT", "PREPARE", "message:")), text
                continue
            for table in _tables(change.group(1)):
                if table not in views and not table.startswith(("pg_catalog.", "information_schema.", "pg_toast.")):
                    op = _OPS[change.group(2)]
                    transactions[xid].append((table, PARTITIONED if op == "t" and table in partitioned else op))
    return transactions


class Account:
    """Each record by its transaction and its number there, which a restart counts as before."""

    def __init__(self, path, log):
        self.records, self.published, self.repeated, self.changed = {}, 0, 0, []
        refused = {match.groups() for match in _REFUSED.finditer(log)}
        self.typeless, self.shortened = set(_TYPELESS.findall(log)), 0
        self.refused = Counter(reason for *_, reason in refused)
        self.left_out = Counter((int(xid), table) for table, _, xid, _ in refused)
        with open(path, errors="surrogateescape") as lines:
            for line in lines:
                if line.endswith("\n"):
                    self._read(json.loads(line))

    def _read(self, record):
        if record["topic"] == "srv.transaction":
            return
        value = json.loads(record["value"])
        value = value.get("payload", value)
        self.published += 1
        source, place = value["source"], value["transaction"]
        at = (source["txId"], place["total_order"])
        content = hash((source["lsn"], json.dumps(value["before"]), json.dumps(value["after"])))
        now = (sys.intern(f"{source['schema']}.{source['table']}"), value["op"], content)
        before = self.records.setdefault(at, now)
        if before is not now:
            self.repeated += 1
            if before[:2] == now[:2] and before != now and now[0] in self.typeless:
                self.shortened += 1
            elif before != now:
                self.changed.append(f"transaction {at[0]}, number {at[1]}: {before[:2]} was repeated as {now[:2]} with {value['after']}")

    def summary(self):
        refused = ", ".join(f"{count} {reason}" for reason, count in self.refused.items()) or "none"
        return (f"{self.published} records, {self.repeated} of them repeated ({self.shortened} without a column whose type was gone), "
                f"{len(self.records)} changes; refused: {refused}")

    def compare(self, reference):
        """What is not accounted for, as lines."""
        ours = defaultdict(list)
        for (xid, _), record in sorted(self.records.items()):
            ours[xid].append(record)
        found = list(self.changed)
        first = next(xid for xid, changes in reference.items() if ("walduct_regress.done", "c") in changes)
        for xid, changes in reference.items():
            difference = self._difference(xid, changes, ours.pop(xid, []))
            if difference:
                found.append(f"transaction {xid}: {difference}")
        found += [f"transaction {xid}: {len(records)} records, of which test_decoding says nothing: {records[0][:2]}"
                  for xid, records in ours.items() if xid >= first]
        return found

    def _difference(self, xid, changes, records):
        """None: the records tell these changes, or the log says which cannot be published. An update of a key is a delete and an
        insert of one place in the WAL."""
        at = 0
        for number, (table, op) in enumerate(changes):
            told = [record[:2] for record in records[at:at + 2]]
            if told[:1] == [(table, "t" if op == PARTITIONED else op)]:
                at += 1
            elif op == PARTITIONED:
                continue
            elif op == "u" and told == [(table, "d"), (table, "c")]:
                at += 2
            elif self.left_out[xid, table]:
                self.left_out[xid, table] -= 1
            else:
                return f"change {number + 1} of {len(changes)} is {op} of {table}, published was {told[:1] or 'nothing'}"
        return f"{len(records) - at} records too many" if at < len(records) else None
