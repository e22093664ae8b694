"""The types that generated columns have, and values at the edges of each."""
import json
import math
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from differential.big_values import Sql, big_hstore, big_jsonpath, big_multirange, big_pair, big_path, big_text, big_texts


@dataclass(frozen=True)
class ColumnType:
    sql: str  # as a CREATE TABLE writes it
    family: str  # by which limits.py and options.py speak of it
    value: Callable[[random.Random], str]
    defaults: tuple = ()  # expressions for DEFAULT
    key: bool = False  # fit for a primary key
    big: Callable[[random.Random], str] | None = None  # a value that the server stores out of line
    alters: tuple = field(default=(), compare=False)  # makers of types that ALTER COLUMN … TYPE may change to
    domain: bool = False  # arrays of it are not those of the type under it


def choice_of(*edges):
    return lambda rng: rng.choice(edges)


def mixed(edges, other):
    """Mostly an edge, else what `other` makes."""
    return lambda rng: rng.choice(edges) if rng.random() < 0.6 else other(rng)


# --- numbers ---

def integers(low, high):
    edges = [str(v) for v in (0, 1, -1 if low else 2, low, high, high - 1)]
    return mixed(edges, lambda rng: str(rng.randint(low, high) >> rng.randrange(0, 64)))


def _double(rng):
    while True:
        value = struct.unpack("d", rng.randbytes(8))[0]
        if math.isfinite(value):
            return repr(value)


def _float(rng):
    while True:
        value = struct.unpack("f", rng.randbytes(4))[0]
        if math.isfinite(value):
            return repr(value)


_FLOATS = ["0", "-0", "1", "-1.5", "NaN", "Infinity", "-Infinity", "0.001", "0.0001", "1e6", "1e7", "9999999.5", "16777216", "100", "3.3",
           "0.1", "123456.789"]


def _near(rng):
    """A number of the size that people store."""
    return repr(round(rng.uniform(-1e5, 1e5), rng.randrange(0, 6)))


doubles = mixed([*_FLOATS, "1.7976931348623157e308", "2.2250738585072014e-308", "5e-324", "2e23", "1e23", "9007199254740993",
                 "4.35", "1.0E-5"], lambda rng: rng.choice((_double, _near))(rng))
floats = mixed([*_FLOATS, "3.4028235e38", "1.17549435e-38", "1e-45", "33554432", "8388608.5"],
               lambda rng: rng.choice((_float, _near))(rng))


def _digits(rng, count):
    return "".join(rng.choice("0123456789") for _ in range(count))


def fixed_numeric(rng):
    precision = rng.choice((1, 3, 5, 9, 10, 18, 19, 20, 38, 60, rng.randint(1, 100)))
    scale = rng.choice((0, 0, 2, 2, precision, rng.randint(0, precision), precision + 2))

    def value(rng):
        unscaled = rng.choice(("0", "1", "9" * precision, "1" + "0" * (precision - 1), "128", "32768", _digits(rng, rng.randint(1, precision))))
        unscaled = unscaled[:precision].rjust(scale + 1, "0")
        text = unscaled[:len(unscaled) - scale] + ("." + unscaled[len(unscaled) - scale:] if scale else "")
        return rng.choice(("", "-")) + text

    fixed = scale <= precision
    return ColumnType(f"numeric({precision},{scale})" if scale or rng.random() < 0.5 else f"numeric({precision})", "numeric", value,
                      ("0", "1", "-1") if fixed and precision > scale else ("0",), key=True, alters=(free_numeric,))


def negative_scale(rng):
    return ColumnType("numeric(5,-2)", "numeric", mixed(["0", "100", "-12300", "9999900"], lambda r: str(r.randint(-99999, 99999) * 100)))


_FREE = mixed(["0", "0.00", "-0.000001", "1e20", "100", "10.1111", "-1", "123456789012345678901234567890.123456789", "1.10", "5e-30"],
              lambda rng: f"{rng.choice(('', '-'))}{_digits(rng, rng.randint(1, 40))}{rng.choice(('', '.' + _digits(rng, rng.randint(1, 20))))}")


def free_numeric(rng):
    return ColumnType("numeric", "numeric", _FREE, ("1.50", "0"), key=True, big=lambda r: Sql(f"('{_digits(r, 50)}' || repeat('7', 8000))::numeric"))


def special_numeric(rng):
    """NaN and the infinities, for a column that is never NOT NULL."""
    sql = rng.choice(("numeric", "numeric(8,3)"))
    return ColumnType(sql, "special_numeric", choice_of("NaN", "1.5", *(("Infinity", "-Infinity") if sql == "numeric" else ())))


money = mixed(["0", "1", "-12.34", "1234567.89", "92233720368547758.07", "-92233720368547758.08", "0.01", "-0.01"],
              lambda rng: f"{rng.randint(-10**12, 10**12)}.{rng.randint(0, 99):02}")

# --- text ---

_PIECES = ["a", "b", "Z", "0", " ", "  ", "\t", "\n", "\r\n", "'", "''", '"', "\\", "\\\\", "/", "</", ",", "{", "}", "(", ")", "NULL", "null", "é", "ß",
           "\u0000"[:0], "\u0001", "\u001f", "\u007f", "\u0080", "\u00a0", "\u2028", "\ufeff", "\uffff", "漢字", "\U0001F600", "e\u0301", "\u202e", "€",
           "%", "_", ";", "--", "=>", "$1", "\b", "\f", "\u000b", "&", "<", ">"]


def pieces(rng, most=8):
    return "".join(rng.choice(_PIECES) for _ in range(rng.randint(0, most)))


text = mixed(["", " ", "abc", "NULL", "it's", 'say "hi"', "back\\slash", "tab\there", "日本語", "\U0001F600"], pieces)


def cut(length, inner=text):
    return lambda rng: inner(rng)[:length]


def varchar(rng):
    n = rng.choice((1, 5, 20, 255))
    return ColumnType(f"varchar({n})", "text", cut(n), ("'x'", "''"), key=True, alters=(plain_text,))


def char(rng):
    n = rng.choice((1, 3, 10))
    return ColumnType(f"char({n})", "text", cut(n), ("'x'",), key=True)


def plain_text(rng):
    return ColumnType("text", "text", text, ("'abc'", "''", "'a b'", "lower('ABC')", "E'a\\nb'", "E'it''s\\tc'"), key=True, big=big_text)


def words(rng):
    """Letters and digits only."""
    return "".join(rng.choice("abcXYZ019") for _ in range(rng.randint(1, 8)))


# --- bytes and bits ---

def hex_bytes(rng):
    return "\\x" + rng.randbytes(rng.choice((0, 1, 2, 3, 16, 100))).hex()


bytea = mixed(["\\x", "\\x00", "\\xff", "\\x00ff10", "\\xfbff"], hex_bytes)


def big_bytes(rng):
    return Sql(f"decode((select string_agg(md5(g || '{rng.randrange(10**6)}'), '') from generate_series(1, 200) g), 'hex')")


def bits(length):
    return mixed(["0" * length, "1" * length, "0" * (length - 1) + "1", "1" + "0" * (length - 1)],
                 lambda rng: "".join(rng.choice("01") for _ in range(length)))


def bit(rng):
    n = rng.choice((1, 1, 2, 3, 8, 10, 20, 64))
    return ColumnType("bit" if n == 1 else f"bit({n})", "bit", bits(n), (f"B'{'1' * n}'",))


def varbit(rng):
    n = rng.choice((1, 7, 20, None))
    value = lambda r: "".join(r.choice("01") for _ in range(r.randint(0, n or 40)))  # noqa: E731
    return ColumnType("varbit" if n is None else f"varbit({n})", "bit", value)


# --- times ---

def _clock(rng):
    return rng.choice(("00:00:00", "23:59:59.999999", "12:34:56.789", "13:51:30.123456", "01:02:03.1", "04:05:06.000001",
                       f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}.{rng.randrange(10**6):06}"))


def _day(rng):
    return rng.choice((f"{rng.randint(1600, 2500)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}", "1970-01-01", "1969-12-31", "2000-02-29",
                       "9999-12-31"))


def _odd_day(rng):
    """Before the Gregorian calendar, before Christ, beyond four digits."""
    return rng.choice(("0001-01-01", "1500-02-28", "1582-10-04", "1582-10-10", "1582-10-15", "1000-01-01", "0044-03-15 BC", "4713-01-01 BC",
                       "10000-01-01", "12345-06-07", "5874897-12-31"))


date = mixed(["1970-01-01", "2024-02-29", "infinity", "-infinity"], lambda rng: rng.choice((_day, _odd_day))(rng))


def _moment(rng, zone=""):
    day = _odd_day(rng) if rng.random() < 0.2 else _day(rng)
    if day.startswith("5874897"):
        day = "294276-12-31"
    day, _, era = day.partition(" ")
    return f"{day} {_clock(rng)}{zone}" + (f" {era}" if era else "")


def _zone(rng):
    return rng.choice(("+00", "+02", "-08", "+05:30", "-03:30", "+14", "-12"))


def precise(name):
    return lambda rng: rng.choice((name, *(f"{name}({p})" for p in range(7))))


def timestamp(rng):
    return ColumnType(precise("timestamp")(rng), "timestamp", mixed(["infinity", "-infinity", "2018-06-20 15:13:16.945104", "1969-12-31 23:59:59.999999"],
                      _moment), ("'2020-01-01 00:00:00'", "now()", "'-infinity'"), key=True, alters=(timestamptz,))


def timestamptz(rng):
    sql = precise("timestamp")(rng) + " with time zone"
    return ColumnType(sql, "timestamptz", mixed(["infinity", "-infinity", "2016-11-04 13:51:30.123456+02"], lambda r: _moment(r, _zone(r))),
                      ("'2020-01-01 10:00+02'", "'2020-01-01 10:00:00.5+02'"), key=True)


def time(rng):
    return ColumnType(precise("time")(rng), "time", mixed(["24:00:00", "00:00:00"], _clock), ("'01:02:03'", "'24:00'"), key=True)


def timetz(rng):
    sql = precise("time")(rng) + " with time zone"
    return ColumnType(sql, "timetz", mixed(["24:00:00+00", "24:00:00+02", "23:59:59.999999+00"], lambda r: _clock(r) + _zone(r)))


_INTERVALS = ["0", "1 year 2 mons 3 days 04:05:06.78", "-1 year -2 mons +3 days -04:05:06.78", "1 mon -1 day", "1 year", "-00:00:00.000001",
              "178000000 years", "-178000000 years", "14 months", "100:00:00", "1 day 24:00:00", "-1 day +00:00:01"]


def interval(rng):
    sql = rng.choice(("interval", "interval", "interval(3)", "interval(0)", "interval year to month", "interval day to second(2)"))
    some = lambda r: f"{r.randint(-50, 50)} years {r.randint(-20, 20)} mons {r.randint(-40, 40)} days {r.choice('+-')}{_clock(r)}"  # noqa: E731
    return ColumnType(sql, "interval", mixed(_INTERVALS, some), ("'1 day'",))


# --- the rest ---

def uuid(rng):
    return rng.choice(("00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", f"{rng.getrandbits(128):032x}"))


def json_value(rng, depth=2):
    kind = rng.randrange(7 if depth else 5)
    if kind < 5:
        return (None, True, rng.randint(-10**9, 10**9), rng.choice((1.5, -0.25, 1e300)), pieces(rng, 4))[kind]
    inner = [json_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    return inner if kind == 5 else {pieces(rng, 3): v for v in inner}


def json_text(rng):
    return json.dumps(json_value(rng), ensure_ascii=rng.random() < 0.3, indent=rng.choice((None, 1)))


_JSON = ['{"b": 1,  "a": [1,2,{"c":null}], "a": 2}', "null", '""', "[]", "{}", "[1.0, 1e400, -0]", ' {"x" : "\\u00e9\\n"} ']


def big_json(rng):
    return Sql(f"(select jsonb_agg(md5(g || '{rng.randrange(10**6)}')) from generate_series(1, 200) g)")


def hstore(rng):
    quote = lambda s: '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'  # noqa: E731
    return ", ".join(f"{quote(pieces(rng, 3))}=>{'NULL' if rng.random() < 0.2 else quote(pieces(rng, 3))}" for _ in range(rng.choice((0, 1, 2, 5, 13, 30))))


def address(rng):
    return rng.choice(("192.168.0.1/24", "1.1.1.1", "::1", "2001:db8::1/64", "0.0.0.0/0", f"{rng.randrange(256)}.{rng.randrange(256)}.0.{rng.randrange(256)}"))


def network(rng):
    return rng.choice(("10.0.0.0/8", "::/0", "2001:db8::/32", f"10.{rng.randrange(256)}.0.0/16"))


def number_range(rng):
    low, high = sorted(rng.randint(-100, 100) for _ in range(2))
    return rng.choice(("empty", "(,)", f"[{low},{high}]", f"({low},{high + 3})", f"[{low},)", f"(,{high})"))


def time_range(inner):
    def value(rng):
        if rng.random() < 0.3:
            return rng.choice(("empty", "(,)", '[-infinity,infinity]'))
        return '["2001-01-01 00:00:00","%s")' % inner(rng) if rng.random() < 0.5 else '("%s",)' % inner(rng)
    return value


def _late(rng):
    return f"{rng.randint(2002, 2500)}-03-04 {_clock(rng)}"


def point(rng):
    number = lambda: rng.choice(("0", "1.5", "-2", "1e10", "0.001", _near(rng)))  # noqa: E731
    return f"({number()},{number()})"


def several_points(rng, count):
    return ",".join(point(rng) for _ in range(count))


def plain(sql, value, family=None, **more):
    """A type without modifiers."""
    made = ColumnType(sql, family or sql, value, **more)
    return lambda rng: made


def _bigger(sql, low, high):
    return lambda rng: ColumnType(sql, "integer", integers(low, high), ("5", "-5", "nextval('numbers')"), key=True)


BIGINT = _bigger("bigint", -2**63, 2**63 - 1)
INTEGER = plain("integer", integers(-2**31, 2**31 - 1), defaults=("5", "-5", "'7'", "1+1", "nextval('numbers')", "nullif(3, 3)"), key=True, alters=(BIGINT, free_numeric, plain_text))
REAL = plain("real", floats, defaults=("1.5",))
DOUBLE = plain("double precision", doubles, family="double", defaults=("1.25", "-1e10", "'NaN'"))

SCALARS = [
    plain("boolean", choice_of("true", "false"), defaults=("true", "false", "(1 = 1)"), key=True),
    plain("smallint", integers(-2**15, 2**15 - 1), defaults=("7",), key=True, alters=(INTEGER, BIGINT)),
    INTEGER, BIGINT,
    plain("oid", choice_of("0", "1", "4294967295", "4000000000")),
    REAL, DOUBLE, fixed_numeric, fixed_numeric, free_numeric, special_numeric, negative_scale,
    plain("money", money),
    char, varchar, plain_text, plain_text,
    plain("bpchar", text, family="text"),
    plain('"char"', choice_of("a", "", "'", '"'), family="char"),
    plain("name", cut(20), key=True),
    plain("citext", text, key=True, big=big_text),
    plain("bytea", bytea, key=True, big=big_bytes),
    bit, varbit,
    plain("date", date, defaults=("'2020-02-02'", "'1970-01-01'"), key=True, alters=(timestamp,)),
    time, timetz, timestamp, timestamp, timestamptz, interval,
    plain("uuid", uuid, defaults=("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",), key=True),
    plain("json", mixed(_JSON, json_text), defaults=("'{\"k\": 1}'",), big=big_json),
    plain("jsonb", mixed([j for j in _JSON if "e400" not in j], json_text), defaults=("'{\"k\": 1}'", "'[]'"), big=big_json),
    plain("xml", choice_of('<a href="x">y</a>', "", '<?xml version="1.0"?><r/>', "text é", "<b>\n</b>"), big=lambda r: Sql(f"('<a>' || {big_text(r)} || '</a>')::xml")),
    plain("inet", address, key=True), plain("cidr", network),
    plain("macaddr", choice_of("08:00:2b:01:02:03", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff")),
    plain("macaddr8", choice_of("08:00:2b:01:02:03:04:05", "ff:ff:ff:ff:ff:ff:ff:ff")),
    plain("ltree", choice_of("Top.Science", "a", "", "a.b.c.d")),
    plain("hstore", mixed(["", 'a=>1, b=>NULL, "c d"=>"q\\"x"'], hstore), big=big_hstore),
    plain("tsvector", choice_of("", "'a' 'cat' 'fat'", "'x':1A 'y':2", "'it''s':3"), big=lambda r: Sql(f"to_tsvector('simple', {big_text(r)})")),
    plain("isbn", choice_of("0-393-04002-X", "978-0-11-000222-4")),
    plain("int4range", number_range, family="range"), plain("int8range", number_range, family="range"), plain("numrange", number_range, family="range"),
    plain("daterange", time_range(_day), family="range"), plain("tsrange", time_range(_late), family="range"),
    plain("tstzrange", time_range(_late), family="range"),
    plain("point", point),
]

# Left out of the records unless include.unknown.datatypes is set.
UNKNOWN = [
    plain("line", choice_of("{1,2,3}", "{1,-1,0}"), family="unknown"), plain("lseg", lambda r: f"[{several_points(r, 2)}]", family="unknown"),
    plain("box", lambda r: several_points(r, 2), family="unknown"), plain("path", lambda r: f"[{several_points(r, 3)}]", family="unknown", big=big_path),
    plain("polygon", lambda r: f"({several_points(r, 3)})", family="unknown"), plain("circle", lambda r: f"<{point(r)},2.5>", family="unknown"),
    plain("tsquery", choice_of("'fat' & 'rat'", ""), family="unknown"), plain("pg_lsn", choice_of("0/0", "16/B374D848"), family="unknown"),
    plain("int4multirange", choice_of("{}", "{[1,3),[5,7)}"), family="unknown", big=big_multirange),
    plain("jsonpath", choice_of("$.a[*]", "$"), family="unknown", big=big_jsonpath),
    plain("regclass", choice_of("pg_class", "-"), family="unknown"), plain("xid", choice_of("0", "4294967295"), family="unknown"),
    plain("pair", choice_of("(1,x)", '(,"a b")', "(,)"), family="unknown", big=big_pair), plain("ean13", choice_of("978-0-393-04002-9"), family="unknown"),
    plain("txid_snapshot", choice_of("10:20:10,14,15"), family="unknown"), plain("nested", choice_of('("(1,x)",sad)', "(,)"), family="unknown"),
    plain("cube", choice_of("(0)", "(0.1, 0.3),(3, 4)"), family="unknown"), plain("seg", choice_of("0.1", "1.5 .. 2"), family="unknown"),
    plain("datemultirange", choice_of("{}", "{[2020-01-01,2020-02-01)}"), family="unknown"),
    plain("pg_snapshot", choice_of("10:20:10,14,15"), family="unknown"), plain("aclitem[]", choice_of("{}", "{postgres=r/postgres}"), family="unknown"),
]

# Types that every round creates; the labels come in the order that the records show.
ENUMS = {"mood": ["sad", "ok", "ha,ppy", "it's"], "Odd Enum": ["ä", "B b", "c\"d"]}
TYPE_SETUP = [
    "create sequence numbers",
    *(f"create extension {name}" for name in ("hstore", "citext", "ltree", "isn", "cube", "seg")),
    *('create type "{}" as enum ({})'.format(name, ", ".join("'" + label.replace("'", "''") + "'" for label in labels)) for name, labels in ENUMS.items()),
    "create domain whole as integer check (value > -1000000)", "create domain short_text as varchar(50)", "create domain shorter as short_text",
    "create domain sum as numeric(6,3)", "create domain always as integer not null", "create domain list as integer[]", "create domain day as date",
    "create type pair as (a int, b text)", "create domain moment as timestamp(3)", "create domain words as text[]", "create domain free as numeric",
    "create domain flags as bit(4)", "create domain code as char(4) default 'abc'", 'create domain "Odd Domain" as "Odd Enum"[]', "create type nested as (p pair, q mood)",
]

_small = lambda rng: str(rng.randint(-999999, 999999))  # noqa: E731
OWN = [
    plain("mood", choice_of(*ENUMS["mood"]), family="enum", defaults=("'ok'",), key=True),
    plain('"Odd Enum"', choice_of(*ENUMS["Odd Enum"]), family="enum"),
    plain("whole", _small, family="domain", key=True), plain("short_text", cut(50), family="domain"), plain("shorter", cut(50), family="domain", key=True),
    plain("sum", choice_of("0", "1.5", "-999.999", "1.000"), family="domain"), plain("always", _small, family="domain_not_null"),
    plain("list", choice_of("{}", "{1,2}", "{NULL,3}"), family="array"), plain("day", date, family="date", domain=True),
    plain("moment", choice_of("2018-06-20 15:13:16.945", "1960-01-01 00:00:00"), family="domain"),
    plain("words", choice_of("{}", '{a,NULL,"NULL",""}'), family="array", big=big_texts), plain("free", choice_of("1.50", "-3", "0"), family="domain"),
    plain("flags", bits(4), family="domain"), plain("code", cut(4), family="domain"),
]

# Domains over everything but enums, which keep Debezium from starting: the name, what it is over, the family of that, its values.
# There are no arrays of the one over interval: their bytes are the text, which Debezium has in the database's intervalstyle.
_DOMAINS = [
    ("d_bool", "boolean", "boolean", choice_of("true", "false")), ("d_real", "real", "real", floats), ("d_oid", "oid", "oid", choice_of("0", "4294967295")),
    ("d_money", "money", "money", money), ("d_name", "name", "name", cut(20)), ("d_char", '"char"', "char", choice_of("a", "", "'")),
    ("d_fixed", "char(3)", "text", cut(3)), ("d_text", "text", "text", text), ("d_citext", "citext", "citext", text), ("d_bytea", "bytea", "bytea", bytea),
    ("d_json", "json", "json", mixed(_JSON, json_text)), ("d_jsonb", "jsonb", "jsonb", json_text), ("d_xml", "xml", "xml", choice_of("<a/>", "text é")),
    ("d_hstore", "hstore", "hstore_domain", hstore), ("d_ltree", "ltree", "ltree", choice_of("a", "", "a.b")), ("d_tsvector", "tsvector", "tsvector", choice_of("", "'a' 'b'")),
    ("d_uuid", "uuid", "uuid", uuid), ("d_inet", "inet", "inet", address), ("d_range", "int4range", "range", number_range), ("d_point", "point", "point", point),
    ("d_bit", "bit(1)", "bit", bits(1)), ("d_varbit", "varbit(5)", "bit", choice_of("1", "10101")), ("d_time", "time(0)", "time", _clock),
    ("d_timetz", "timetz(3)", "timetz", lambda r: _clock(r) + _zone(r)), ("d_moment", "timestamp(2)", "timestamp", _moment),
    ("d_zoned", "timestamptz(4)", "timestamptz", lambda r: _moment(r, _zone(r))), ("d_interval", "interval(0)", "interval_domain", choice_of("1 day", "-00:00:01")),
    ("d_pair", "pair", "unknown", choice_of("(1,x)", "(,)")), ("d_multirange", "int4multirange", "unknown", choice_of("{}", "{[1,3)}")),
    ("d_path", "path", "unknown", lambda r: f"[{several_points(r, 2)}]"), ("d_isbn", "isbn", "isbn", choice_of("0-393-04002-X")),
    ("d_sums", "numeric(6,2)[]", "array_numeric", choice_of("{}", "{1.5,NULL,-2}")), ("d_codes", "varchar(5)[]", "array", choice_of("{}", "{abc,NULL}")),
    ("d_citexts", "citext[]", "array", choice_of("{}", "{A,NULL}")), ("d_hstores", "hstore[]", "array", choice_of("{}", '{"a=>1",NULL}')),
    ("d_pairs", "pair[]", "array_unknown", choice_of("{}", '{"(1,x)"}')), ("d_spans", "timestamp(3)[]", "array_timestamp", choice_of("{}", '{"2020-01-01 01:02:03.456"}')),
]
_BIG_DOMAINS = {"d_text": big_text, "d_bytea": big_bytes, "d_jsonb": big_json, "d_hstore": big_hstore, "d_pair": big_pair, "d_path": big_path}
# Every second one is over another domain.
for _number, (_name, _over, _family, _value) in enumerate(_DOMAINS):
    TYPE_SETUP += [f"create domain {_name}_in as {_over}", f"create domain {_name} as {_name}_in"] if _number % 2 else [f"create domain {_name} as {_over}"]
    OWN.append(plain(_name, _value, family=_family, big=_BIG_DOMAINS.get(_name), domain=True))
# NOT NULL and defaults of the domain under it count in the server only.
TYPE_SETUP += ["create domain d_never as always", "create domain d_coded as code"]
OWN += [plain("d_never", _small, family="domain_not_null"), plain("d_coded", cut(4), family="domain")]

# Of extensions that Debian has for its own PostgreSQL: scripts/deps extensions.
EXTENSIONS = {
    "ip4r": [("ip4", ("1.2.3.4",)), ("ip4r", ("1.2.3.0/24", "1.2.3.4-1.2.3.9")), ("iprange", ("::/0", "1.2.3.4")), ("ip6", ("::1",))],
    "semver": [("semver", ("1.2.3", "0.0.1-beta+x"))], "prefix": [("prefix_range", ("123", "12[3-5]"))], "unit": [("unit", ("1 m", "299792458 m/s", "0.1 kg"))],
    "postgis": [("geometry", ("POINT(1 2)", "SRID=4326;LINESTRING(0 0,1 1)", "POINT EMPTY")), ("geography", ("POINT(1 2)",)), ("box2d", ("BOX(1 2,3.5 4)",)),
                ("geometry(Point,4326)", ("SRID=4326;POINT(0.1 2)",))],
}


# --- arrays ---

def array_literal(elements, delimiter=","):
    quote = lambda s: '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'  # noqa: E731
    return "{" + delimiter.join("NULL" if e is None else quote(e) for e in elements) + "}"


ARRAY_ELEMENTS = ("boolean", "smallint", "integer", "oid", "real", "double", "numeric", "text", "bytea", "date", "time", "timetz", "timestamp",
                  "timestamptz", "uuid", "json", "jsonb", "ltree", "hstore", "inet", "cidr", "macaddr", "macaddr8", "range", "enum", "tsvector", "citext",
                  "money", "name", "interval", "xml", "bit", "point", "char", "domain", "unknown")


DELIMITERS = {"box": ";", "geometry": ":", "geography": ":"}


def array_of(element):
    def value(rng):
        count = rng.choice((0, 1, 2, 3, 7))
        literal = array_literal([None if rng.random() < 0.2 else element.value(rng) for _ in range(count)], DELIMITERS.get(element.sql, ","))
        return f"[{5 - count}:4]={literal}" if count and rng.random() < 0.1 else literal
    big = None
    if element.family == "text" and element.sql == "text":
        big = big_texts
    return ColumnType(element.sql + "[]", "array_domain" if element.domain else f"array_{element.family}", value, big=big)


def random_array(rng):
    while True:
        element = rng.choice(SCALARS + SCALARS + OWN + UNKNOWN)(rng)
        if element.family in ARRAY_ELEMENTS and not element.sql.endswith("[]"):
            return array_of(element)


def extension_types(extensions):
    """Makers of the types of these."""
    return [plain(sql, choice_of(*values), family=sql if sql in ("geometry", "geography") else "geometry" if "(" in sql else "unknown")
            for name in extensions for sql, values in EXTENSIONS[name]]


def random_type(rng, more=()):
    if more and rng.random() < 0.2:
        made = rng.choice(more)(rng)
        return array_of(made) if rng.random() < 0.3 and "(" not in made.sql else made
    kind = rng.random()
    if kind < 0.68:
        return rng.choice(SCALARS)(rng)
    if kind < 0.80:
        return rng.choice(OWN)(rng)
    return random_array(rng) if kind < 0.95 else rng.choice(UNKNOWN)(rng)


def every_type(rng, more=()):
    """One of each, arrays too; for tables that together hold all of them."""
    made = [maker(rng) for maker in [*SCALARS, *OWN, *UNKNOWN, *more]]
    return made + [array_of(t) for t in made if t.family in ARRAY_ELEMENTS and not t.sql.endswith("[]")]


def without_defaults(made):
    return replace(made, defaults=())
