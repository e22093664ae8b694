#!/usr/bin/env bash
# PostgreSQL: pg_current_snapshot() on a hot standby.
#
# A table is append-only, and each row has the number of its transaction: xact xid8 default pg_current_xact_id(). A reader
# remembers pg_current_snapshot() and asks later for the rows that became visible since:
# where not pg_visible_in_snapshot(xact, remembered). One transaction has inserted a row and is still open, a later one is
# committed. The reader is asked on the primary and on a hot standby that has replayed everything.
#
# Guess, written down before the run: the standby gets the running transactions from the WAL, else it could not show the
# right rows; so its snapshot lists the open transaction, as the primary's does, and the row is found by both readers once
# it is committed. At worst the standby's snapshot ends before the open transaction, and rows come twice.
#
# Behaviour: the standby shows the right rows, but its snapshot lists no transaction, and its xmax lies behind the open one.
# The open transaction counts as visible before its row is, and as visible ever after: the standby's reader never sees the
# row. xmin is right.
set -euo pipefail

. "$(dirname "$(realpath "$0")")/postgres.sh"
stop() { for one in standby primary; do server pg_ctl -D "$work/$one" -m immediate stop 2>/dev/null || true; done; }
trap 'stop; rm -rf "$work"' EXIT
on() { "$bin/psql" -h "$work" -p "$1" -U postgres -XAtq -v ON_ERROR_STOP=1 "${@:2}"; }
primary=5432 standby=5433

server initdb -D "$work/primary" -U postgres --auth trust --no-sync
server pg_ctl -D "$work/primary" -w -o "-c listen_addresses= -k $work -c fsync=off" start
server pg_basebackup -h "$work" -p $primary -U postgres -D "$work/standby" -X stream -R -c fast
server pg_ctl -D "$work/standby" -w -o "-c listen_addresses= -k $work -c fsync=off -p $standby" start

on $primary -c 'create table event (id int primary key, xact xid8 not null default pg_current_xact_id())'
coproc OPEN { on $primary; }
echo "begin; insert into event values (1); select 'open';" >&"${OPEN[1]}"
read -r _ <&"${OPEN[0]}"
on $primary -c 'insert into event values (2)'

replayed() {
  local end
  end=$(on $primary -c 'select pg_current_wal_insert_lsn()')
  until [ "$(on $standby -c "select pg_last_wal_replay_lsn() >= '$end'")" = t ]; do sleep 0.1; done
}
replayed

# Numbers differ from run to run: what is told is told of the open transaction.
open=$(on $primary -c "select pg_snapshot_xip(pg_current_snapshot())")
declare -A remembered
for where in primary standby; do
  remembered[$where]=$(on "${!where}" -c 'select pg_current_snapshot()')
  on "${!where}" -F ' ' -c "select '$where, open: rows', (select array_agg(id) from event),
    'listed', (select count(*) from pg_snapshot_xip(s)), 'xmin is the open one', pg_snapshot_xmin(s) = '$open',
    'open one visible', pg_visible_in_snapshot('$open', s) from (select '${remembered[$where]}'::pg_snapshot) r(s)"
done >"$work/output"

echo 'commit;' >&"${OPEN[1]}"
exec {OPEN[1]}>&-
wait "$OPEN_PID"
replayed
for where in primary standby; do
  on "${!where}" -c "select '$where, committed: rows', array_agg(id order by id), 'new since',
    array_agg(id) filter (where not pg_visible_in_snapshot(xact, '${remembered[$where]}')) from event" -F ' ' -P null=none
done >>"$work/output"

cat >"$work/expected" <<'TEXT'
primary, open: rows {2} listed 1 xmin is the open one t open one visible f
standby, open: rows {2} listed 0 xmin is the open one t open one visible t
primary, committed: rows {1,2} new since {1}
standby, committed: rows {1,2} new since none
TEXT

echo "software:  PostgreSQL $(on $primary -c 'show server_version') ($package)"
echo "guess:     a standby's snapshot lists the transactions that run on the primary, as the primary's does"
echo "behaviour: it lists none: one that runs counts as visible, though its rows are not, and is never new"
cat "$work/output"
diff "$work/expected" "$work/output" || { echo 'the output has changed' >&2 && exit 1; }
