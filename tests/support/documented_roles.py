"""The roles that docs/security.md makes."""
import re

from support.paths import ROOT
from support.sql import split_statements


def documented_sql(title):
    text = (ROOT / "docs/security.md").read_text()
    return re.search(rf"```sql {title}\n(.*?)```", text, re.S)[1]


class DocumentedRoles:
    """Under names of this test's own."""

    def __init__(self, db):
        self.db = db
        self.roles = {"walduct_cdc": f"{db.name}_cdc", "shop_owners": f"{db.name}_owners"}

    def run(self, title):
        sql = documented_sql(title)
        for name, mine in {**self.roles, "DATABASE shop": f"DATABASE {self.db.name}", "dbz_publication": self.db.name}.items():
            sql = sql.replace(name, mine)
        for statement in split_statements(sql):
            self.db.execute(statement)

    def drop(self):
        for role in self.roles.values():
            if self.db.server.query("select 1 from pg_roles where rolname = %s", role):
                self.db.server.query(f'reassign owned by "{role}" to postgres', database=self.db.name)
                self.db.server.query(f'drop owned by "{role}"', database=self.db.name)
                self.db.server.query(f'drop role "{role}"')
