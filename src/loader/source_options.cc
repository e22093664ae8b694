// Options of where changes come from: the database, its slot and publication, the captured tables,
// the snapshot.
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "java/text/text_lists.h"
#include "loader/options_builder.h"

namespace walduct::loader {
namespace {

// Statements end at ';'; ";;" is a literal one.
std::vector<std::string> SplitStatements(absl::string_view text) {
  std::vector<std::string> statements;
  std::string statement;
  const auto finish = [&] {
    const absl::string_view trimmed = absl::StripAsciiWhitespace(statement);
    if (!trimmed.empty()) statements.emplace_back(trimmed);
    statement.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ';') {
      statement += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == ';') {
      statement += ';';
      ++i;
    } else {
      finish();
    }
  }
  finish();
  return statements;
}

replication::PublicationAutocreate ParseAutocreate(absl::string_view mode) {
  if (mode == "disabled") return replication::PublicationAutocreate::kDisabled;
  if (mode == "filtered") return replication::PublicationAutocreate::kFiltered;
  if (mode == "no_tables") return replication::PublicationAutocreate::kNoTables;
  CHECK(mode == "all_tables");
  return replication::PublicationAutocreate::kAllTables;
}

replication::OffsetMismatch ParseMismatch(absl::string_view strategy) {
  if (strategy == "trust_offset") return replication::OffsetMismatch::kTrustOffset;
  if (strategy == "trust_slot") return replication::OffsetMismatch::kTrustSlot;
  if (strategy == "trust_greater_lsn") return replication::OffsetMismatch::kTrustGreaterLsn;
  CHECK(strategy == "no_validation");
  return replication::OffsetMismatch::kNoValidation;
}

// The server's `publish` list, only when skipped.operations was given: its default does not reach
// the publication.
std::optional<std::string> BuildPublish(const config::PropertySet& properties) {
  if (!properties.IsSet("skipped.operations")) return std::nullopt;
  const std::string skipped = properties.Text("skipped.operations");
  std::vector<absl::string_view> published;
  constexpr std::pair<absl::string_view, absl::string_view> kOperations[] = {
      {"c", "insert"}, {"u", "update"}, {"d", "delete"}, {"t", "truncate"}};
  for (const auto& [letter, word] : kOperations) {
    if (!java::ListContains(skipped, letter)) published.push_back(word);
  }
  return absl::StrJoin(published, ",");
}

// "table-regex:FULL, table-regex:INDEX name"; the format was checked before.
std::vector<replication::ReplicaIdentityRule> BuildReplicaIdentities(
    const config::PropertySet& properties) {
  std::vector<replication::ReplicaIdentityRule> rules;
  for (const std::string& part :
       java::SplitCommaList(properties.Text("replica.identity.autoset.values"))) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, absl::MaxSplits(':', 1));
    absl::StatusOr<java::RegexList> tables = java::RegexList::Parse(sides[0]);
    CHECK(tables.ok());
    const std::vector<std::string> words = absl::StrSplit(sides[1], ' ', absl::SkipWhitespace());
    rules.push_back({.tables = *std::move(tables),
                     .identity = absl::AsciiStrToUpper(words[0]),
                     .index = words.size() > 1 ? words[1] : ""});
  }
  return rules;
}

snapshot::SnapshotMode ParseSnapshotMode(absl::string_view mode) {
  if (mode == "never") return snapshot::SnapshotMode::kNever;
  if (mode == "no_data") return snapshot::SnapshotMode::kNoData;
  if (mode == "initial_only") return snapshot::SnapshotMode::kInitialOnly;
  if (mode == "always") return snapshot::SnapshotMode::kAlways;
  if (mode == "when_needed") return snapshot::SnapshotMode::kWhenNeeded;
  CHECK(mode == "initial");
  return snapshot::SnapshotMode::kInitial;
}

// As Debezium: a part without '=' is dropped with a warning.
std::vector<std::pair<std::string, std::string>> BuildStreamParams(absl::string_view text,
                                                                   config::Findings* findings) {
  std::vector<std::pair<std::string, std::string>> params;
  for (const absl::string_view part : absl::StrSplit(text, ';', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (sides.size() == 2 && !absl::StripAsciiWhitespace(sides[0]).empty()) {
      params.emplace_back(absl::StripAsciiWhitespace(sides[0]),
                          absl::StripAsciiWhitespace(sides[1]));
    } else {
      findings->Warn("slot.stream.params",
                     absl::StrCat("'", part, "' is not of the form k=v and is ignored"));
    }
  }
  return params;
}

}  // namespace

postgres::DatabaseOptions BuildDatabase(const config::PropertySet& properties) {
  postgres::DatabaseOptions database;
  database.hostname = properties.Text("database.hostname");
  database.port = static_cast<uint16_t>(properties.Integer("database.port"));
  database.user = properties.Text("database.user");
  database.password = properties.Text("database.password");
  database.dbname = properties.Text("database.dbname");
  database.sslmode = properties.Text("database.sslmode");
  database.sslcert = properties.Text("database.sslcert");
  database.sslkey = properties.Text("database.sslkey");
  database.sslpassword = properties.Text("database.sslpassword");
  database.sslrootcert = properties.Text("database.sslrootcert");
  database.tcp_keepalive = properties.Boolean("database.tcpKeepAlive");
  database.query_timeout = properties.Milliseconds("database.query.timeout.ms");
  database.connect_timeout = properties.Milliseconds("walduct.connect.timeout.ms");
  database.initial_statements = SplitStatements(properties.Text("database.initial.statements"));
  return database;
}

replication::ReplicationOptions BuildReplication(const config::PropertySet& properties,
                                                 config::Findings* findings) {
  replication::ReplicationOptions replication;
  replication.slot_name = properties.Text("slot.name");
  replication.drop_slot_on_stop = properties.Boolean("slot.drop.on.stop");
  replication.failover_slot = properties.Boolean("slot.failover");
  replication.stream_params = BuildStreamParams(properties.Text("slot.stream.params"), findings);
  replication.max_retries = static_cast<int>(properties.Integer("slot.max.retries"));
  replication.retry_delay = properties.Milliseconds("slot.retry.delay.ms");
  replication.publication_name = properties.Text("publication.name");
  replication.publication_autocreate =
      ParseAutocreate(properties.Text("publication.autocreate.mode"));
  replication.publish_via_partition_root = properties.Boolean("publish.via.partition.root");
  replication.status_interval = properties.Milliseconds("status.update.interval.ms");
  replication.create_slot_timeout =
      absl::Seconds(properties.Integer("internal.create.slot.command.timeout"));
  replication.replica_identities = BuildReplicaIdentities(properties);
  replication.offset_mismatch = ParseMismatch(properties.Text("offset.mismatch.strategy"));
  replication.publish_operations = BuildPublish(properties);
  return replication;
}

names::TableFilterOptions BuildTables(const config::PropertySet& properties) {
  names::TableFilterOptions tables;
  tables.schema_include = properties.Regexes("schema.include.list");
  tables.schema_exclude = properties.Regexes("schema.exclude.list");
  tables.table_include = properties.Regexes("table.include.list");
  tables.table_exclude = properties.Regexes("table.exclude.list");
  tables.ignore_builtin = properties.Boolean("table.ignore.builtin");
  return tables;
}

snapshot::SnapshotOptions BuildSnapshot(const config::PropertySet& properties) {
  snapshot::SnapshotOptions snapshot;
  snapshot.mode = ParseSnapshotMode(properties.Text("snapshot.mode"));
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
  return snapshot;
}

}  // namespace walduct::loader
