#include "snapshot/snapshot_properties.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "java/text/text_lists.h"
#include "postgres/host_checks.h"

namespace walduct::snapshot {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kNoJava = "Java classes cannot be loaded";

constexpr absl::string_view kThreads = "snapshot.max.threads";
constexpr absl::string_view kMultiplier = "snapshot.max.threads.multiplier";
constexpr absl::string_view kWholeTables = "legacy.snapshot.max.threads";
constexpr absl::string_view kStandby = "walduct.snapshot.standby.hostname";
constexpr absl::string_view kStandbyPort = "walduct.snapshot.standby.port";
// All are read by one thread of ours, which fewer keep busy.
constexpr int64_t kMostThreads = 64;

constexpr absl::string_view kReadsData = "snapshot.mode.configuration.based.snapshot.data";
constexpr absl::string_view kStreams = "snapshot.mode.configuration.based.start.stream";
constexpr absl::string_view kOnDataError =
    "snapshot.mode.configuration.based.snapshot.on.data.error";

std::string WithoutStandby(const config::PropertySet& properties, absl::string_view /*name*/) {
  return properties.IsSet(kStandby) ? "" : absl::StrCat("it needs ", kStandby);
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "snapshot.mode",
     .type = kEnum,
     .default_value = "initial",
     .doc = "When to take a snapshot of the tables before streaming.",
     .allowed =
         "always, initial, no_data, initial_only, when_needed, never, configuration_based, custom",
     .refused = "custom",
     .value_aliases = "schema_only=no_data, exported=initial"},
    {.name = "snapshot.mode.custom.name",
     .support = kNoEffect,
     .doc = "Name of the custom snapshot mode.",
     .note = kNoJava,
     .aliases = "snapshot.custom.class"},
    {.name = kReadsData,
     .type = kBoolean,
     .default_value = "false",
     .doc = "Read the tables at every start (snapshot.mode=configuration_based)."},
    {.name = kStreams,
     .type = kBoolean,
     .default_value = "false",
     .doc = "Stream (snapshot.mode=configuration_based)."},
    {.name = kOnDataError,
     .type = kBoolean,
     .default_value = "false",
     .doc = "Read the tables when the stored position is gone from the server "
            "(snapshot.mode=configuration_based)."},
    {.name = "snapshot.mode.configuration.based.snapshot.schema",
     .type = kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Read the schemas of the tables (snapshot.mode=configuration_based).",
     .note = "they are read with the tables, as in Debezium"},
    {.name = "snapshot.mode.configuration.based.snapshot.on.schema.error",
     .type = kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Read the schemas again when they are lost (snapshot.mode=configuration_based).",
     .note = "no schemas are stored"},
    {.name = "snapshot.isolation.mode",
     .type = kEnum,
     .default_value = "serializable",
     .support = kNoEffect,
     .doc = "Isolation level of the snapshot's transaction.",
     .note = "always one exported REPEATABLE READ snapshot; no other level is more consistent",
     .allowed = "serializable, repeatable_read, read_committed, read_uncommitted"},
    {.name = "snapshot.locking.mode",
     .type = kEnum,
     .default_value = "none",
     .doc = "Take an ACCESS SHARE lock on the captured tables while they are read. The values of "
            "other connectors count as none, with a warning: one exported snapshot is consistent "
            "without locks.",
     .allowed = "shared, none, custom",
     .refused = "custom",
     .value_aliases = "minimal=none, minimal_percona=none, minimal_at_least_once=none, "
                      "extended=none, exclusive=none"},
    {.name = "snapshot.locking.mode.custom.name",
     .support = kNoEffect,
     .doc = "Name of the custom locking mode.",
     .note = kNoJava},
    {.name = "snapshot.lock.timeout.ms",
     .type = kNonNegativeLong,
     .default_value = "10000",
     .doc = "Longest wait for those locks."},
    {.name = "snapshot.query.mode",
     .type = kEnum,
     .default_value = "select_all",
     .support = kNotYetRefused,
     .doc = "How the rows of a table are selected.",
     .note = kNoJava,
     .allowed = "select_all, custom"},
    {.name = "snapshot.query.mode.custom.name",
     .support = kNoEffect,
     .doc = "Name of the custom query mode.",
     .note = kNoJava},
    {.name = "snapshot.include.collection.list",
     .type = kRegexList,
     .doc = "Captured tables to include in the snapshot; default: all."},
    {.name = "snapshot.select.statement.overrides",
     .type = kList,
     .doc = "Tables (schema.table) with a custom SELECT, set by the next property."},
    {.name = "snapshot.select.statement.overrides.*",
     .doc = "SELECT that the snapshot runs for the table named in the property."},
    {.name = "snapshot.fetch.size",
     .type = kNonNegativeInt,
     .default_value = "10240",
     .support = kNoEffect,
     .doc = "Rows fetched at a time.",
     .note = "rows are streamed by COPY"},
    {.name = "snapshot.delay.ms",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "Wait before the snapshot starts."},
    {.name = "streaming.delay.ms",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "Wait between the snapshot and streaming."},
    {.name = kThreads,
     .type = kPositiveInt,
     .default_value = "1",
     .doc = "Number of sessions that read tables at the same time, on one view of the database. "
            "Large tables are split by ranges of blocks (PostgreSQL 14 and later), so that the "
            "order of their rows is free. More than 64 count as 64."},
    {.name = kMultiplier,
     .type = kPositiveInt,
     .default_value = "1",
     .doc = "Parts of a table for each of those sessions."},
    {.name = "snapshot.max.threads.multiplier.*",
     .type = kPositiveInt,
     .doc = "The same for the table (schema.table) named in the property."},
    {.name = kWholeTables,
     .type = kBoolean,
     .default_value = "false",
     .doc = "Each of those sessions reads whole tables.",
     .aliases = "internal.legacy.snapshot.max.threads"},
    {.name = "walduct.snapshot.resume",
     .type = kBoolean,
     .default_value = "false",
     .doc = "A snapshot that is cut short goes on with the tables, and parts of large ones "
            "(PostgreSQL 14 and later), that were not read yet. What is read stands in the stored "
            "offset; Debezium passes over it."},
    {.name = kStandby,
     .doc = "Host name or address of a hot standby of the server: rows of the initial snapshot are "
            "read there, with the user, password, database and TLS settings of database.*, while "
            "slot and stream stay where they are. Of several, separated by commas, the first that "
            "is a standby. See docs/snapshots.md.",
     .fix = "write the host name of a standby, without port or scheme",
     .validator = postgres::CheckHostname},
    {.name = kStandbyPort,
     .type = kInts,
     .doc = "Its port, or one for each host; if not set, that of the server.",
     .fix = "write a number from 1 to 65535",
     .validator = postgres::CheckPort,
     .idle = WithoutStandby},
    {.name = "snapshot.tables.order.by.row.count",
     .type = kEnum,
     .default_value = "disabled",
     .support = kNoEffect,
     .doc = "Order of the tables by their size.",
     .note = "Debezium has no row counts for PostgreSQL",
     .allowed = "ascending, descending, disabled"},
    {.name = "internal.snapshot.scan.all.columns.force",
     .type = kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Read the schema of every table, captured or not.",
     .note = "only the schemas of captured tables are read"},
};

// Of configuration_based.
SnapshotMode ModeOfFlags(const config::PropertySet& properties) {
  const auto flag = [&](absl::string_view name) { return properties.Text(name) == "true"; };
  if (flag(kReadsData)) return flag(kStreams) ? SnapshotMode::kAlways : SnapshotMode::kAlwaysOnly;
  if (!flag(kStreams)) return SnapshotMode::kNothing;
  return flag(kOnDataError) ? SnapshotMode::kGapsOnly : SnapshotMode::kNoData;
}

SnapshotMode ModeOf(const config::PropertySet& properties) {
  const std::string mode = properties.Text("snapshot.mode");
  if (mode == "configuration_based") return ModeOfFlags(properties);
  if (mode == "never") return SnapshotMode::kNever;
  if (mode == "no_data") return SnapshotMode::kNoData;
  if (mode == "initial_only") return SnapshotMode::kInitialOnly;
  if (mode == "always") return SnapshotMode::kAlways;
  if (mode == "when_needed") return SnapshotMode::kWhenNeeded;
  CHECK(mode == "initial");
  return SnapshotMode::kInitial;
}

void BuildThreads(const config::PropertySet& properties, SnapshotOptions* snapshot) {
  constexpr absl::string_view kOfTable = "snapshot.max.threads.multiplier.";
  snapshot->threads = static_cast<size_t>(std::min(properties.Integer(kThreads), kMostThreads));
  snapshot->multiplier = static_cast<size_t>(properties.Integer(kMultiplier));
  snapshot->resume = properties.Boolean("walduct.snapshot.resume");
  snapshot->whole_tables = properties.Boolean(kWholeTables);
  for (const config::Property& property : properties.all()) {
    size_t multiplier = 0;
    if (absl::StartsWith(property.name, kOfTable) && absl::SimpleAtoi(property.value, &multiplier))
      snapshot->multipliers[property.name.substr(kOfTable.size())] = multiplier;
  }
}

void WarnOfThreads(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Integer(kThreads) > kMostThreads)
    findings->Warn(kThreads, absl::StrCat("counts as ", kMostThreads));
}

// Of another connector, which needs locks for a consistent snapshot.
void WarnOfLocking(const config::PropertySet& properties, config::Findings* findings) {
  constexpr absl::string_view kName = "snapshot.locking.mode";
  if (!properties.IsSet(kName) || properties.Text(kName) != "none") return;
  const std::string written =
      absl::AsciiStrToLower(absl::StripAsciiWhitespace(properties.Find(kName)->value));
  if (written == "none") return;
  findings->Warn(kName, absl::StrCat("'", written,
                                     "' is a value of another connector, which Debezium refuses "
                                     "here; read as 'none': the snapshot needs no locks"));
}

}  // namespace

absl::Span<const config::PropertyDefinition> SnapshotProperties() { return kRows; }

void CheckSnapshot(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.IsSet(kStandbyPort))
    postgres::CheckPorts(properties, kStandby, kStandbyPort, findings);
  WarnOfLocking(properties, findings);
  WarnOfThreads(properties, findings);
  if (properties.Text("snapshot.mode") == "configuration_based" &&
      ModeOfFlags(properties) == SnapshotMode::kNothing) {
    findings->Warn("snapshot.mode",
                   absl::StrCat("is configuration_based, and neither ", kReadsData, " nor ",
                                kStreams, " is true: the connector does nothing, as Debezium's"));
  }
  if (properties.Text("snapshot.mode") != "custom" || properties.IsSet("snapshot.mode.custom.name"))
    return;
  findings->AddError(
      "property 'snapshot.mode.custom.name': snapshot.mode.custom.name cannot be empty when "
      "snapshot.mode 'custom' is defined; use another snapshot.mode");
}

void WarnOfOverrides(const config::PropertySet& properties, config::Findings* findings) {
  constexpr absl::string_view kPrefix = "snapshot.select.statement.overrides.";
  const std::vector<std::string> tables =
      java::SplitCommaList(properties.Text("snapshot.select.statement.overrides"));
  for (const std::string& table : tables) {
    if (properties.IsSet(absl::StrCat(kPrefix, table))) continue;
    findings->Warn("snapshot.select.statement.overrides",
                   absl::StrCat("'", table, "' has no statement, so the whole table is read; add '",
                                kPrefix, table, "'"));
  }
  for (const config::Property& property : properties.all()) {
    if (!absl::StartsWith(property.name, kPrefix)) continue;
    const std::string table = property.name.substr(kPrefix.size());
    if (std::find(tables.begin(), tables.end(), table) != tables.end()) continue;
    findings->Warn(property.name,
                   absl::StrCat("has no effect: '", table,
                                "' is not listed in snapshot.select.statement.overrides"));
  }
}

SnapshotOptions BuildSnapshot(const config::PropertySet& properties) {
  SnapshotOptions snapshot;
  snapshot.mode = ModeOf(properties);
  snapshot.include_collections = properties.Regexes("snapshot.include.collection.list");
  for (const std::string& table :
       java::SplitCommaList(properties.Text("snapshot.select.statement.overrides"))) {
    const std::string name = absl::StrCat("snapshot.select.statement.overrides.", table);
    if (properties.IsSet(name)) snapshot.select_overrides[table] = properties.Find(name)->value;
  }
  snapshot.lock_tables = properties.Text("snapshot.locking.mode") == "shared";
  snapshot.lock_timeout = properties.Milliseconds("snapshot.lock.timeout.ms");
  snapshot.delay = properties.Milliseconds("snapshot.delay.ms");
  snapshot.streaming_delay = properties.Milliseconds("streaming.delay.ms");
  snapshot.standby_hostname = postgres::HostsForLibpq(properties.Text(kStandby));
  snapshot.standby_port = properties.Text(kStandbyPort);
  BuildThreads(properties, &snapshot);
  return snapshot;
}

}  // namespace walduct::snapshot
