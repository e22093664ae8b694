"""What the readers share: twelve tables, random operations on them while walduct is killed."""
import random
import time

import pytest

OPERATIONS = 18000
KILLS = 20
TABLES = 12
# Column by column: its type, and how a value is made.
TYPES = [
    ("int", lambda dice: str(dice.randrange(-2**31, 2**31))),
    ("bigint", lambda dice: str(dice.randrange(-2**63, 2**63))),
    ("text", lambda dice: "'" + "".join(dice.choices("aé€'\" ,;\\\t😀z", k=dice.randrange(30))).replace("'", "''") + "'"),
    ("varchar(40)", lambda dice: f"'{dice.getrandbits(100):x}'"),
    ("numeric(12,2)", lambda dice: f"{dice.randrange(-10**11, 10**11) / 100:.2f}"),
    ("boolean", lambda dice: dice.choice(("true", "false"))),
    ("double precision", lambda dice: repr(dice.uniform(-1e9, 1e9))),
    ("date", lambda dice: f"date '2024-02-29' + {dice.randrange(-9000, 9000)}"),
    ("timestamp", lambda dice: f"timestamp '2024-02-29 13:51:30.123456' + {dice.randrange(10**9)} * interval '1 ms'"),
    ("timestamptz", lambda dice: f"timestamptz '2024-02-29 13:51:30.123456+02' + {dice.randrange(10**9)} * interval '1 ms'"),
    ("uuid", lambda dice: f"'{dice.getrandbits(128):032x}'"),
    ("smallint", lambda dice: str(dice.randrange(-2**15, 2**15))),
]


class Table:
    """A key of one or two columns, some others, which may be NULL; the rows there are, by key."""

    def __init__(self, number, dice):
        self.name, self.dice = f"t{number}", dice
        self.keys = [("k0", TYPES[0])] + ([("k1", TYPES[3])] if number % 3 == 0 else [])
        self.columns = [(f"c{i}", one) for i, one in enumerate(dice.sample(TYPES, dice.randrange(2, 8)))]
        self.rows = []

    def ddl(self):
        columns = [f"{name} {kind[0]} not null" for name, kind in self.keys] + [f"{name} {kind[0]}" for name, kind in self.columns]
        return f"create table {self.name} ({', '.join(columns)}, primary key ({', '.join(name for name, _ in self.keys)}))"

    def _value(self, kind):
        return "null" if self.dice.random() < 0.15 else kind[1](self.dice)

    def _where(self, key):
        return " and ".join(f"{name} = {value}" for (name, _), value in zip(self.keys, key))

    def operation(self):
        """A statement; what it leaves is in `rows`."""
        what = self.dice.random()
        if not self.rows or what < 0.4:
            key = tuple(kind[1](self.dice) for _, kind in self.keys)
            self.rows.append(key)
            return f"insert into {self.name} values ({', '.join([*key, *(self._value(kind) for _, kind in self.columns)])}) on conflict do nothing"
        at = self.dice.randrange(len(self.rows))
        if what < 0.75:
            sets = ", ".join(f"{name} = {self._value(kind)}" for name, kind in self.dice.sample(self.columns, self.dice.randrange(1, len(self.columns))))
            return f"update {self.name} set {sets} where {self._where(self.rows[at])}"
        key = self.rows.pop(at)
        if what < 0.85:  # another key
            new = tuple(kind[1](self.dice) for _, kind in self.keys)
            self.rows.append(new)
            return f"update {self.name} set {', '.join(f'{name} = {value}' for (name, _), value in zip(self.keys, new))} where {self._where(key)}"
        return f"delete from {self.name} where {self._where(key)}"


class Workload:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.tables = [Table(number, self.dice) for number in range(TABLES)]

    def play(self, database, connector):
        """All operations, in transactions of up to twenty; the connector is killed now and then."""
        kills = sorted(self.dice.sample(range(OPERATIONS), KILLS))
        done = 0
        with database.connect() as connection:
            while done < OPERATIONS:
                size = min(self.dice.randrange(1, 21), OPERATIONS - done)
                connection.execute(";".join(self.dice.choice(self.tables).operation() for _ in range(size)))
                done += size
                if kills and kills[0] < done:
                    kills.pop(0)
                    connector.kill()
                    connector.start()
                time.sleep(0.002)  # so that the connector has something to be killed at


@pytest.fixture
def workload():
    seed = random.SystemRandom().randrange(10**6)
    print(f"workload: seed {seed}")
    return Workload(seed)


def rows(database, table):
    """All rows as PostgreSQL prints them, in the order of their keys."""
    return database.execute(f"select t::text from {table.name} t order by {', '.join(name for name, _ in table.keys)}")
