"""Where walduct is meant to differ from Debezium, and where Debezium cannot be compared with: each as narrow as it can be. What
is not here must be equal. docs/differences.md says why for the users."""
import re
from collections.abc import Callable
from dataclasses import dataclass

# --- what the generator does not make ---


@dataclass(frozen=True)
class NotMade:
    reason: str
    column: Callable[..., bool]  # of (column, key: as part of a key, big: stored out of line)


@dataclass(frozen=True)
class NoValue:
    reason: str
    value: Callable[..., bool]  # of (column, text)


NOT_MADE = [
    NotMade("Debezium's key of a name column is empty", lambda c, key, big: key and c.type.family == "name"),
    NotMade("NaN and infinities of numeric in a NOT NULL column stop both", lambda c, key, big: c.type.family == "special_numeric" and (c.not_null or key)),
    NotMade("a TOAST value not sent has no placeholder in the key", lambda c, key, big: big and key),
    NotMade("a required column without a value stops Debezium at a delete", lambda c, key, big: c.type.family == "domain_not_null" and key is None),
]

NO_VALUE = [
    NoValue("an empty varbit(1) is no boolean: Debezium stops where null is not allowed", lambda c, v: c.type.sql == "varbit(1)" and v == ""),
]


def fits(column, key=False, big=False):
    return not any(rule.column(column, key, big) for rule in NOT_MADE)


def has(column, value):
    """Whether the column may get that value."""
    return value is None or not any(rule.value(column, value) for rule in NO_VALUE)


# --- what may differ ---

@dataclass(frozen=True)
class Known:
    """A leaf of a record in which walduct may differ: `family` of the column's type, and what both wrote."""
    reason: str
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
    """Both numbers, the same date or time read by the Julian calendar or with its era lost."""
    if not all(isinstance(x, str) and re.fullmatch(r"-?\d+", x) for x in (theirs, ours)):
        return False
    theirs, ours = int(theirs), int(ours)
    for unit in (1, 86_400_000, 86_400_000_000, 86_400_000_000_000):
        days, rest = divmod(ours, unit)
        if -2_500_000 < days < _GREGORIAN and theirs % unit == rest:
            year, month, day = _date(days)
            lost = [abs(1 - year)] if year < 1 else []
            wanted = {_julian(year, month, day)} | {_julian(y, month, day) for y in lost} | {d for y in lost for d in _days(y, month, day)}
            if theirs // unit in wanted:
                return True
    return False


def _days(year, month, day):
    """Days since 1970 of a date of the Gregorian calendar."""
    guess = (year - 1970) * 365.2425
    return [d for d in range(int(guess) - 2, int(guess) + 370) if _date(d) == (year, month, day)]


def _era_lost(text):
    found = re.match(r"-(\d+)-", text) if isinstance(text, str) else None
    return f"{int(found.group(1)) + 1:04}-" + text[found.end():] if found else None


KNOWN = [
    Known("date infinity", "date|array_date", _is({"-2147472692", "-622191234"}, {"2147483647"})),
    Known("date -infinity", "date|array_date", _is({"-2147472691", "-625821272"}, {"-2147483648"})),
    Known("24:00 in an array of time", "array_time", _is({"0"}, {"86400000", "86400000000", "86400000000000"})),
    Known("fractions of seconds in an array of timetz", "array_timetz",
          lambda theirs, ours, where: isinstance(ours, str) and "." in ours and theirs == re.sub(r"\.\d+", "", ours)),
    Known("-infinity in an array of timestamptz", "array_timestamptz",
          lambda theirs, ours, where: ours == "-infinity" and isinstance(theirs, str) and theirs.startswith("+292269055-12-02T23:00:00")),
    Known("dates before 1582 in the snapshot: era lost, another calendar", "date", lambda x, y, where: not where.streamed and _other_calendar(x, y, where)),
    Known("dates before 1582 in arrays: era lost, another calendar", "array_date|array_timestamp", _other_calendar),
    Known("years before Christ in an array of timestamptz: era lost", "array_timestamptz",
          lambda theirs, ours, where: isinstance(theirs, str) and _era_lost(ours) == theirs),
    Known("microseconds in an array of time", "array_time",
          lambda theirs, ours, where: all(isinstance(x, str) for x in (theirs, ours)) and int(theirs) == int(ours) // 1000 * 1000),
    Known("timestamp beyond the year 294247", "timestamp|array_timestamp",
          lambda theirs, ours, where: ours == "9223372036854775807" and re.fullmatch(r"-92233\d{14}", theirs) is not None),
    Known("the ten days of 1582 in an array of timestamptz", "array_timestamptz",
          lambda theirs, ours, where: all(isinstance(x, str) and x.startswith("1582-10-") for x in (theirs, ours)) and ours[10:] == theirs[10:]
          and int(theirs[8:10]) == int(ours[8:10]) + 10),
]


def known(families, theirs, ours, where):
    """The reason why two leaves may differ; None when they may not."""
    return next((k.reason for k in KNOWN for f in families if re.fullmatch(k.family, f) and k.accepts(theirs, ours, where)), None)


def in_text(family):
    """Whether a column can be compared under StringConverter: what it writes cannot be read again, to look for what is known."""
    return not any(re.fullmatch(k.family, family) for k in KNOWN)


# Under StringConverter Debezium prints the identity or the state of a Java object where there are bytes.
_OBJECT = re.compile(r"java\\\.nio\\\.HeapByteBuffer\\\[[^\]]*\\\]|\\\[B@[0-9a-f]+")


def known_text(theirs, ours):
    """Whether two texts of StringConverter differ in bytes only, which walduct writes as base64."""
    pattern = _OBJECT.sub("[A-Za-z0-9+/=]*", re.escape(theirs))
    return pattern != re.escape(theirs) and re.fullmatch(pattern, ours, re.DOTALL) is not None
