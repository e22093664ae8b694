"""Where walduct is meant to differ from Debezium, and where Debezium cannot be compared with: each as narrow as it can be. What
is not here must be equal. docs/differences.md tells the users: `told` is the first cell of the row there that says it."""
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass

# --- what the generator does not make ---


@dataclass(frozen=True)
class NotMade:
    told: str
    column: Callable[..., bool]  # of (column, key: as part of a key, big: stored out of line)


@dataclass(frozen=True)
class NoValue:
    told: str
    value: Callable[..., bool]  # of (column, text)


def _far(text):
    year = re.match(r"\d+", text)
    return year is not None and ("BC" in text or not 1700 < int(year.group()) < 2250)


_SPECIAL = "numeric `NaN`, `Infinity` in a NOT NULL column; a timestamp beyond 64 bits of nanoseconds there"
_DEFAULT = "`infinity`, `-infinity` as DEFAULT of a timestamp or a date"
DATE = "date `infinity`, `-infinity`"
_OLD = "dates before 1582 or before Christ in a snapshot or an array"
_TIME_ARRAY = "`24:00` in arrays of time, fractions of a second in arrays of time and timetz"

NOT_MADE = [
    NotMade("bit arrays that are NOT NULL", lambda c, key, big: c.type.family == "array_bit" and c.not_null),
    NotMade("`name` columns in keys", lambda c, key, big: key and c.type.family == "name"),
    NotMade(_SPECIAL, lambda c, key, big: c.type.family == "special_numeric" and (c.not_null or key)),
    NotMade("a unique index over a column with a quotation mark in its name, in place of a primary key", lambda c, key, big: key and '"' in c.name),
    NotMade("TOAST value not sent, part of the key", lambda c, key, big: big and key),
]

# Arrays that become null as a whole when one of the elements is.
_WHOLE = ("array_enum", "array_tsvector", "array_ltree", "array_unknown", "array_domain")

NO_VALUE = [
    NoValue(_SPECIAL, lambda c, v: c.type.family == "timestamp" and c.not_null and _far(v)),
    NoValue("NULL in an array of an enum, tsvector, ltree or, with `include.unknown.datatypes=true`, a type without a mapping", lambda c, v: c.not_null and c.type.family in _WHOLE and "NULL" in v),
    NoValue("an empty `varbit(1)` in a NOT NULL column", lambda c, v: c.type.sql == "varbit(1)" and v == ""),
]


def fits(column, key=False, big=False):
    return not any(rule.column(column, key, big) for rule in NOT_MADE)


# Types whose values are never stored out of line, and those for which Debezium writes the placeholder.
_INLINE = {"boolean", "smallint", "integer", "oid", "real", "double", "money", "char", "name", "date", "time", "timetz", "timestamp", "timestamptz",
           "interval", "interval_domain", "uuid", "macaddr", "macaddr8", "point", "enum", "domain", "domain_not_null"}
_PLACEHOLDER = {"text", "citext", "json", "jsonb", "xml", "hstore", "tsvector", "array_text"}


def inline(column):
    return column.type.family in _INLINE


def takes_big_rows(table):
    """Whether a row larger than a page can be updated: a value that is not sent needs a placeholder or must be nullable, and no key
    may be stored out of line. Otherwise both connectors stop."""
    def safe(column):
        family = column.type.family
        if family in _INLINE:
            return True
        return not table.bound(column) and (family in _PLACEHOLDER or not (column.not_null or column.default))
    return table.whole_rows or all(safe(c) for c in table.columns)


def has(column, value):
    """Whether the column may get that value."""
    return value is None or not any(rule.value(column, value) for rule in NO_VALUE)


# --- what may differ ---

@dataclass(frozen=True)
class Known:
    """A leaf of a record in which walduct may differ: `family` of the column's type, and what both wrote."""
    told: str
    family: str  # regular expression, full match
    accepts: Callable[..., bool]  # of (theirs, ours, where): numbers as text; where has streamed, options, java


def _is(theirs, ours):
    return lambda x, y, _: x in theirs and y in ours


_GREGORIAN = -141427  # 1582-10-15, in days since 1970


def _date(days):
    """(year, month, day) of the Gregorian calendar, also before it began."""
    days += 719468
    era, day = divmod(days, 146097)
    year_of_era = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day -= 365 * year_of_era + year_of_era // 4 - year_of_era // 100
    month = (5 * day + 2) // 153
    year = year_of_era + era * 400 + (month >= 10)
    return year, month + 3 if month < 10 else month - 9, day - (153 * month + 2) // 5 + 1


def _julian(year, month, day):
    """Days since 1970 of a date of the Julian calendar."""
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * year + year // 4 + (153 * month + 2) // 5 + day - 1 - 719470


def _other_calendar(theirs, ours, where):
    """Both the same date or time, theirs read by the Julian calendar or with its era lost: numbers of any unit, or texts."""
    if not re.fullmatch(r"-?\d+", ours):
        return theirs in _other_dates(ours)
    theirs, ours = int(theirs), int(ours)
    for unit in (1, 86_400_000, 86_400_000_000, 86_400_000_000_000):
        days, rest = divmod(ours, unit)
        if -2_500_000 < days < _GREGORIAN and theirs % unit == rest:
            year, month, day = _date(days)
            years = [year] + ([1 - year] if year < 1 else [])
            if theirs // unit in {f(y, month, day) for y in years for f in (_julian, _gregorian)} - {days}:
                return True
    return False


def _gregorian(year, month, day):
    """Days since 1970 of a date of the Gregorian calendar."""
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 1 - 719468


def _other_dates(text):
    """Where an ISO text of ours is before 1582: the same with its era lost, or read by the Julian calendar."""
    found = re.fullmatch(r"([+-]?\d{4,})-(\d\d)-(\d\d)(.*)", text) if isinstance(text, str) else None
    if found is None:
        return []
    year, month, day = map(int, found.groups()[:3])
    dates = [(year, month, day)] + ([(1 - year, month, day)] if year < 1 else [])
    dates += [_date(_julian(*d)) for d in dates]
    if (year, month, day) >= (1582, 10, 15):
        return []
    return [f"{'-' if y < 0 else ''}{abs(y):04}-{m:02}-{d:02}{found.group(4)}" for y, m, d in dates[1:]]


def _cut_to_milliseconds(theirs, ours, where):
    if "." in ours:
        seconds, fraction = ours.rstrip("Z").split(".")
        return theirs == (f"{seconds}.{fraction[:3]}".rstrip("0").rstrip(".") + "Z")
    unit = 10**6 if where.options.get("time.precision.mode") == "nanoseconds" else 1000
    return int(theirs) == int(ours) // unit * unit


_LIMIT = "-999999999-01-01T00:00:00Z"

KNOWN = [
    Known(DATE, "date|array_date", _is({"-2147472692", "-622191234"}, {"2147483647"})),
    Known(DATE, "date|array_date", _is({"-2147472691", "-625821272"}, {"-2147483648"})),
    Known(DATE, "date|array_date", _is({"-5877611-06-21Z", "+292278994-08-16Z"}, {"+5881580-07-11Z"})),
    Known(DATE, "date|array_date", _is({"-5877611-06-22Z", "-292275055-05-16Z", "+292269055-12-02Z"}, {"-5877641-06-23Z"})),
    Known(_DEFAULT, "timestamp", _is({_LIMIT}, {"-290308-12-21T19:59:27.6Z"})),
    Known(_TIME_ARRAY, "array_time", _is({"0", "00:00:00Z"}, {"86400000", "86400000000", "86400000000000", "24:00:00Z"})),
    Known(_TIME_ARRAY, "array_timetz",
          lambda theirs, ours, where: isinstance(ours, str) and "." in ours and theirs == re.sub(r"\.\d+", "", ours)),
    Known("infinite timestamps in an array", "array_timestamptz",
          lambda theirs, ours, where: ours == "-infinity" and isinstance(theirs, str) and theirs.startswith("+292269055-12-02T23:00:00")),
    Known(_OLD, "date", lambda x, y, where: not where.streamed and _other_calendar(x, y, where)),
    Known(_OLD, "array_date|array_timestamp|array_timestamptz", _other_calendar),
    Known(_TIME_ARRAY, "array_time", _cut_to_milliseconds),
    Known("timestamp beyond the year 294247", "timestamp|array_timestamp",
          lambda theirs, ours, where: ours == "9223372036854775807" and re.fullmatch(r"-92233\d{14}", theirs) is not None),
]


def _same_number(theirs, ours, where):
    """Before Java 19 the text of a floating point number is not always the shortest one."""
    numbers = [float(x) for x in (theirs, ours)]
    return where.java < 19 and (numbers[0] == numbers[1] or len({struct.pack("f", n) for n in numbers}) == 1)


KNOWN.append(Known("text of floating point numbers", "real|double|array_real|array_double|point|numeric|array_numeric|money", _same_number))


def known(families, theirs, ours, where):
    """What is told of two leaves that may differ; None when they may not."""
    def accepts(rule):
        try:
            return rule.accepts(theirs, ours, where)
        except (TypeError, ValueError, AttributeError):  # not the kind of value that the rule is about
            return False
    return next((k.told for k in KNOWN for f in families if re.fullmatch(k.family, f) and accepts(k)), None)


@dataclass(frozen=True)
class KnownElsewhere:
    """The same outside of columns: `path` is the end of the place's name."""
    told: str
    path: str
    accepts: Callable[..., bool]


KNOWN_ELSEWHERE = [
    KnownElsewhere(_DEFAULT, ".default", lambda theirs, ours: theirs == _LIMIT and ours == "-290308-12-21T19:59:27.6Z"),
    KnownElsewhere("label added to an enum while streaming, schemas on", "parameters.allowed", lambda theirs, ours: ours.startswith(theirs + ",")),
]


def known_elsewhere(path, theirs, ours):
    return next((k.told for k in KNOWN_ELSEWHERE if path.endswith(k.path) and k.accepts(theirs, ours)), None)


# What the comparison and the options do by themselves.
BYTES_IN_TEXT = "bytes inside a struct under StringConverter"
HALF_A_CHARACTER = "`column.truncate.to.N.chars` in the middle of a character beyond U+FFFF"
TOLD_ELSEWHERE = (
    BYTES_IN_TEXT, HALF_A_CHARACTER, "a table that is renamed, and no longer captured by its new name",
    "a partitioned table under its own name (`publish.via.partition.root`), or before PostgreSQL 16 a schema, is renamed, or takes the name of another one",
    "settings of the database or the role that change how values look", "`int2vector`, `oidvector`", "logical messages in `data_collections` of the transaction topic", "TOAST value not sent, type without placeholder, NOT NULL column",
    "TOAST value not sent, type without placeholder, nullable column with DEFAULT", "a mask and another rule name the same column",
    "`message.key.columns` with a column that is excluded, or before an excluded one",
    "dates and times under StringConverter with `time.precision.mode=connect`",
)


@dataclass(frozen=True)
class NotWith:
    """A column that is not made under some options."""
    told: str
    options: Callable[..., bool]
    column: Callable[..., bool]


NOT_WITH = [
    NotWith("a NOT NULL timestamp in a delete or an old key, `time.precision.mode=nanoseconds`", lambda o: o.get("time.precision.mode") == "nanoseconds",
            lambda c: c.not_null and (c.type.family in ("timestamp", "clean_timestamp") or c.type.sql == "moment")),
]
STRING = "org.apache.kafka.connect.storage.StringConverter"


def left_out(column, options):
    # What StringConverter writes cannot be read again, to look for what is known.
    if STRING in options.values() and any(re.fullmatch(k.family, column.type.family) for k in KNOWN):
        return True
    return any(rule.options(options) and rule.column(column) for rule in NOT_WITH)


# Under StringConverter Debezium prints the identity or the state of a Java object where there are bytes.
_OBJECT = re.compile(r"java\\\.nio\\\.HeapByteBuffer\\\[[^\]]*\\\]|\\\[B@[0-9a-f]+")


def known_header(ours):
    """What Debezium writes in a header for a key with an infinite date, under time.precision.mode=connect."""
    return ours and ours.replace(":5881580-07-11", ":00:00:00.000Z")


def known_text(theirs, ours):
    """Whether two texts of StringConverter differ in bytes only, which walduct writes as base64."""
    pattern = _OBJECT.sub("[A-Za-z0-9+/=]*", re.escape(theirs))
    return pattern != re.escape(theirs) and re.fullmatch(pattern, ours, re.DOTALL) is not None


# As JSON writes it, alone at the end of a text, which may be inside a text itself.
_HALF = re.compile(rb'\\ud[89ab][0-9a-f]{2}(?=\\*")', re.IGNORECASE)


def without_halves(text, options):
    """What Debezium wrote, without the halves of characters at which it cuts texts."""
    return _HALF.sub(b"", text) if text and any(name.startswith("column.truncate.to.") for name in options) else text
