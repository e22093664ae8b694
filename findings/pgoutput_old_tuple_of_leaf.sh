#!/usr/bin/env bash
# pgoutput, publish_via_partition_root = true: the replica identity of a partitioned table and that of its partitions.
#
# The root is set to REPLICA IDENTITY FULL. One partition keeps its primary key as identity, one is FULL as well, and one
# has a unique index of its own as identity.
#
# Guess, written down before the run: changes come as the root's, so the root's identity counts. Either ALTER TABLE on the
# root reaches its partitions, or the message says of each old tuple what the partition logged: 'O', the whole old row,
# for the FULL one, and 'K', a key, for the others.
#
# Behaviour: ALTER TABLE … REPLICA IDENTITY leaves the partitions as they are. What an old tuple holds is the partition's
# matter, and what it is called is the root's. All three come as 'O', under a Relation message that marks every column as
# key, and what the partition did not log is null, as if it had been null in the row. When the root goes back to its
# primary key, they come as 'K', also the one that holds the whole old row; the Relation message that says so does not
# come, so that to this session every column of the root is still marked as key.
set -euo pipefail

. "$(dirname "$(realpath "$0")")/postgres.sh"
trap 'server pg_ctl -D "$work/data" -m immediate stop 2>/dev/null || true; rm -rf "$work"' EXIT
sql() { "$bin/psql" -h "$work" -U postgres -XAtq -v ON_ERROR_STOP=1 "$@"; }

server initdb -D "$work/data" -U postgres --auth trust --no-sync
server pg_ctl -D "$work/data" -w -o "-c listen_addresses= -k $work -c wal_level=logical -c fsync=off" start

sql >/dev/null <<'SQL'
create table root (id int primary key, code int not null, note text) partition by range (id);
create table leaf_default partition of root for values from (0) to (10);
create table leaf_full partition of root for values from (10) to (20);
create table leaf_index partition of root for values from (20) to (30);
create unique index leaf_code on leaf_index (code);
alter table leaf_full replica identity full;
alter table leaf_index replica identity using index leaf_code;
insert into root values (1, 101, 'one'), (2, 102, 'two'), (11, 111, 'eleven'), (12, 112, 'twelve'), (21, 121, 'twenty');
create publication everything for table root with (publish_via_partition_root = true);
select pg_create_logical_replication_slot('finding', 'pgoutput');
alter table root replica identity full;
delete from root where id in (1, 11, 21);
alter table root replica identity default;
delete from root where id in (2, 12);
SQL

cat >"$work/show.py" <<'PYTHON'
import struct, sys

def text(data, at):
    end = data.index(b"\0", at)
    return data[at:end].decode(), end + 1

def relation(data):
    """Of a Relation message: the table's name, its columns, and those that are marked as key."""
    _, at = text(data, 5)
    table, at = text(data, at)
    count, at = struct.unpack_from(">H", data, at + 1)[0], at + 3
    names, keys = [], []
    for _ in range(count):
        name, end = text(data, at + 1)
        names.append(name)
        keys += [name] if data[at] & 1 else []
        at = end + 8
    return table, names, keys

def values(data, at):
    count, at = struct.unpack_from(">H", data, at)[0], at + 2
    for _ in range(count):
        if data[at:at + 1] == b"n":
            yield "null"
            at += 1
        else:
            size = struct.unpack_from(">I", data, at + 1)[0]
            yield data[at + 5:at + 5 + size].decode()
            at += 5 + size

known = {}
for line in sys.stdin:
    data = bytes.fromhex(line)
    oid = data[1:5]
    if data[:1] == b"R":
        table, names, keys = relation(data)
        known[oid] = (table, names)
        print(f"Relation {table}, key: {' '.join(keys)}")
    elif data[:1] == b"D":
        table, names = known[oid]
        print(f"Delete {table},", data[5:6].decode(), *(f"{n}={v}" for n, v in zip(names, values(data, 6))))
PYTHON

cat >"$work/expected" <<'TEXT'
Relation root, key: id code note
Relation leaf_default, key: id
Delete root, O id=1 code=null note=null
Relation root, key: id code note
Relation leaf_full, key: id code note
Delete root, O id=11 code=111 note=eleven
Relation root, key: id code note
Relation leaf_index, key: code
Delete root, O id=null code=121 note=null
Delete root, K id=2 code=null note=null
Delete root, K id=12 code=112 note=twelve
TEXT

echo "software:  PostgreSQL $(sql -c 'show server_version') ($package), pgoutput"
echo "guess:     'O' brings the whole old row, 'K' the columns that are marked as key"
echo "behaviour: the root says 'O' or 'K' and marks the key, and the partition says which columns are filled"
sql -c "select encode(data, 'hex') from pg_logical_slot_get_binary_changes('finding', null, null,
  'proto_version', '1', 'publication_names', 'everything')" | python3 "$work/show.py" | tee "$work/output"
diff "$work/expected" "$work/output" || { echo 'the output has changed' >&2 && exit 1; }
