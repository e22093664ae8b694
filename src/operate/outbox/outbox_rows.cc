#include "operate/outbox/outbox_rows.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/source_type.h"
#include "outbox/options.h"
#include "poll/rows/row_sql.h"
#include "poll/session/array_text.h"
#include "poll/session/open_tables.h"

namespace walduct::operate {
namespace {

using poll::OutboxTable;
using poll::RowColumn;
using enum OutboxRowsRequest::Act;

constexpr char kLookPatience[] = "10000", kStatementPatience[] = "90000";  // milliseconds
constexpr char kKeepsNone[] =
    "it has nowhere to count attempts: no row is parked or waits, and one that cannot be published "
    "stops the connector";

// Of the columns of the primary key.
using RowKey = std::vector<std::string>;

struct Row {
  RowKey key;
  std::optional<std::string> values[static_cast<int>(RowColumn::kCount)];

  const std::optional<std::string>& Get(RowColumn column) const {
    return values[static_cast<int>(column)];
  }
  std::string state() const { return Get(RowColumn::kState).value_or(""); }
};

struct Outcome {
  std::string word, message;
  bool done = false;
};

std::string CalledOf(const OutboxTable& table) {
  return absl::StrCat(table.schema->schema, ".", table.schema->table);
}

absl::Status WrongRow(const OutboxTable& table, absl::string_view typed) {
  const std::vector<std::string> names = poll::KeyColumns(table);
  std::vector<std::string> parts;
  for (size_t i = 0; i < names.size(); ++i)
    parts.push_back(absl::StrCat(names[i], " ", table.key_types[i]));
  return absl::InvalidArgumentError(
      absl::StrCat("row '", typed, "' is none that ", CalledOf(table),
                   " could have: its primary key is (", absl::StrJoin(parts, ", "), ")",
                   parts.size() == 1 ? "" : "; write a row as walduct outbox list has it: {\"",
                   parts.size() == 1 ? "" : absl::StrJoin(names, "\":\"…\",\""),
                   parts.size() == 1 ? "" : "\":\"…\"}"));
}

absl::Status CannotPark(const OutboxTable& table) {
  const std::string& parking = table.layout.parking;
  return Error(absl::StatusCode::kInvalidArgument, "outbox_cannot_park",
               absl::StrCat("outbox table ", CalledOf(table), ": ", kKeepsNone),
               absl::StrCat(parking, parking.empty() ? "" : "; or ",
                            "correct the row, or walduct outbox skip leaves it out"));
}

absl::StatusOr<RowKey> ParseKey(const OutboxTable& table, const std::string& typed) {
  if (table.key_names.size() == 1) return RowKey{typed};
  const rapidjson::Document document = json::Parse(typed);
  if (document.HasParseError() || !document.IsObject() ||
      document.MemberCount() != table.key_names.size())
    return WrongRow(table, typed);
  RowKey key;
  for (const std::string& name : poll::KeyColumns(table)) {
    const rapidjson::Value* const part = json::FindSet(document, name.c_str());
    if (part == nullptr) return WrongRow(table, typed);
    key.push_back(part->IsString() ? std::string(json::TextOf(*part)) : json::Print(*part));
  }
  return key;
}

// The arrays that the statements take.
std::vector<std::optional<std::string>> ArraysOf(const OutboxTable& table,
                                                 const std::vector<RowKey>& keys) {
  std::vector<std::optional<std::string>> arrays;
  for (size_t i = 0; i < table.key_names.size(); ++i) {
    std::vector<std::string> column;
    for (const RowKey& key : keys) column.push_back(key[i]);
    arrays.emplace_back(poll::ArrayText(column));
  }
  return arrays;
}

// One of the connector's tables, and a session.
class Desk {
 public:
  Desk(const engine::ConnectorOptions& config, postgres::Connection& connection,
       const OutboxTable& table)
      : options_(engine::OutboxOf(config)), connection_(connection), table_(table) {}

  absl::StatusOr<std::vector<Row>> Failed(int64_t most) {
    return Read({poll::FailedRowsSql(table_, options_.where),
                 {absl::StrCat(most)},
                 postgres::Rows(poll::ColumnOf(table_, RowColumn::kCount))});
  }
  absl::StatusOr<std::vector<Row>> Named(const std::vector<RowKey>& keys, bool locks) {
    return Read({poll::NamedRowsSql(table_, options_.where, locks), ArraysOf(table_, keys),
                 postgres::Rows(poll::ColumnOf(table_, RowColumn::kCount))});
  }
  // As the table writes them.
  absl::StatusOr<std::vector<RowKey>> Canonical(const std::vector<std::string>& typed);
  // Those of the keys that come behind a later event of theirs; absent: nobody can tell.
  absl::StatusOr<std::optional<std::set<RowKey>>> Overtaken(const std::vector<RowKey>& keys);
  absl::StatusOr<std::optional<int64_t>> HeldBack(const RowKey& key);

  // The rows as they were before, with what became of them.
  absl::StatusOr<std::vector<std::pair<Row, Outcome>>> Change(const OutboxRowsRequest& request,
                                                              const std::vector<RowKey>& keys);

 private:
  absl::StatusOr<std::vector<Row>> Read(const postgres::Statement& statement);
  // Within a limit; absent: it takes longer.
  absl::StatusOr<std::optional<postgres::Result>> AskBriefly(const postgres::Statement& statement);
  absl::Status Apply(const OutboxRowsRequest& request, const std::vector<RowKey>& keys);
  static bool Fits(OutboxRowsRequest::Act act, const Row& row);
  Outcome OutcomeOf(const OutboxRowsRequest& request, const Row& row) const;
  std::string AfterRetry(const Row& row) const;
  std::string AfterPark(const std::string& why, const Row& row) const;
  std::string AfterSkip() const;

  const outbox::OutboxOptions& options_;
  postgres::Connection& connection_;
  const OutboxTable& table_;
  std::optional<std::set<RowKey>> overtaken_;
};

absl::StatusOr<std::vector<Row>> Desk::Read(const postgres::Statement& statement) {
  ASSIGN_OR_RETURN(const auto result, connection_.Query(statement));
  std::vector<Row> rows;
  for (int at = 0; at < result.rows(); ++at) {
    Row& row = rows.emplace_back();
    const int parts = static_cast<int>(table_.key_names.size());
    for (int i = 0; i < parts; ++i) row.key.emplace_back(result.Get(at, i));
    for (int i = 0; i < static_cast<int>(RowColumn::kCount); ++i)
      if (!result.is_null(at, parts + i)) row.values[i] = std::string(result.Get(at, parts + i));
  }
  return rows;
}

absl::StatusOr<std::vector<RowKey>> Desk::Canonical(const std::vector<std::string>& typed) {
  const int parts = static_cast<int>(table_.key_names.size());
  std::vector<std::string> columns;
  for (size_t i = 0; i < table_.key_types.size(); ++i)
    columns.push_back(absl::StrCat("($", i + 1, "::text::", table_.key_types[i], ")::text"));
  std::vector<RowKey> keys;
  for (const std::string& one : typed) {
    ASSIGN_OR_RETURN(const RowKey key, ParseKey(table_, one));
    const auto read = connection_.Query(
        postgres::OneRow(parts), absl::StrCat("SELECT ", absl::StrJoin(columns, ", ")),
        std::vector<std::optional<std::string>>(key.begin(), key.end()));
    if (ErrorReason(read.status()) == "data_exception") return WrongRow(table_, one);
    RETURN_IF_ERROR(read.status());
    RowKey& same = keys.emplace_back();
    for (int i = 0; i < parts; ++i) same.emplace_back(read->Get(0, i));
  }
  return keys;
}

absl::StatusOr<std::optional<postgres::Result>> Desk::AskBriefly(
    const postgres::Statement& statement) {
  RETURN_IF_ERROR(connection_.Set("statement_timeout", kLookPatience));
  auto result = connection_.Query(statement);
  RETURN_IF_ERROR(connection_.Set("statement_timeout", kStatementPatience));
  if (result.ok()) return *std::move(result);
  if (absl::IsDeadlineExceeded(result.status()) || absl::IsCancelled(result.status()))
    return std::nullopt;
  return result.status();
}

absl::StatusOr<std::optional<std::set<RowKey>>> Desk::Overtaken(const std::vector<RowKey>& keys) {
  const std::string sql = poll::OvertakenSql(table_);
  if (sql.empty()) return std::nullopt;
  const int parts = static_cast<int>(table_.key_names.size());
  ASSIGN_OR_RETURN(const auto found,
                   AskBriefly({sql, ArraysOf(table_, keys), postgres::Rows(parts)}));
  if (!found) return std::nullopt;
  std::set<RowKey> overtaken;
  for (int row = 0; row < found->rows(); ++row) {
    RowKey key;
    for (int i = 0; i < parts; ++i) key.emplace_back(found->Get(row, i));
    overtaken.insert(std::move(key));
  }
  return overtaken;
}

absl::StatusOr<std::optional<int64_t>> Desk::HeldBack(const RowKey& key) {
  const std::string sql = poll::BehindRowsSql(table_);
  if (sql.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(const auto found,
                   AskBriefly({sql, ArraysOf(table_, {key}), postgres::OneRow(1)}));
  int64_t rows = 0;
  if (!found || !absl::SimpleAtoi(found->Get(0, 0), &rows)) return std::nullopt;
  return rows;
}

bool Desk::Fits(OutboxRowsRequest::Act act, const Row& row) {
  if (row.state() == poll::kIsDone) return false;
  return row.state() != (act == kRetry ? poll::kIsOpen : act == kPark ? poll::kParked : "");
}

absl::Status Desk::Apply(const OutboxRowsRequest& request, const std::vector<RowKey>& keys) {
  postgres::Statement statement{.sql = request.act == kRetry ? poll::RetrySql(table_)
                                       : request.act == kPark
                                           ? poll::ParkSql(table_, options_.max_attempts)
                                           : table_.DoneAlsoAsideSql(),
                                .parameters = ArraysOf(table_, keys),
                                .answer = postgres::OneRow(1)};
  if (request.act == kPark && !table_.layout.error.empty())
    statement.parameters.emplace_back(absl::StrCat(
        "parked_by_hand: ", request.why.empty() ? "no reason was given" : request.why));
  ASSIGN_OR_RETURN(const auto changed, connection_.Query(statement));
  size_t count = 0;
  if (absl::SimpleAtoi(changed.Get(0, 0), &count) && count == keys.size()) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_not_marked",
               absl::StrCat("nothing was changed: of ", keys.size(), " rows of outbox table ",
                            CalledOf(table_), " the statement changed ", changed.Get(0, 0)),
               "look for a trigger BEFORE UPDATE or DELETE that returns NULL, a rule, or a policy "
               "of row security that hides the rows from it");
}

std::string Desk::AfterRetry(const Row& row) const {
  const auto& key = row.Get(RowColumn::kKey);
  std::string said = "is tried again";
  const auto& attempts = row.Get(RowColumn::kAttempts);
  if (attempts) absl::StrAppend(&said, " (", *attempts, " attempts before)");
  if (row.state() == poll::kWaits && table_.layout.due.empty())
    said += "; the connector knows when by itself: within five minutes";
  if (overtaken_ && overtaken_->contains(row.key))
    absl::StrAppend(&said, "; later events of its key ", key.value_or(""),
                    " are published already: it comes behind them");
  else if (!overtaken_ && key && (!options_.parked_holds || !table_.layout.aside.empty()))
    absl::StrAppend(&said, "; whether later events of its key ", *key,
                    " are published already is not known");
  return said;
}

std::string Desk::AfterPark(const std::string& why, const Row& row) const {
  const bool holds = options_.parked_holds && !table_.layout.attempts.empty();
  const auto& key = row.Get(RowColumn::kKey);
  return absl::StrCat(
      row.state() == poll::kParked ? "was parked, and is" : "is parked",
      key ? absl::StrCat("; later events of its key ", *key, holds ? " wait for it" : " pass it")
          : "",
      why.empty()                    ? ""
      : row.state() == poll::kParked ? "; the reason is not noted, as it was parked before"
      : table_.layout.error.empty()
          ? "; the reason is noted nowhere: the table has no column last_error"
          : "",
      row.state() == poll::kIsOpen
          ? "; if the connector has read it already, it is published all the same"
          : "");
}

std::string Desk::AfterSkip() const {
  if (!table_.archive.empty())
    return absl::StrCat("is left out for good: moved to ", table_.archive,
                        " (walduct.outbox.done=archive), never published");
  return table_.layout.mark.empty()
             ? "is left out for good: deleted (walduct.outbox.done=delete), never published"
             : "is left out for good: marked as published, never published";
}

Outcome Desk::OutcomeOf(const OutboxRowsRequest& request, const Row& row) const {
  if (row.state() == poll::kIsDone) return {"published", "is published already", false};
  if (request.act == kRetry)
    return row.state() == poll::kIsOpen
               ? Outcome{"open", "has not failed: it is published in its turn", true}
               : Outcome{"retried", AfterRetry(row), true};
  if (request.act == kPark) return {"parked", AfterPark(request.why, row), true};
  return {"skipped",
          absl::StrCat(AfterSkip(), row.state() == poll::kIsOpen
                                        ? "; unless the connector had read it already"
                                        : ""),
          true};
}

absl::StatusOr<std::vector<std::pair<Row, Outcome>>> Desk::Change(const OutboxRowsRequest& request,
                                                                  const std::vector<RowKey>& keys) {
  if (request.act != kSkip && !poll::KeepsFailed(table_)) return CannotPark(table_);
  // Before it is changed: as soon as it is, others are published.
  if (request.act == kRetry) {
    ASSIGN_OR_RETURN(overtaken_, Overtaken(keys));
  }
  // What is locked is seen as it is then, whatever the role's transactions see else.
  RETURN_IF_ERROR(connection_.Run("BEGIN ISOLATION LEVEL READ COMMITTED"));
  ASSIGN_OR_RETURN(const std::vector<Row> there, Named(keys, /*locks=*/false));
  ASSIGN_OR_RETURN(const std::vector<Row> locked, Named(keys, /*locks=*/true));
  std::vector<RowKey> changed;
  for (const Row& row : locked)
    if (Fits(request.act, row)) changed.push_back(row.key);
  if (!changed.empty()) RETURN_IF_ERROR(Apply(request, changed));
  RETURN_IF_ERROR(connection_.Run("COMMIT"));
  std::map<RowKey, std::pair<Row, Outcome>> outcomes;
  for (const RowKey& key : keys)
    outcomes[key] = {{.key = key, .values = {}},
                     {"unknown", "is not there, or walduct.outbox.where leaves it out", false}};
  for (const Row& row : there)
    outcomes[row.key] = {
        row, {"locked", "is locked by another session: nothing was changed, ask again", false}};
  for (const Row& row : locked) outcomes[row.key] = {row, OutcomeOf(request, row)};
  std::vector<std::pair<Row, Outcome>> all;
  for (const RowKey& key : keys)
    if (auto found = outcomes.extract(key)) all.push_back(std::move(found.mapped()));
  return all;
}

void AddText(const char* name, const std::optional<std::string>& text, JsonWriter* json) {
  json->Key(name);
  if (text)
    json->Text(*text);
  else
    json->Null();
}

void AddNumber(const char* name, const std::optional<std::string>& text, JsonWriter* json) {
  int64_t number = 0;
  json->Key(name);
  if (text && absl::SimpleAtoi(*text, &number))
    json->Signed(number);
  else
    json->Null();
}

void AddRow(const OutboxTable& table, const Row& row, JsonWriter* json) {
  json->Key("row").Text(poll::RowText(table, row.key)).Key("state").Text(row.state());
  AddNumber("attempts", row.Get(RowColumn::kAttempts), json);
  AddText("error", row.Get(RowColumn::kError), json);
  // A row that is parked has the time of the try that it does not get.
  AddText("next_try", row.state() == poll::kParked ? std::nullopt : row.Get(RowColumn::kDue), json);
  AddText("written", row.Get(RowColumn::kBorn), json);
  AddText("key", row.Get(RowColumn::kKey), json);
  AddText("type", row.Get(RowColumn::kType), json);
}

absl::Status AddListed(const OutboxRowsRequest& request, const OutboxTable& table, Desk* desk,
                       JsonWriter* json) {
  std::vector<Row> rows;
  if (poll::KeepsFailed(table)) {
    ASSIGN_OR_RETURN(rows, desk->Failed(request.most + 1));
  }
  const bool more = static_cast<int64_t>(rows.size()) > request.most;
  if (more) rows.pop_back();
  json->Key("more").Flag(more).Key("note").Text(poll::KeepsFailed(table) ? "" : kKeepsNone);
  json->Key("rows").Array();
  for (const Row& row : rows) {
    AddRow(table, row, &json->Object());
    json->EndObject();
  }
  json->EndArray();
  return absl::OkStatus();
}

absl::Status AddShown(const OutboxRowsRequest& request, const OutboxTable& table, Desk* desk,
                      JsonWriter* json) {
  ASSIGN_OR_RETURN(const std::vector<RowKey> keys, desk->Canonical(request.rows));
  ASSIGN_OR_RETURN(const std::vector<Row> rows, desk->Named(keys, /*locks=*/false));
  for (const RowKey& key : keys) {
    if (std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.key == key; }))
      continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "outbox table ", CalledOf(table), " has no row ", poll::RowText(table, key),
        ", or walduct.outbox.where leaves it out; published rows that are deleted are gone"));
  }
  ASSIGN_OR_RETURN(const auto overtaken, desk->Overtaken(keys));
  json->Key("more").Flag(false).Key("note").Text("").Key("rows").Array();
  for (const Row& row : rows) {
    AddRow(table, row, &json->Object());
    AddNumber("payload_bytes", row.Get(RowColumn::kPayloadBytes), json);
    ASSIGN_OR_RETURN(const std::optional<int64_t> behind, desk->HeldBack(row.key));
    AddNumber("held_back", behind ? std::optional(absl::StrCat(*behind)) : std::nullopt, json);
    json->Key("overtaken");
    if (overtaken)
      json->Flag(overtaken->contains(row.key));
    else
      json->Null();
    json->EndObject();
  }
  json->EndArray();
  return absl::OkStatus();
}

absl::Status AddChanged(const OutboxRowsRequest& request, const OutboxTable& table, Desk* desk,
                        JsonWriter* json) {
  std::vector<RowKey> keys;
  if (request.all && !poll::KeepsFailed(table)) {
    json->Key("more").Flag(false).Key("note").Text(kKeepsNone).Key("rows").Array().EndArray();
    return absl::OkStatus();
  }
  if (request.all) {
    ASSIGN_OR_RETURN(const auto rows, desk->Failed(OutboxRowsRequest::kMostAtOnce));
    for (const Row& row : rows) keys.push_back(row.key);
  } else {
    ASSIGN_OR_RETURN(keys, desk->Canonical(request.rows));
  }
  ASSIGN_OR_RETURN(const auto changed, desk->Change(request, keys));
  json->Key("more").Flag(request.all && keys.size() == OutboxRowsRequest::kMostAtOnce);
  json->Key("note").Text("").Key("rows").Array();
  for (const auto& [row, outcome] : changed) {
    AddRow(table, row, &json->Object());
    json->Key("outcome").Text(outcome.word).Key("done").Flag(outcome.done);
    json->Key("message").Text(outcome.message).EndObject();
    if (outcome.done && outcome.word != "open")
      log::Warn("row of an outbox table was changed by hand",
                {{"table", CalledOf(table)},
                 {"row", poll::RowText(table, row.key)},
                 {"did", ActName(request.act)},
                 {"said", outcome.message}});
  }
  json->EndArray();
  return absl::OkStatus();
}

absl::Status CheckPolls(const engine::ConnectorOptions& options) {
  const engine::SourceType* const source = engine::SourceOf(options);
  if (source == nullptr || source->name != "poll")
    return absl::InvalidArgumentError(
        "the connector does not poll: rows of its outbox tables are read from the slot, and no "
        "table says what became of them (walduct.outbox.source=poll; docs/errors.md)");
  if (engine::OutboxOf(options).positions)
    return absl::InvalidArgumentError(
        "walduct.outbox.done=position: no row is marked, counted or parked; one that cannot be "
        "published stops the connector (docs/outbox.md)");
  return absl::OkStatus();
}

// Those that are meant.
absl::StatusOr<std::vector<const OutboxTable*>> ChooseTables(const OutboxRowsRequest& request,
                                                             const std::vector<OutboxTable>& all) {
  std::vector<const OutboxTable*> chosen;
  std::vector<std::string> names;
  for (const OutboxTable& table : all) {
    names.push_back(CalledOf(table));
    if (request.table.empty() || request.table == names.back()) chosen.push_back(&table);
  }
  if (chosen.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("--table '", request.table,
                     "' is none of the connector's outbox tables: ", absl::StrJoin(names, ", ")));
  if (chosen.size() > 1 && !request.rows.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("--table says which table the rows are of: ", absl::StrJoin(names, ", ")));
  return chosen;
}

}  // namespace

absl::StatusOr<std::string> AskOutboxRows(const engine::ConnectorOptions& options,
                                          const OutboxRowsRequest& request,
                                          const Environment& environment) {
  RETURN_IF_ERROR(CheckRowsRequest(request));
  RETURN_IF_ERROR(CheckPolls(options));
  ASSIGN_OR_RETURN(const poll::OpenedTables opened,
                   poll::OpenTables(options, environment, nullptr, "outbox"));
  ASSIGN_OR_RETURN(const auto tables, ChooseTables(request, opened.tables));
  // Less than whoever asks waits: what was given up as unanswered is not done later.
  RETURN_IF_ERROR(opened.connection->Set("lock_timeout", kLookPatience));
  RETURN_IF_ERROR(opened.connection->Set("statement_timeout", kStatementPatience));
  const auto keeps = [](const OutboxTable* table) { return poll::KeepsFailed(*table); };
  if (request.all && std::none_of(tables.begin(), tables.end(), keeps))
    return CannotPark(*tables.front());
  JsonWriter json;
  json.Object().Key("connector").Text(engine::NameOf(options));
  json.Key("did").Text(ActName(request.act)).Key("tables").Array();
  for (const OutboxTable* const table : tables) {
    Desk desk(options, *opened.connection, *table);
    json.Object().Key("table").Text(CalledOf(*table));
    const auto add = request.act == kList   ? AddListed
                     : request.act == kShow ? AddShown
                                            : AddChanged;
    RETURN_IF_ERROR(add(request, *table, &desk, &json));
    json.EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace walduct::operate
