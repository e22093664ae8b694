#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/recover/recover_command.h"
#include "engine/errors/error_policy.h"
#include "recover/archive_command.h"

namespace walduct::cli {
namespace {

// What somebody does who is woken at night, step by step, on servers that nobody else has.
// $1: walduct, $2: a folder of its own, $3: PostgreSQL's programs.
constexpr char kScript[] = R"sh(set -eu
walduct=$1 dir=$2 bin=$3
say() { echo "drill: $*"; }
fail() { echo "drill: FAILED: $*; what it did is in $dir" >&2; trap - EXIT; stop_all; exit 1; }
stop_all() {
  [ -z "${recovery:-}" ] || kill "$recovery" 2>/dev/null || :
  for one in restored primary; do
    [ ! -f "$dir/$one/postmaster.pid" ] ||
      "$bin/pg_ctl" stop -D "$dir/$one" -m immediate >/dev/null || :
  done
}
trap 'code=$?; stop_all; [ $code = 0 ] || echo "drill: FAILED; what it did is in $dir" >&2' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
major=$("$bin/postgres" -V | sed 's/[^0-9]*\([0-9]*\).*/\1/')
[ "$major" -ge 16 ] || fail "PostgreSQL $major: a gap is got back on 16 and later"
mkdir "$dir/archive" "$dir/state"
# listens FOLDER: its server has got so far, be it in recovery
listens() {
  tries=0
  while [ "$tries" -lt 100 ]; do
    if [ -n "$(sed -n 8p "$dir/$1/postmaster.pid" 2>/dev/null)" ]; then return 0; fi
    tries=$((tries + 1)); sleep 0.1
  done
  return 1
}
# start FOLDER WORD...: on the first free port from there on
start() {
  folder=$1; port=$2; last=$((port + 20)); shift 2
  while [ "$port" -lt "$last" ]; do
    echo "port = $port" >> "$dir/$folder/postgresql.auto.conf"
    if "$bin/pg_ctl" start -D "$dir/$folder" -l "$dir/$folder.log" "$@" >/dev/null &&
      listens "$folder"; then return; fi
    port=$((port + 1))
  done
  tail -n 5 "$dir/$folder.log" >&2
  fail "PostgreSQL does not start"
}
# What else the environment says of a server is of another one, and a service goes before the rest.
unset PGSERVICE PGSERVICEFILE PGSYSCONFDIR PGHOSTADDR PGPORT PGOPTIONS PGSSLMODE PGREQUIRESSL \
  PGSSLNEGOTIATION PGGSSENCMODE PGCHANNELBINDING PGREQUIREAUTH PGTARGETSESSIONATTRS
export PGHOST=127.0.0.1 PGUSER=drill PGDATABASE=postgres
sql() { "$bin/psql" -X -q -t -A -p "$primary" -v ON_ERROR_STOP=1 -c "$1"; }
run() {
  "$walduct" "$@" -f "$dir/drill.json" -w "$dir/worker.properties" >>"$dir/walduct.log" 2>&1
}

say "a scratch PostgreSQL $major with a WAL archive, in $dir"
"$bin/initdb" -D "$dir/primary" -U drill -A trust -E UTF8 --no-sync >"$dir/initdb.log"
cat >> "$dir/primary/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
wal_level = logical
fsync = off
archive_mode = on
archive_command = 'cp "%p" "$dir/archive/%f.part" && mv "$dir/archive/%f.part" "$dir/archive/%f"'
END
start primary $((20000 + $$ % 20000)) -w
primary=$port
sql "CREATE TABLE items (id int PRIMARY KEY, v text)"
cat > "$dir/drill.json" <<END
{"name": "drill", "config": {
 "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
 "database.hostname": "127.0.0.1", "database.port": "$primary", "database.user": "drill",
 "database.password": "none", "database.dbname": "postgres", "topic.prefix": "drill",
 "slot.name": "drill", "publication.autocreate.mode": "filtered",
 "table.include.list": "public.items", "tombstones.on.delete": "false", "walduct.slot.lost": "hold",
 "sink": "file", "sink.file.path": "$dir/records.jsonl"}}
END
cat > "$dir/worker.properties" <<END
key.converter=org.apache.kafka.connect.json.JsonConverter
key.converter.schemas.enable=false
value.converter=org.apache.kafka.connect.json.JsonConverter
value.converter.schemas.enable=false
offset.storage.file.filename=$dir/offsets.dat
END
sql "INSERT INTO items VALUES (1, 'before the backup')"
run run --until-caught-up || fail "the connector does not run: see walduct.log"
say "a base backup"
"$bin/pg_basebackup" -p "$primary" -D "$dir/restored" -c fast -X none 2>"$dir/backup.log"
for i in 1 2 3; do sql "SELECT pg_log_standby_snapshot()" >/dev/null; done
sql "INSERT INTO items VALUES (2, 'behind the backup')"
run run --until-caught-up || fail "the connector does not run: see walduct.log"

say "the slot is lost, and changes are made that it has missed"
sql "SELECT pg_drop_replication_slot('drill')" >/dev/null
sql "INSERT INTO items VALUES (3, 'in the gap'), (4, 'in the gap')"
sql "UPDATE items SET v = 'changed' WHERE id = 3"
sql "DELETE FROM items WHERE id = 3"
sql "ALTER TABLE items ADD more int DEFAULT 7"
sql "INSERT INTO items VALUES (5, 'with a column', 8)"
code=0; run run || code=$?
[ "$code" = 4 ] || fail "walduct run ended with $code, not with 4: it should have held the slot"
grep -q lost_slot_held "$dir/walduct.log" || fail "the slot was not held: see walduct.log"
sql "INSERT INTO items VALUES (6, 'behind the new slot')"
run recover plan > "$dir/plan.log" 2>&1 || fail "walduct recover plan says no: see walduct.log"

say "the backup is restored, and the gap is streamed out of it"
rm -rf "$dir"/restored/pg_replslot/* "$dir"/restored/pg_wal/0*
touch "$dir/restored/standby.signal"
cat >> "$dir/restored/postgresql.auto.conf" <<END
restore_command = '"$walduct" recover gate --state "$dir/state" -- cp "$dir/archive/%f" "%p"'
hot_standby = on
archive_mode = off
wal_retrieve_retry_interval = 100ms
END
start restored $((primary + 30)) -W
"$walduct" recover run --from "127.0.0.1:$port" --state "$dir/state" -f "$dir/drill.json" \
  -w "$dir/worker.properties" >>"$dir/walduct.log" 2>&1 &
recovery=$!
waited=0
while kill -0 "$recovery" 2>/dev/null && [ "$waited" -lt 300 ]; do
  sleep 1; waited=$((waited + 1))
done
[ "$waited" -lt 300 ] || fail "walduct recover run takes more than 300 s: see walduct.log"
code=0; wait "$recovery" || code=$?; recovery=
[ "$code" = 0 ] || fail "walduct recover run ended with $code: see walduct.log"
run run --until-caught-up || fail "the connector does not go on: see walduct.log"

row='.*"key":"{\\"id\\":\([0-9]*\)}".*\\"op\\":\\"\([a-z]\)\\".*'
came=$(sed -n "s/$row/\2\1/p" "$dir/records.jsonl" | tr '\n' ' ')
wanted="r1 c2 c3 c4 u3 d3 c5 c6 "
[ "$came" = "$wanted" ] || fail "the records are $came and not $wanted"
say "the slot was lost, and nothing is: $came"
)sh";

}  // namespace

void AddDrill(CLI::App* recover, DrillRequest* asked, std::function<void()> typed) {
  auto* drill = recover->add_subcommand(
      "drill",
      "Lose a slot on purpose on scratch servers, and get its gap back\n"
      "Makes a PostgreSQL of its own, a base backup and an archive, and does what docs/recover.md "
      "says. Touches nothing else.");
  drill->add_option("--bin", asked->programs, "The folder of initdb, pg_ctl, pg_basebackup, psql")
      ->type_name("DIR")
      ->required();
  drill
      ->add_option("--directory", asked->folder,
                   "Where; a new folder, which stays. Without it one below /tmp, removed at the "
                   "end if all went well")
      ->type_name("DIR");
  drill->add_flag("--print", asked->print, "Only prints the commands, as a script for sh");
  drill->footer("Exit codes: 0 the gap was got back; 1 it was not.");
  drill->callback(std::move(typed));
}

int RecoverDrill(const DrillRequest& asked) {
  if (asked.print) {
    std::cout << kScript << std::flush;
    return engine::kExitClean;
  }
  const auto refuse = [](const std::string& what, const std::string& hint) {
    std::cerr << "error: " << what << "\nhint: " << hint << "\n";
    return static_cast<int>(engine::kExitConfiguration);
  };
  if (geteuid() == 0)
    return refuse("PostgreSQL does not run as root",
                  "runuser -u postgres -- walduct recover drill --bin DIR");
  for (const char* const program : {"initdb", "pg_ctl", "postgres", "pg_basebackup", "psql"}) {
    const std::string path = absl::StrCat(asked.programs, "/", program);
    if (::access(path.c_str(), X_OK) != 0)
      return refuse(absl::StrCat("--bin: there is no ", path),
                    "name the folder of the server's programs: /usr/lib/postgresql/17/bin");
  }
  std::error_code error;
  std::string folder = asked.folder;
  if (folder.empty()) {
    std::string made = "/tmp/walduct-drill-XXXXXX";
    if (mkdtemp(made.data()) == nullptr)
      return refuse("no folder can be made below /tmp", "name a new one with --directory");
    folder = made;
  } else if (!std::filesystem::create_directories(folder, error)) {
    return refuse(absl::StrCat("--directory: ", folder, " is there already, or cannot be made"),
                  "name a new folder");
  }
  const std::string own = std::filesystem::read_symlink("/proc/self/exe", error).string();
  const std::string absolute = std::filesystem::absolute(folder, error).string();
  const recover::CommandEnd end =
      recover::RunCommand({"/bin/sh", "-c", kScript, "drill", own, absolute, asked.programs});
  if (end.signal != 0 || end.exit_code != 0) return engine::kExitFailure;
  if (asked.folder.empty()) std::filesystem::remove_all(folder, error);
  return engine::kExitClean;
}

}  // namespace walduct::cli
