"""Makes a round from a seed."""
import random

from differential import column_types as types
from differential.limits import fits, has, takes_big_rows
from differential.plan import (SCHEMAS, Alter, Column, Create, Delete, Drop, Insert, Leaf, Mass, Message, Plan, Published, Raw, Savepoint, Table, Together,
                               Transaction, Truncate, Update, World, ident, literal)

ODD_TABLES = ["T Mixed", "weird.name", "ünï", "select", "a-b", 'quo"te', "UPPER", "under_score", "1st", "sp  ace", "d$ollar", "x" * 60, "it's"]
ODD_COLUMNS = ["Mixed Case", "weird.name", "ünï", "select", "a-b", 'quo"te', "UPPER", "order", "1st", "before", "after", "op", "id", "payload", "schema",
               "_x", "d$ollar", "y" * 50, "日本", "back\\slash"]


# Columns that are computed: from what, and the type. Debezium takes literals in the expression for a DEFAULT.
GENERATED = [
    ("rid * 2", types.INTEGER), ("5", types.INTEGER), ("abs(rid)", types.INTEGER), ("nullif(rid, rid)", types.INTEGER), ("rid > 1", types.plain("boolean", types.choice_of("true"))),
    ("upper('x' || rid)", types.plain_text), ("'x' || nullif(rid, 1)", types.plain_text), ("case when rid > 1 then 'big' else 'small' end", types.plain_text),
    ("'2020-02-02'::date", types.plain("date", types.choice_of("2020-02-02"))), ("'{\"k\": \"v\"}'::jsonb", types.plain("jsonb", types.choice_of("{}"))), ("rid * 1.5", types.plain("numeric(9,2)", types.choice_of("1"), family="numeric")),
    ("'24:00'::time", types.plain("time", types.choice_of("01:02:03"))),
]

# Of the database, and so of the sessions of both connectors, which must not follow them.
SETTINGS = {
    "timezone": ["'America/New_York'", "'Asia/Kolkata'", "'Australia/Lord_Howe'"], "datestyle": ["'SQL, DMY'", "'German'", "'Postgres, MDY'"],
    "intervalstyle": ["'postgres_verbose'", "'iso_8601'"], "search_path": ["s2, public"],
}


class Generator:
    def __init__(self, seed, tables=12, transactions=90, extensions=(), postgres=17):
        self.rng = random.Random(seed)
        self.postgres = postgres
        self.seed, self.table_count, self.transaction_count = seed, tables, transactions
        self.extensions, self.more_types = extensions, types.extension_types(extensions)
        self.next_uid = 0
        self.rids = {}  # table → how many rows were ever inserted
        self.labels = 0
        self.big = set()  # tables with values that are stored out of line

    def uid(self):
        self.next_uid += 1
        return self.next_uid

    def chance(self, p):
        return self.rng.random() < p

    # --- tables ---

    def plan(self):
        rng = self.rng
        pool = types.every_type(rng, self.more_types)
        rng.shuffle(pool)
        # Every third round holds every type at least once.
        share = -(-len(pool) // self.table_count) if self.seed % 3 == 0 else 0
        tables = [self.table(n, pool[n * share:(n + 1) * share]) for n in range(self.table_count)]
        plan = Plan(self.seed, tables, extensions=self.extensions)
        if any(t.partitions for t in tables) and self.chance(0.5):
            plan.publication = "for all tables with (publish_via_partition_root)"
        self.world = World(tables)
        plan.before = [self.insert(t) for t in tables for _ in range(rng.choice((0, 1, 1, 2)))]
        plan.before += self.earlier()
        if self.chance(0.15):
            plan.published = [self.published(t) for t in tables if self.chance(0.8)]
            if self.chance(0.3):
                plan.publication = f"for all tables with (publish = '{rng.choice(('insert', 'insert, update', 'insert, update, delete'))}')"
        self.as_roots = "via_partition_root" in plan.publication
        if self.chance(0.25):
            plan.settings = {name: rng.choice(SETTINGS[name]) for name in rng.sample(list(SETTINGS), rng.randint(1, 3))}
        while len(plan.transactions) < self.transaction_count:
            plan.transactions += self.transactions()
        return plan

    def earlier(self):
        """Changes of rows and tables before the start."""
        made = []
        for _ in range(self.rng.choice((0, 2, 5))):
            operation = self.change() if self.chance(0.5) else self.alteration(BEFORE)
            if getattr(operation, "table", None) is not None:
                made.append(operation)
        return made

    def published(self, table):
        columns = [c for c in table.columns if c.generated is None and (table.bound(c) or c.uid == table.columns[0].uid or self.chance(0.7))]
        if table.partitions:  # the server takes neither for them
            return Published(table.uid)
        return Published(table.uid, [c.uid for c in columns] if self.chance(0.3) else [], "{rid} % 3 <> 0" if self.chance(0.3) else None)

    def table(self, number, given=()):
        rng = self.rng
        name = f"t{number}" if self.chance(0.7) else f"{rng.choice(ODD_TABLES)}{number}"
        table = Table(self.uid(), rng.choice(["public"] * 4 + SCHEMAS), name, [])
        self.rids[table.uid] = 0
        table.columns.append(Column(self.uid(), "rid", types.INTEGER(rng), not_null=self.chance(0.8)))
        for made in [*given, *(types.random_type(rng, self.more_types) for _ in range(rng.choice((1, 2, 3, 5, 8))))]:
            self.add(table, made)
        if self.chance(0.15):
            expression, made = rng.choice(GENERATED)
            table.columns.append(Column(self.uid(), "gen", made(rng), generated=expression))
        if self.chance(0.15):
            table.columns.append(Column(self.uid(), "ident", types.BIGINT(rng), generated="identity", not_null=True))
        self.keys(table)
        return table

    def add(self, table, made):
        column = self.column(table, made)
        if fits(column):
            table.columns.append(column)

    def column(self, table, made):
        rng = self.rng
        taken = {c.name.lower() for c in table.columns}
        name = f"c{len(table.columns)}" if self.chance(0.75) else rng.choice(ODD_COLUMNS)
        if name.lower() in taken:
            name = f"c{self.next_uid}"
        column = Column(self.uid(), name, made, not_null=self.chance(0.25))
        if made.defaults and self.chance(0.3):
            column.default = rng.choice(made.defaults)
        return column

    def keys(self, table):
        rng, rid = self.rng, table.columns[0].uid
        keyable = [c for c in table.columns[1:] if c.type.key and fits(c, key=True)]
        kind = rng.choice(("rid", "rid", "rid", "composite", "composite", "other", "none", "unique", "both"))
        some = [c.uid for c in rng.sample(keyable, min(len(keyable), rng.choice((1, 1, 2))))]
        for c in table.columns:
            if c.uid in some and kind in ("composite", "other", "unique", "both"):
                c.not_null = c.not_null or kind != "unique" or self.chance(0.8)
        if kind in ("rid", "both") or (kind != "none" and kind != "unique" and not some):
            table.primary_key = [rid]
        elif kind == "composite":
            table.primary_key = rng.sample([rid, *some], len(some) + 1)
        elif kind == "other":
            table.primary_key = some
        if kind in ("unique", "both"):
            table.unique = [rng.sample([rid, *some], len(some) + 1)]
        table.columns[0].not_null = table.columns[0].not_null or kind in ("rid", "composite", "both", "unique")
        if kind != "other" and self.chance(0.12):
            table.partitions = rng.choice((1, 3))
            if self.chance(0.7):
                table.leaves = [self.leaf(table) for _ in range(table.partitions)]
        if kind == "unique" and not table.partitions:
            self.weaken(table, some)
        table.identity = rng.choice(self.identities(table))

    def leaf(self, table):
        """A partition with a key, an index or an identity of its own; the server takes its updates."""
        rng, rid = self.rng, table.columns[0]
        some = [c.uid for c in table.columns[1:] if c.not_null and c.type.key and fits(c, key=True)][:2]
        leaf = Leaf(identity=rng.choice(("default", "default", "full", "index")))
        if not table.primary_key and (leaf.identity == "default" or self.chance(0.5)):
            leaf.key = rng.choice(([rid.uid], [rid.uid], [*some, rid.uid]))
        if leaf.identity == "index":
            rid.not_null = True
            leaf.unique = rng.choice(([rid.uid], [*some, rid.uid], some or [rid.uid]))
        return leaf

    def weaken(self, table, some):
        """A key that rows can share: an index that no row is in, or one that is checked at the end of a transaction."""
        if some and self.chance(0.35):
            table.unique, table.partial = [some], "{rid} < 0"
        elif self.chance(0.2):
            table.partial = "{rid} % 3 <> 0"
        elif self.chance(0.2):
            table.deferrable = True

    def identities(self, table):
        whole = table.unique and not table.partitions and not table.partial and not table.deferrable
        usable = whole and all(table.column(u) and table.column(u).not_null for u in table.unique[0])
        if table.leaves:  # theirs counts
            return ["default", "default", "full", "nothing"]
        return ["default"] * 4 + ["full"] * 3 + ["nothing"] + ["index"] * (3 if usable else 0)

    # --- rows ---

    def value(self, table, column):
        if column.generated == "identity" or (not column.not_null and self.chance(0.12)):
            return None
        if column.type.big and fits(column, table.bound(column), big=True) and takes_big_rows(table) and self.chance(0.15):
            self.big.add(table.uid)
            return column.type.big(self.rng)
        while not has(column, value := column.type.value(self.rng)):
            pass
        if column.type.family == "domain_not_null" and not column.not_null and self.chance(0.15):
            return types.Sql(f"(select {literal(value)}::{column.type.sql} where false)")
        return value

    def row(self, table):
        self.rids[table.uid] += 1
        row = {table.columns[0].uid: str(self.rids[table.uid])}
        for c in table.columns[1:]:
            if c.default is None or self.chance(0.6):
                row[c.uid] = self.value(table, c)
        return {uid: v for uid, v in row.items() if table.column(uid).generated is None}

    def insert(self, table):
        return Insert(table.uid, [self.row(table) for _ in range(self.rng.choice((1, 1, 1, 2, 5)))])

    def update(self, table):
        rng = self.rng
        columns = [c for c in table.columns[1:] if c.generated is None]
        if self.chance(0.15):
            columns = [c for c in columns if c.uid in table.primary_key]
        chosen = rng.sample(columns, min(len(columns), rng.choice((1, 1, 2, 3))))
        values = {c.uid: self.value(table, c) for c in chosen}
        if not values or self.chance(0.08):  # another row identity
            self.rids[table.uid] += 1
            values[table.columns[0].uid] = str(self.rids[table.uid])
        return Update(table.uid, self.some_rid(table), values)

    def some_rid(self, table):
        last = self.rids[table.uid]
        return self.rng.randint(max(1, last - 12), max(1, last))

    def can_change(self, table):
        """Whether the server takes updates and deletes of a published table."""
        return bool(table.leaves) or table.identity in ("full", "index") or (table.identity == "default" and bool(table.primary_key))

    def change(self):
        tables = list(self.world.tables.values())
        table = self.rng.choice(tables)
        kind = self.rng.random()
        if kind < 0.45 or not self.can_change(table) or not self.rids[table.uid]:
            if kind > 0.97:
                return Truncate([t.uid for t in self.rng.sample(tables, self.rng.choice((1, 1, 2)))])
            return self.insert(table)
        if kind < 0.5:
            return Mass(table.uid, self.rng.choice(list(Mass.STATEMENTS)))
        if kind < 0.8:
            return self.update(table)
        if kind < 0.96:
            return Delete(table.uid, self.some_rid(table))
        return self.message()

    def message(self):
        content = self.rng.choice((types.text(self.rng), types.Sql("decode('00ff10', 'hex')")))
        return Message(self.chance(0.6), self.rng.choice(("keep", "drop", "odd prefix é", "")), content)

    # --- transactions ---

    def transactions(self):
        rng = self.rng
        if self.chance(0.22):
            return [Transaction([self.alteration()], settle=True)]
        if self.chance(0.05):
            commit, before = self.chance(0.8), self.world.copy()
            mixed = [self.change(), self.alteration(LATE), self.change()]
            if not commit:
                self.world = before
            return [Transaction(mixed, commit=commit, settle=True)]
        operations = [self.change() for _ in range(self.rng.choice((1, 1, 1, 2, 3, 6)))]
        if self.chance(0.12):
            operations.append(Savepoint([self.change() for _ in range(self.rng.randint(1, 3))], keep=self.chance(0.5)))
        beside = [self.insert(rng.choice(list(self.world.tables.values())))] if len(operations) > 1 and self.chance(0.2) else []
        prepared = f"{self.seed} {self.uid()}" if self.chance(0.05) else None
        return [Transaction(operations, commit=self.chance(0.92), beside=beside, prepared=prepared)]

    def alteration(self, kinds=()):
        rng = self.rng
        table = rng.choice(list(self.world.tables.values()))
        for _ in range(20):
            made = getattr(self, rng.choice(kinds or ALTERATIONS))(table)
            if kinds is LATE and self.forgets(table, made):
                continue
            if made is not None and self.harmless(made):
                list(made.sql(self.world))
                return made
        return self.message()

    def forgets(self, table, made):
        """Whether rows before it are read with a column that the catalog has no longer: Debezium knows no more of it then
        (docs/differences.md, `column of a table that was dropped or re-created before its rows are read`)."""
        if made is None or made.kind != "drop_column":
            return False
        column = table.column(made.column)
        return column.not_null or column.default is not None or column.generated is not None or column.type.family == "domain_not_null"

    def harmless(self, made):
        """Whether tables with large values can still be updated afterwards."""
        world = self.world.copy()
        list(made.sql(world))
        return all(takes_big_rows(world.get(uid)) for uid in self.big if world.get(uid))

    def add_column(self, table):
        column = self.column(table, types.random_type(self.rng, self.more_types))
        column.not_null = column.not_null and column.default is not None
        return Alter(table.uid, "add_column", to=column) if fits(column) and len(table.columns) < 30 else None

    def free(self, table):
        return [c for c in table.columns[1:] if not table.bound(c)]

    def drop_column(self, table):
        free = self.free(table)
        return Alter(table.uid, "drop_column", self.rng.choice(free).uid) if free else None

    def rename_column(self, table):
        column = self.rng.choice(table.columns)
        if column.name == "rid" and any("rid" in (c.generated or "") for c in table.columns):
            return None
        return Alter(table.uid, "rename_column", column.uid, f"r{self.uid()}")

    def change_type(self, table):
        able = [c for c in self.free(table) if c.type.alters and c.default is None and not c.generated]
        if not able:
            return None
        column = self.rng.choice(able)
        made = self.rng.choice(column.type.alters)(self.rng)
        if made.family == "timestamp" and column.not_null:  # its values may be beyond nanoseconds
            return None
        return Alter(table.uid, "change_type", column.uid, made) if fits(Column(0, "", made, column.not_null)) else None

    def not_null(self, table):
        free = [c for c in self.free(table) if not c.generated and c.type.family not in STAY_NULLABLE and fits(Column(0, "", c.type, True, c.default))]
        column = self.rng.choice(free) if free else None
        if column and not column.not_null and self.postgres >= 18 and self.chance(0.6):
            return Alter(table.uid, "not_valid", column.uid)
        return Alter(table.uid, "not_null", column.uid, not column.not_null) if column else None

    def default(self, table):
        able = [c for c in self.free(table) if c.type.defaults and not c.generated]
        column = self.rng.choice(able) if able else None
        if column is None:
            return None
        to = None if column.default else self.rng.choice(column.type.defaults)
        return Alter(table.uid, "default", column.uid, to) if fits(Column(0, "", column.type, column.not_null, to)) else None

    def identity(self, table):
        return Alter(table.uid, "identity", to=self.rng.choice(self.identities(table)))

    def rename(self, table):
        """Not of a root under whose name rows come: the server does not announce it. walduct's look at the catalog finds it, after a
        time that depends on the machine, and its stream begins anew; Debezium's goes on under the old name."""
        announced = not (table.partitions and self.as_roots)
        return Alter(table.uid, "rename", to=f"renamed{self.uid()}") if self.chance(0.4) and announced else None

    def move(self, table):
        return None if table.partitions else Alter(table.uid, "move", to=self.rng.choice(["public", *SCHEMAS]))

    def drop_key(self, table):
        simple = table.primary_key and table.name.isidentifier() and not table.partitions
        return Alter(table.uid, "drop_key", to=f"{table.name}_pkey") if simple else None

    def add_key(self, table):
        rid = table.columns[0]
        return None if table.primary_key or not rid.not_null or table.partitions else Alter(table.uid, "add_key", to=[rid.uid])

    def own_type(self, table):
        """A type that comes while both stream."""
        name = f"made{self.uid()}"
        made, statement = self.rng.choice((
            (types.ColumnType(name, "enum", types.choice_of("p", "q r")), f"create type {name} as enum ('p', 'q r')"),
            (types.ColumnType(name, "domain", types.choice_of("1", "-2")), f"create domain {name} as bigint check (value < 10)"),
            (types.ColumnType(name, "domain", types.choice_of("a", "b")), f"create domain {name} as short_text"),
            (types.ColumnType(name, "unknown", types.choice_of("(1,2)", "(,)")), f"create type {name} as (x int, y int)"),
            (types.ColumnType(name, "unknown", types.choice_of("[1,2)", "empty")), f"create type {name} as range (subtype = float8)"),
            (types.ColumnType(f"{name}[]", "array_enum", types.choice_of("{p}", "{}")), f"create type {name} as enum ('p', 'q r')"),
        ))
        return Alter(table.uid, "own_type", to=(Column(self.uid(), f"o{self.uid()}", made), statement)) if len(table.columns) < 30 else None

    def partition_again(self, table):
        if not table.partitions:
            return None
        last = table.partition(table.partitions - 1)
        values = f"values from ({table.partitions * 8 - 8 if table.partitions > 1 else 'minvalue'}) to (maxvalue)"
        return Together([Raw(f"alter table {table.sql} detach partition {last}"), Raw(f"alter table {table.sql} attach partition {last} for {values}"),
                         Alter(table.uid, "identity", to=table.identity)])

    def create(self, table):
        if self.chance(0.5) or len(self.world.tables) > self.table_count + 3:
            return None
        return Create(self.table(self.uid()))

    def drop(self, table):
        return Drop(table.uid) if self.chance(0.2) and len(self.world.tables) > 2 else None

    def recreate(self, table):
        """The same name with other columns."""
        if self.chance(0.6):
            return None
        again = self.table(self.uid())
        again.schema, again.name = table.schema, table.name
        return Together([Drop(table.uid), Create(again)])

    def label(self, table):
        self.labels += 1
        return Raw(f"alter type {ident(self.rng.choice(list(types.ENUMS)))} add value 'new{self.labels}'")


ALTERATIONS = ["add_column"] * 5 + ["drop_column"] * 3 + ["rename_column"] * 2 + ["change_type"] * 3 + ["not_null"] * 2 + ["default"] * 2 + [
    "identity", "rename", "create", "drop", "recreate", "label", "move", "drop_key", "add_key", "own_type", "partition_again"]
# Of these Debezium, which asks the catalog for a table by its name when it reads the transaction, still finds what it needs. Not
# `not_null` and `default`: a server sends a transaction a moment before its own catalog shows it, so either may read the old one.
LATE = ["add_column", "drop_column", "change_type", "identity"]
BEFORE = ["add_column", "add_column", "drop_column", "change_type", "not_null", "default"]
# Their columns may hold values by now that would stop both connectors if null were not allowed.
STAY_NULLABLE = ("timestamp", "array_enum", "array_tsvector", "array_ltree", "array_unknown", "array_domain")
