#include "route/router.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "route/options.h"
#include "route/topic_naming.h"

namespace walduct::route {
namespace {

using event::Emission;
using event::KeyHeader;
using event::KeySource;
using event::Operation;
using event::PublishedValue;
using event::Value;
using event::ValueKind;

// An unchanged TOAST value is the old one. NULL and "not sent" are the same here: an old key tuple
// carries no other sign.
bool SameKeyValue(const Value& before, const Value& after) {
  if (after.kind == ValueKind::kUnchangedToast) return true;
  if (before.is_text() != after.is_text()) return false;
  return !after.is_text() || before.text() == after.text();
}

bool SameTexts(const event::ChangeEvent& change, const std::vector<uint16_t>& columns) {
  for (const uint16_t column : columns) {
    if (!SameKeyValue((*change.before)[column], (*change.after)[column])) return false;
  }
  return true;
}

bool SameInAllColumns(const event::ChangeEvent& change) {
  return change.before->size() == change.after->size() &&
         std::equal(change.before->begin(), change.before->end(), change.after->begin(),
                    SameKeyValue);
}

bool HasNeededRows(const event::ChangeEvent& change) {
  switch (change.operation) {
    case Operation::kRead:
    case Operation::kCreate:
    case Operation::kUpdate:
      return change.after.has_value();
    case Operation::kDelete:
      return change.before.has_value();
    case Operation::kTruncate:
      return true;
    case Operation::kMessage:
      return change.message != nullptr;
  }
  return false;
}

absl::Status MissingRow(const event::ChangeEvent& change) {
  const std::string where = change.schema == nullptr
                                ? "a logical message"
                                : absl::StrCat(change.schema->schema, ".", change.schema->table);
  return Error(absl::StatusCode::kDataLoss, "change_without_row",
               absl::StrCat("a change of ", where, " has no row image (operation '",
                            std::string(1, static_cast<char>(change.operation)), "')"));
}

Emission Insert(Emission emission, Operation operation) {
  emission.operation = operation;
  emission.with_after = true;
  return emission;
}

// message.key.columns with consequences that the operator may not have meant.
void WarnOfKey(const event::TableSchema& schema, const std::vector<uint16_t>& chosen,
               const std::vector<std::string>& unmatched) {
  const std::string table = absl::StrCat(schema.schema, ".", schema.table);
  for (const std::string& entry : unmatched) {
    log::Warn("message.key.columns names a column that the table does not have",
              {{"table", table}, {"entry", entry}});
  }
  std::vector<absl::string_view> unsent;
  for (const uint16_t column : chosen) {
    if (!schema.columns[column].old_value_sent) unsent.push_back(schema.columns[column].name);
  }
  if (unsent.empty()) return;
  log::Warn(
      schema.partitioned
          ? "message.key.columns names columns that are not part of the replica identity of every "
            "partition: keys of deletes and of key changes lack them where they are not; ALTER "
            "TABLE … REPLICA IDENTITY FULL, where the publication sends all columns, or a key, for "
            "each partition (the table's own is not handed on to those that exist)"
          : "message.key.columns names columns whose old values the server does not send, so keys "
            "of deletes and of key changes lack them; ALTER TABLE … REPLICA IDENTITY FULL, where "
            "the publication sends all columns of the table",
      {{"table", table}, {"columns", absl::StrJoin(unsent, ", ")}});
}

}  // namespace

Router::Router(RouteOptions options, const names::TableFilter& filter,
               event::RecordComparison* comparison)
    : options_(std::make_shared<const RouteOptions>(std::move(options))),
      naming_(*options_),
      filter_(filter),
      comparison_(comparison),
      message_topic_(MessageTopic(options_->topic_prefix)),
      transaction_topic_(TransactionTopic(*options_)),
      heartbeat_topic_(HeartbeatTopic(*options_)) {}

absl::Status Router::Route(const event::ChangeEvent& change, Emissions* out) {
  out->clear();
  if (!HasNeededRows(change)) return MissingRow(change);
  if (change.operation != Operation::kMessage) return RouteRow(change, out);
  RouteMessage(change, out);
  return absl::OkStatus();
}

void Router::RouteMessage(const event::ChangeEvent& change, Emissions* out) {
  const absl::string_view prefix = change.message->prefix;
  const bool included =
      options_->message_include ? options_->message_include->Matches(prefix) : true;
  if (!included || (options_->message_exclude && options_->message_exclude->Matches(prefix))) {
    ++counters_.filtered_messages;
    return;
  }
  Emission emission;
  emission.change = &change;
  emission.operation = Operation::kMessage;
  emission.topic = message_topic_;
  // One outside a transaction belongs to none.
  if (transaction_.counting()) emission.order = transaction_.CountMessage();
  out->push_back(emission);
}

absl::Status Router::RouteRow(const event::ChangeEvent& change, Emissions* out) {
  const Version& version = VersionOf(*change.schema);
  if (!version.captured) {
    ++counters_.filtered_tables;
    return absl::OkStatus();
  }
  Emission base;
  base.change = &change;
  base.operation = change.operation;
  base.topic = version.table->topic;
  base.key_rule = &version.key;
  base.key = version.key.empty() ? KeySource::kNone : KeySource::kAfter;
  switch (change.operation) {
    case Operation::kRead:
    case Operation::kCreate:
      if (!Skip(change.operation)) out->push_back(Insert(base, change.operation));
      break;
    case Operation::kUpdate:
      RouteUpdate(change, base, out);
      break;
    case Operation::kDelete:
      EmitDelete(base, out);
      break;
    case Operation::kTruncate:
      base.key = KeySource::kNone;
      if (!Skip(Operation::kTruncate)) out->push_back(base);
      break;
    case Operation::kMessage:
      break;
  }
  // Rows that are read beside the stream belong to no transaction of it.
  if (transaction_.counting() && change.snapshot != event::SnapshotMarker::kIncremental)
    Number(*version.table, out);
  return absl::OkStatus();
}

// A tombstone has no envelope to carry a number, but headers in common with the delete before it.
void Router::Number(Table& table, Emissions* out) {
  for (size_t i = 0; i < out->size(); ++i) {
    Emission& emission = (*out)[i];
    const bool tombstone = emission.value == PublishedValue::kTombstone && i > 0;
    emission.order = tombstone ? (*out)[i - 1].order : transaction_.Count(table.collection);
  }
}

void Router::RouteBegin(const event::TransactionInfo& transaction, Emissions* out) {
  out->clear();
  if (tables_.size() >= sweep_tables_at_) ForgetUnusedTables();
  if (!options_->transaction_metadata) return;
  transaction_.Begin();
  if (transaction.resumed) return;
  Emission emission;
  emission.kind = event::RecordKind::kTransactionBegin;
  emission.boundary = &transaction_.Boundary(transaction);
  emission.topic = transaction_topic_;
  out->push_back(emission);
}

void Router::RouteCommit(const event::TransactionInfo& transaction, Lsn end, Emissions* out) {
  out->clear();
  if (!options_->transaction_metadata) return;
  Emission emission;
  emission.kind = event::RecordKind::kTransactionEnd;
  emission.boundary = &transaction_.End(transaction, end);
  emission.topic = transaction_topic_;
  out->push_back(emission);
}

absl::Status Router::Recount(const event::ChangeEvent& change) {
  if (!transaction_.counting()) return absl::OkStatus();
  const Counters before = counters_;
  const absl::Status status = Route(change, &recounted_);
  counters_ = before;
  return status;
}

Emission Router::Heartbeat() const {
  Emission emission;
  emission.kind = event::RecordKind::kHeartbeat;
  emission.topic = heartbeat_topic_;
  return emission;
}

void Router::RouteUpdate(const event::ChangeEvent& change, const Emission& base, Emissions* out) {
  if (!KeyChanged(base)) {
    if (Skip(Operation::kUpdate)) return;
    if (options_->skip_unchanged && IsUnchanged(base)) {
      ++counters_.unchanged_updates;
      return;
    }
    out->push_back(Insert(base, Operation::kUpdate));
    out->back().with_before = change.before.has_value();
    return;
  }
  Emission old_half = base;
  old_half.key_header = KeyHeader::kNewKey;
  EmitDelete(old_half, out);
  if (Skip(Operation::kCreate)) return;
  out->push_back(Insert(base, Operation::kCreate));
  out->back().key_header = KeyHeader::kOldKey;
}

bool Router::KeyChanged(const Emission& emission) const {
  if (!emission.change->before) return false;
  if (SameTexts(*emission.change, emission.key_rule->columns)) return false;
  // A value that was not sent is none: an old key tuple holds nothing of other columns.
  return comparison_ == nullptr || !comparison_->SameKey(emission);
}

bool Router::IsUnchanged(const Emission& emission) const {
  const event::ChangeEvent& change = *emission.change;
  if (!change.before || comparison_ == nullptr) return false;
  if (change.old_row == event::OldRow::kUnsure && SameInAllColumns(change)) return true;
  return comparison_->SameValue(emission);
}

void Router::EmitDelete(const Emission& base, Emissions* out) {
  if (Skip(Operation::kDelete)) return;
  Emission emission = base;
  emission.operation = Operation::kDelete;
  emission.with_before = true;
  if (emission.key != KeySource::kNone) emission.key = KeySource::kBefore;
  out->push_back(emission);
  if (!options_->tombstones_on_delete) return;
  emission.value = PublishedValue::kTombstone;
  emission.with_before = false;
  out->push_back(emission);
}

bool Router::Skip(Operation operation) {
  const auto count = [](bool skip, uint64_t* counter) {
    if (skip) ++*counter;
    return skip;
  };
  switch (operation) {
    case Operation::kCreate:
      return count(options_->skip_create, &counters_.skipped_creates);
    case Operation::kUpdate:
      return count(options_->skip_update, &counters_.skipped_updates);
    case Operation::kDelete:
      return count(options_->skip_delete, &counters_.skipped_deletes);
    case Operation::kTruncate:
      return count(options_->skip_truncate, &counters_.skipped_truncates);
    case Operation::kRead:
    case Operation::kMessage:
      return false;
  }
  return false;
}

const Router::Version& Router::VersionOf(const event::TableSchema& schema) {
  const uint64_t number = schema.version.value();
  if (number == last_number_) return *last_version_;
  Version* version = versions_.Find(number);
  if (version == nullptr) {
    version = &versions_.Add(number);
    version->table = TableByName(schema);
    version->captured = version->table->captured && filter_.Takes(schema.relation);
    version->key = KeyOf(schema, version->captured);
  }
  last_number_ = number;
  last_version_ = version;
  return *last_version_;
}

event::KeyRule Router::KeyOf(const event::TableSchema& schema, bool captured) const {
  event::KeyRule key;
  key.columns = schema.key_columns;
  key.extra_field = options_->naming.key_field;
  if (!key.extra_field.empty())
    key.extra_value = naming_.KeyFieldValue(schema.schema, schema.table);
  if (!options_->message_keys) return key;
  std::vector<absl::string_view> names;
  for (const event::Column& column : schema.columns) names.push_back(column.name);
  const std::string table = absl::StrCat(schema.schema, ".", schema.table);
  std::vector<uint16_t> chosen = options_->message_keys->Choose(table, names);
  if (captured) WarnOfKey(schema, chosen, options_->message_keys->Unmatched(table, names));
  if (!chosen.empty()) key.columns = std::move(chosen);
  return key;
}

std::shared_ptr<Router::Table> Router::TableByName(const event::TableSchema& schema) {
  // NUL cannot be part of a name, so the pair is unambiguous.
  auto& table = tables_[absl::StrCat(schema.schema, absl::string_view("\0", 1), schema.table)];
  if (table != nullptr) return table;
  table = std::make_shared<Table>();
  table->captured = filter_.Includes(schema.schema, schema.table);
  table->collection.name = absl::StrCat(schema.schema, ".", schema.table);
  table->topic = naming_.TableTopic(schema.schema, schema.table);
  if (table->captured && !naming_.joins_tables()) WarnOfTopic(schema, table->topic);
  return table;
}

// Not within a transaction, whose count of a table's records is the table's.
void Router::ForgetUnusedTables() {
  absl::erase_if(tables_, [this](const auto& entry) {
    const Table& table = *entry.second;
    if (entry.second.use_count() > 1) return false;
    const auto named = table_of_topic_.find(table.topic);
    if (named != table_of_topic_.end() && named->second == table.collection.name)
      table_of_topic_.erase(named);
    return true;
  });
  sweep_tables_at_ = std::max(kSweptTables, 2 * tables_.size());
}

void Router::WarnOfTopic(const event::TableSchema& schema, const std::string& topic) {
  const std::string name = absl::StrCat(schema.schema, ".", schema.table);
  if (topic != naming_.OriginalName(schema.schema, schema.table)) {
    log::Warn("topic name changed to one that is valid for Kafka",
              {{"table", name}, {"topic", topic}});
  }
  const auto [other, is_new] = table_of_topic_.emplace(topic, name);
  if (!is_new) {
    log::Warn("two tables write to the same topic",
              {{"topic", topic}, {"table", name}, {"other_table", other->second}});
  }
}

}  // namespace walduct::route
