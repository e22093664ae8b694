#include "recover/read/view.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "encode/record_encoder.h"
#include "event/record.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "postgres/describe/catalog.h"
#include "replication/slot.h"
#include "slot/world/postgres_snapshot.h"
#include "slot/world/preview/row_preview.h"
#include "slot/world/reads/read_parts.h"
#include "slot/world/server_world.h"
#include "snapshot/transaction.h"

namespace walduct::recover {
namespace {

// Tables whose stream lacks rows or columns that a read would have.
constexpr absl::string_view kPartlyPublished = R"(
SELECT pr.prrelid FROM pg_catalog.pg_publication_rel pr
JOIN pg_catalog.pg_publication p ON p.oid = pr.prpubid
WHERE p.pubname = $1 AND (pr.prqual IS NOT NULL OR pr.prattrs IS NOT NULL))";

std::string FullName(const postgres::TableName& table) {
  return absl::StrCat(table.schema, ".", table.table);
}

absl::StatusOr<std::set<std::string>> PartlyPublished(postgres::Connection& sql,
                                                      const std::string& publication) {
  std::set<std::string> relations;
  if (sql.server_version() < 150000) return relations;
  ASSIGN_OR_RETURN(const postgres::Result result,
                   sql.Query(postgres::Rows(1), kPartlyPublished, {publication}));
  for (int row = 0; row < result.rows(); ++row) relations.emplace(result.Get(row, 0));
  return relations;
}

struct Preview {
  std::string topic;
  bool event = false;  // its rows become events of their own
};

// Of a row without values.
Preview PreviewOf(const event::TableSchema& schema, slot::RowPreview& rows) {
  Preview preview;
  if (!rows.Route(schema).ok() || rows.emissions().empty()) return preview;
  const event::Emission& emission = rows.emissions().front();
  if (!rows.has_chain()) {
    preview.topic = std::string(emission.topic);
    return preview;
  }
  const auto outcome = rows.encoder().Preview(emission);
  preview.event = outcome.ok() && outcome->event;
  event::Record record;
  if (rows.encoder().Encode(emission, &record).ok() && !record.dropped)
    preview.topic = std::string(record.topic);
  return preview;
}

class Opening {
 public:
  Opening(const ViewOptions& options, ReadReport* report)
      : options_(options), parts_(*options.parts), report_(*report) {}

  absl::StatusOr<ReadView> Open() {
    ASSIGN_OR_RETURN(sql_, Session(*parts_.config, postgres::SessionKind::kSql));
    std::string exported;
    if (options_.exact) {
      ASSIGN_OR_RETURN(exported, Export());
    }
    RETURN_IF_ERROR(Choose());
    if (view_.tables.empty()) return Nothing();
    ASSIGN_OR_RETURN(view_.rows, Read(exported));
    replication_.reset();
    view_.at = view_.rows->origin().consistent_point;
    report_.at = view_.at;
    return std::move(view_);
  }

 private:
  absl::StatusOr<std::unique_ptr<postgres::Connection>> Session(
      const engine::ConnectorOptions& config, postgres::SessionKind kind) {
    return options_.world->OpenSession(config, kind, " read", options_.stopping);
  }

  // The slot lives until the view has been taken up.
  absl::StatusOr<std::string> Export() {
    ASSIGN_OR_RETURN(replication_, Session(*parts_.view, postgres::SessionKind::kReplication));
    ASSIGN_OR_RETURN(
        const replication::CreatedSlot created,
        replication::CreateSlot(*replication_, *sql_, *parts_.view_slot, options_.stopping));
    at_ = created.consistent_point;
    return created.snapshot_name;
  }

  absl::Status Choose() {
    postgres::Catalog catalog(*sql_);
    ASSIGN_OR_RETURN(const std::vector<postgres::TableName> captured,
                     catalog.CapturedTables(names::TableFilter(*parts_.tables)));
    ASSIGN_OR_RETURN(const std::set<std::string> partly,
                     PartlyPublished(*sql_, parts_.publication));
    ASSIGN_OR_RETURN(const std::unique_ptr<slot::RowPreview> rows,
                     slot::RowPreview::Open({.tables = *parts_.tables,
                                             .route = *parts_.route,
                                             .chain = *parts_.chain,
                                             .encode = *parts_.encode,
                                             .clock = *options_.world->environment().clock}));
    ASSIGN_OR_RETURN(const java::RegexList wanted, java::RegexList::Parse(options_.tables));
    for (const postgres::TableName& table : captured) {
      const std::string name = FullName(table);
      ASSIGN_OR_RETURN(const event::TableSchemaPtr schema, catalog.Describe(table.relation));
      const Preview preview = PreviewOf(*schema, *rows);
      const bool asked = options_.tables.empty() || wanted.Matches(name);
      const std::string why =
          WhyNot(name, *schema, preview, partly.contains(absl::StrCat(ToInteger(table.relation))));
      if (asked && why.empty()) {
        view_.tables.push_back({schema, name, preview.topic});
        chosen_.push_back(table);
        continue;
      }
      if (!preview.topic.empty()) view_.others.push_back(preview.topic);
      if (name == parts_.tables->signal_table) continue;
      view_.unread.push_back(name);
      if (asked) report_.left_out.push_back({name, why});
    }
    return absl::OkStatus();
  }

  std::string WhyNot(const std::string& name, const event::TableSchema& schema,
                     const Preview& preview, bool partly) const {
    if (name == parts_.tables->signal_table) return "it holds the signals";
    if (preview.event) return "its rows are events, not states";
    if (partly) return "the publication has a row filter or a column list for it";
    const bool keyed = !schema.key_columns.empty() || parts_.message_keys;
    return keyed ? "" : "it has no key";
  }

  absl::Status Nothing() const {
    std::vector<std::string> why;
    for (const ReadReport::LeftOut& one : report_.left_out)
      why.push_back(absl::StrCat(one.table, ": ", one.why));
    return Error(absl::StatusCode::kFailedPrecondition, "recover_read_nothing",
                 absl::StrCat("no table can be compared with its topic",
                              why.empty() ? "" : ": " + absl::StrJoin(why, "; ")),
                 "see --tables, which are regular expressions of schema.table, and "
                 "table.include.list");
  }

  absl::StatusOr<std::unique_ptr<slot::TableSnapshot>> Read(const std::string& exported) {
    return slot::PostgresSnapshot::Open(
        {.connector = parts_.name,
         .reading = parts_.snapshot,
         .database = parts_.database,
         .tables = chosen_,
         .exported_snapshot = exported,
         .start = at_,
         .wanted = parts_.wanted,
         .check =
             [this](postgres::Connection& connection, const std::vector<snapshot::PlannedTable>&) {
               return LookAtView(connection);
             },
         .stopping = options_.stopping},
        options_.world->environment(), *options_.metrics);
  }

  absl::Status LookAtView(postgres::Connection& connection) {
    if (connection.server_version() < 130000) return absl::OkStatus();
    ASSIGN_OR_RETURN(const uint64_t oldest, snapshot::ReadOldestRunning(connection));
    view_.oldest = static_cast<uint32_t>(oldest);
    return absl::OkStatus();
  }

  const ViewOptions& options_;
  const slot::ReadParts& parts_;
  ReadReport& report_;
  std::unique_ptr<postgres::Connection> sql_, replication_;
  ReadView view_;
  std::vector<postgres::TableName> chosen_;
  Lsn at_;
};

}  // namespace

absl::StatusOr<ReadView> OpenView(const ViewOptions& options, ReadReport* report) {
  report->left_out.clear();
  return Opening(options, report).Open();
}

}  // namespace walduct::recover
