#!/usr/bin/env bash
# PostgreSQL: format_type(type, NULL) and format_type(type, -1), put back into SQL.
#
# A program builds statements from the catalog: it names a column's type by format_type() to cast a parameter, as in
# where key = any($1::text[]::TYPE[]). It does not care for the length, so it passes NULL, or -1, which the catalog has for
# a column without one. format_type(oid, NULL) is also what casts to text and regtype print.
#
# Guess, written down before the run: both say that no modifier is known, so both give a name that takes a value of any
# length as it is; a key 'abc' of char(3) and a flag B'101' of bit(3) are found by either.
#
# Behaviour: NULL gives character and bit, which are the standard's words, and in SQL the length of those is 1: the cast cuts
# the value without an error, and nothing is found, by =, by IN or by ANY. -1 gives bpchar and "bit", which take any length.
# regtype prints character and bit. numeric, varchar, varbit, time and timestamp take any value under either name.
set -euo pipefail

. "$(dirname "$(realpath "$0")")/postgres.sh"
trap 'server pg_ctl -D "$work/data" -m immediate stop 2>/dev/null || true; rm -rf "$work"' EXIT
server initdb -D "$work/data" -U postgres --auth trust --no-sync
server pg_ctl -D "$work/data" -w -o "-c listen_addresses= -k $work -c fsync=off" start
sql() { "$bin/psql" -h "$work" -U postgres -XAtq -v ON_ERROR_STOP=1 "$@"; }

sql -c "create table thing (c char(3), b bit(3), n numeric(5,2), v varchar(3), f varbit(3), t time(3), s timestamp(3))
      ; insert into thing values ('abc', '101', 1.25, 'abc', '101', '10:00:00.123', '2026-01-01 10:00:00.123')"
(
  sql -F ' ' -c "select attname from pg_attribute where attrelid = 'thing'::regclass and attnum > 0 order by attnum" |
    while read -r column; do
      line=$column
      for modifier in NULL -1; do
        type=$(sql -c "select format_type(atttypid, $modifier) from pg_attribute
                       where attrelid = 'thing'::regclass and attname = '$column'")
        found=$(sql -c "select count(*) from thing where $column = any((select array[$column::text] from thing)::$type[])")
        line+=", $modifier: $type finds $found"
      done
      echo "$line"
    done
  sql -c "select 'regtype: ' || string_agg(atttypid::regtype::text, ', ' order by attnum)
          from pg_attribute where attrelid = 'thing'::regclass and attname in ('b', 'c')"
  sql -c "select 'casts: ' || 'abc'::character || ' ' || 'abc'::bpchar || ' ' || B'101'::bit || ' ' || B'101'::\"bit\""
) >"$work/output"

cat >"$work/expected" <<'TEXT'
c, NULL: character finds 0, -1: bpchar finds 1
b, NULL: bit finds 0, -1: "bit" finds 1
n, NULL: numeric finds 1, -1: numeric finds 1
v, NULL: character varying finds 1, -1: character varying finds 1
f, NULL: bit varying finds 1, -1: bit varying finds 1
t, NULL: time without time zone finds 1, -1: time without time zone finds 1
s, NULL: timestamp without time zone finds 1, -1: timestamp without time zone finds 1
regtype: character, bit
casts: a abc 1 101
TEXT

echo "software:  PostgreSQL $(sql -c 'show server_version') ($package)"
echo "guess:     format_type() with NULL and with -1 both name a type that takes a value of any length"
echo "behaviour: NULL names character and bit, which are of length 1 in SQL: a cast cuts the value, and nothing is found"
cat "$work/output"
diff "$work/expected" "$work/output" || { echo 'the output has changed' >&2 && exit 1; }
