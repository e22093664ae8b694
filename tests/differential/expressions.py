"""Random conditions and topics of Debezium's Filter and ContentBasedRouter, in Groovy."""

CONSTANTS = {
    "text": ["'ka'", "'kb'", "'none'", "'x'", "''", "'7'", "'zz'"], "integer": ["0", "1", "-1", "42", "70000L", "1.0"], "smallint": ["0", "300", "-1L"],
    "bigint": ["0", "1718000000000", "-5", "1e3"[:1]], "numeric": ["1.5", "1.50", "0", "-12.3", "99.99"], "double": ["0", "1.5", "-2.5d"],
    "real": ["0.5", "0.1", "0"], "boolean": ["true", "false"], "uuid": ["'00000000-0000-4000-8000-000000000001'"],
}
OTHERS = ["1", "'1'", "null", "true", "'ka'", "2.5"]
ORDER = ["<", "<=", ">", ">="]


class Expressions:
    """`flat`: the value is a row."""

    def __init__(self, rng, table, flat):
        self.rng, self.flat = rng, flat
        self.columns = [c for c in table.columns if c.name.isidentifier()] if table else []

    def chance(self, p):
        return self.rng.random() < p

    def condition(self, depth=0):
        kind = self.rng.random()
        if depth < 2 and kind < 0.4:
            sign = self.rng.choice(("&&", "||"))
            return f"({self.condition(depth + 1)}) {sign} ({self.condition(depth + 1)})"
        if depth < 2 and kind < 0.5:
            return f"!({self.condition(depth + 1)})"
        if depth < 2 and kind < 0.55:
            return f"({self.condition(depth + 1)}) ? ({self.condition(depth + 1)}) : {self.rng.choice(('true', 'false'))}"
        return self.about_record() if kind > 0.75 or not self.columns else self.about_column()

    def about_record(self):
        texts = ["topic ==~ /.*[13579]/", "topic.contains('orders')", "key != null", "header['__debezium.context.taskId'].value == '0'", "header['h1']?.value == null", "header.h1 != null"]
        if not self.flat:
            texts += ["value.op == 'c'", "value.op != 'd'", "value.op in ['c', 'u']", "value.source.table == 'orders1'", "value.before == null", "value.after != null", "value.op =~ '[cu]' && true",
                      "value.source.lsn > 0", "value['op'] == 'u'", "value.get('op').equals('c')", "value.source.snapshot == 'false'", "value.transaction == null", "!value.before"]
        return self.rng.choice(texts)

    def path(self, name):
        if self.flat:
            return f"value.{name}"
        row = self.rng.choice(("after", "after", "before"))
        return f"value.{row}{self.rng.choice(('?.', '?.', '.'))}{name}"

    def about_column(self):
        column = self.rng.choice(self.columns)
        path, family = self.path(column.name), column.type.family
        constants = CONSTANTS.get(family, OTHERS)
        constant = self.rng.choice(OTHERS if self.chance(0.1) else constants)
        kind = self.rng.random()
        if kind < 0.3:
            return f"{path} {self.rng.choice(('==', '!='))} {constant}"
        if kind < 0.45:
            return f"{path} {self.rng.choice(ORDER)} {constant}"
        if kind < 0.55:
            return f"{path} {self.rng.choice(('==', '!='))} null"
        if kind < 0.65:
            return f"{path} in [{', '.join(self.rng.sample(constants, min(2, len(constants))))}]"
        if kind < 0.72:
            return f"{path} && true"
        if kind < 0.78:
            return f"{path} ==~ {self.rng.choice(('/k.*/', '/[0-9-]+/', '/.*/'))}"
        if kind < 0.84 and family in ("integer", "smallint", "bigint", "double", "real"):
            return f"{path} + 1 {self.rng.choice(ORDER)} {constant}"
        if family == "text":
            return f"{path}{self.rng.choice(('.', '?.'))}{self.method()}"
        return f"{path}.equals({constant})"

    def method(self):
        return self.rng.choice(("startsWith('k')", "endsWith('a')", "contains('.')", "equals('ka')", "matches('k.*')", "toUpperCase() == 'KA'", "toLowerCase() == 'k-d'"))

    def topic(self):
        fixed = ["topic + '_x'", "null", "topic", "'{prefix}.all'"]
        if not self.flat:
            fixed += ["'{prefix}.' + value.source.table + '.' + value.op", "value.op == 'd' ? '{prefix}.gone' : topic", "value.op == 'c' ? '{prefix}.new' : null"]
        clean = [c for c in self.columns if c.name in ("kind", "qty", "small", "big", "amount", "flag", "price", "ratio")]
        if clean and self.chance(0.6):
            path = self.path(self.rng.choice(clean).name)
            fixed = [f"'{{prefix}}.by.' + {path}", f"'{{prefix}}.by.' + ({path} ?: 'none')", f"{path} == null ? null : topic + '.' + {path}", f"({self.condition(1)}) ? '{{prefix}}.yes' : '{{prefix}}.no'"]
        return self.rng.choice(fixed)
