#include "transform/router.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "transform/topic_naming.h"

namespace walduct::transform {
namespace {

using event::Emission;
using event::KeyHeader;
using event::KeySource;
using event::Operation;
using event::Value;
using event::ValueKind;
using event::ValueShape;

constexpr size_t kMaxVersions = 16384;

// An unchanged TOAST value is the old one. NULL and "not sent" are the same here: an old key tuple
// carries no other sign.
bool SameKeyValue(const Value& before, const Value& after) {
  if (after.kind == ValueKind::kUnchangedToast) return true;
  if (before.is_text() != after.is_text()) return false;
  return !after.is_text() || before.text() == after.text();
}

bool KeyChanged(const event::ChangeEvent& change) {
  if (!change.before) return false;
  for (const uint16_t column : change.schema->key_columns) {
    if (!SameKeyValue((*change.before)[column], (*change.after)[column])) return true;
  }
  return false;
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
               absl::StrCat("a change of ", where, " came without the row it is about (operation '",
                            std::string(1, static_cast<char>(change.operation)), "')"));
}

Emission Insert(Emission emission, Operation operation) {
  emission.operation = operation;
  emission.with_after = true;
  return emission;
}

}  // namespace

Router::Router(config::TransformOptions options, const config::TableFilter& filter)
    : options_(std::move(options)),
      filter_(filter),
      message_topic_(MessageTopic(options_.topic_prefix)) {}

absl::Status Router::Route(const event::ChangeEvent& change, Emissions* out) {
  out->clear();
  if (!HasNeededRows(change)) return MissingRow(change);
  Emission base;
  base.change = &change;
  base.operation = change.operation;
  if (change.operation == Operation::kMessage) {
    base.topic = message_topic_;
    out->push_back(base);
    return absl::OkStatus();
  }
  const Table& table = TableOf(*change.schema);
  if (!table.captured) {
    ++counters_.filtered_tables;
    return absl::OkStatus();
  }
  base.topic = table.topic;
  base.key = change.schema->key_columns.empty() ? KeySource::kNone : KeySource::kAfter;
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
  return absl::OkStatus();
}

void Router::RouteUpdate(const event::ChangeEvent& change, const Emission& base, Emissions* out) {
  if (!KeyChanged(change)) {
    if (Skip(Operation::kUpdate)) return;
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

void Router::EmitDelete(const Emission& base, Emissions* out) {
  if (Skip(Operation::kDelete)) return;
  Emission emission = base;
  emission.operation = Operation::kDelete;
  emission.with_before = true;
  if (emission.key != KeySource::kNone) emission.key = KeySource::kBefore;
  out->push_back(emission);
  if (!options_.tombstones_on_delete) return;
  emission.value = ValueShape::kTombstone;
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
      return count(options_.skip_create, &counters_.skipped_creates);
    case Operation::kUpdate:
      return count(options_.skip_update, &counters_.skipped_updates);
    case Operation::kDelete:
      return count(options_.skip_delete, &counters_.skipped_deletes);
    case Operation::kTruncate:
      return count(options_.skip_truncate, &counters_.skipped_truncates);
    case Operation::kRead:
    case Operation::kMessage:
      return false;
  }
  return false;
}

const Router::Table& Router::TableOf(const event::TableSchema& schema) {
  const uint64_t version = schema.version.value();
  if (version == last_version_) return *last_table_;
  auto found = versions_.find(version);
  if (found == versions_.end()) {
    if (versions_.size() >= kMaxVersions) versions_.clear();
    found = versions_.emplace(version, &TableByName(schema)).first;
  }
  last_version_ = version;
  last_table_ = found->second;
  return *last_table_;
}

const Router::Table& Router::TableByName(const event::TableSchema& schema) {
  // NUL cannot be part of a name, so the pair is unambiguous.
  auto& table = tables_[absl::StrCat(schema.schema, absl::string_view("\0", 1), schema.table)];
  if (table != nullptr) return *table;
  table = std::make_unique<Table>();
  table->captured = filter_.Includes(schema.schema, schema.table);
  table->topic =
      TableTopic({options_.topic_prefix, options_.topic_delimiter, schema.schema, schema.table});
  if (table->captured) WarnOfTopic(schema, table->topic);
  return *table;
}

void Router::WarnOfTopic(const event::TableSchema& schema, const std::string& topic) {
  const std::string name = absl::StrCat(schema.schema, ".", schema.table);
  const std::string plain = absl::StrCat(options_.topic_prefix, options_.topic_delimiter,
                                         schema.schema, options_.topic_delimiter, schema.table);
  if (topic != plain) {
    log::Warn("topic name changed to one that Kafka accepts", {{"table", name}, {"topic", topic}});
  }
  const auto [other, is_new] = table_of_topic_.emplace(topic, name);
  if (!is_new) {
    log::Warn("two tables write to the same topic",
              {{"topic", topic}, {"table", name}, {"other_table", other->second}});
  }
}

}  // namespace walduct::transform
