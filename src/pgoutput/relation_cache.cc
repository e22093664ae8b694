#include "pgoutput/relation_cache.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "event/same_schema.h"

namespace walduct::pgoutput {
namespace {

using TypePtr = std::shared_ptr<const event::Type>;

TypePtr WithLabel(const TypePtr& type, absl::string_view label) {
  auto changed = std::make_shared<event::Type>(*type);
  if (type->kind == event::TypeKind::kDomain && type->base != nullptr) {
    changed->base = WithLabel(type->base, label);
  } else {
    changed->labels.emplace_back(label);
  }
  return changed;
}

bool Allows(const event::Type& type, absl::string_view label) {
  const std::vector<std::string>& labels = event::BaseType(type).labels;
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// Labels of the row that the schema lacks.
void AddLost(event::RowView row, const event::TableSchema& schema, std::vector<LostLabel>* lost) {
  for (size_t i = 0; i < schema.columns.size(); ++i) {
    const event::Type& type = *schema.columns[i].type;
    if (event::BaseType(type).kind != event::TypeKind::kEnum || !row[i].is_text()) continue;
    if (!Allows(type, row[i].text()))
      lost->push_back({.column = i, .label = std::string(row[i].text())});
  }
}

event::TableSchemaPtr WithLabels(event::TableSchemaPtr schema, const std::vector<LostLabel>& lost) {
  std::shared_ptr<event::TableSchema> changed;
  for (const LostLabel& one : lost) {
    if (one.column >= schema->columns.size()) continue;
    const TypePtr& type = schema->columns[one.column].type;
    if (event::BaseType(*type).kind != event::TypeKind::kEnum || Allows(*type, one.label)) continue;
    if (changed == nullptr) changed = std::make_shared<event::TableSchema>(*schema);
    TypePtr& longer = changed->columns[one.column].type;
    longer = WithLabel(longer, one.label);
  }
  return changed == nullptr ? std::move(schema) : std::move(changed);
}

std::vector<uint16_t> OutsideIdentity(const RelationMessage& message) {
  std::vector<uint16_t> outside;
  for (size_t i = 0; i < message.columns.size(); ++i) {
    if (!message.columns[i].part_of_identity) outside.push_back(static_cast<uint16_t>(i));
  }
  return outside;
}

}  // namespace

void RelationCache::Announce(const TypeMessage& message) {
  if (types_.size() >= kMaxTypes) types_.clear();
  types_[message.type] = {std::string(message.schema), std::string(message.name)};
}

event::RelationDescription RelationCache::Describe(const RelationMessage& message) const {
  event::RelationDescription description;
  description.relation = message.relation;
  description.schema = std::string(message.schema);
  description.table = std::string(message.table);
  description.replica_identity = message.replica_identity;
  description.columns.reserve(message.columns.size());
  for (const RelationMessageColumn& column : message.columns) {
    description.columns.push_back({.name = std::string(column.name),
                                   .type = column.type,
                                   .typmod = column.typmod,
                                   .part_of_identity = column.part_of_identity});
    const auto announced = types_.find(column.type);
    if (announced == types_.end()) continue;
    description.columns.back().type_schema = announced->second.schema;
    description.columns.back().type_name = announced->second.name;
  }
  return description;
}

// The answer about asked_; null: not yet.
absl::StatusOr<event::TableSchemaPtr> RelationCache::Resolve() {
  absl::StatusOr<event::TableSchemaPtr> schema = resolver_.Poll();
  if (!schema.ok()) asked_.reset();
  return schema;
}

absl::StatusOr<bool> RelationCache::Apply(const RelationMessage& message,
                                          const event::TransactionInfo& transaction) {
  if (!asked_) {
    event::RelationDescription description = Describe(message);
    description.transaction = static_cast<uint32_t>(transaction.xid);
    description.commit_time_us = transaction.commit_time_us;
    if (const CachedRelation* before = Lookup(message.relation))
      description.previous = before->schema;
    RETURN_IF_ERROR(resolver_.Ask(description));
    asked_ = std::move(description);
  }
  ASSIGN_OR_RETURN(event::TableSchemaPtr schema, Resolve());
  if (schema == nullptr) return false;
  event::RelationDescription description = *std::exchange(asked_, std::nullopt);
  if (schema->columns.size() != message.columns.size()) {
    return Error(absl::StatusCode::kInternal, "schema_mismatch",
                 absl::StrCat("the schema resolved for relation ", message.schema, ".",
                              message.table, " does not have the ", message.columns.size(),
                              " columns of its Relation message"));
  }
  std::unique_ptr<CachedRelation>& known = relations_[message.relation];
  if (known == nullptr) known = std::make_unique<CachedRelation>();
  Replace(*known, std::move(schema));
  known->outside_identity = OutsideIdentity(message);
  known->transaction = description.transaction;
  known->announced = ++announced_;
  known->lost_labels.clear();
  if (watch_labels_) known->labels.Watch(*known->schema);
  description.previous.reset();
  if (known->labels.watching()) known->description = std::move(description);
  return true;
}

absl::StatusOr<bool> RelationCache::ResolveAnew(CachedRelation& relation, event::RowView row) {
  if (!asked_) {
    asked_ = relation.description;
    asked_->previous = relation.schema;
    if (const absl::Status asked = resolver_.Ask(*asked_); !asked.ok()) {
      asked_.reset();
      return asked;
    }
  }
  ASSIGN_OR_RETURN(event::TableSchemaPtr schema, Resolve());
  if (schema == nullptr) return false;
  asked_.reset();
  if (schema->columns.size() != relation.schema->columns.size()) schema = relation.schema;
  AddLost(row, *schema, &relation.lost_labels);
  Replace(relation, WithLabels(std::move(schema), relation.lost_labels));
  relation.labels.Watch(*relation.schema);
  return true;
}

void RelationCache::Replace(CachedRelation& known, event::TableSchemaPtr schema) {
  known.partitioned = schema->partitioned;
  known.whole_partitions = known.partitioned && OldRowsAreWhole(*schema);
  if (known.schema == nullptr) {
    known.schema = std::move(schema);
    return;
  }
  if (SameSchema(*known.schema, *schema)) return;
  if (replaced_.size() == kKeptSchemas) replaced_.pop_front();
  replaced_.push_back(std::exchange(known.schema, std::move(schema)));
}

std::vector<KnownRelation> RelationCache::List() const {
  std::vector<KnownRelation> known;
  known.reserve(relations_.size());
  for (const auto& [oid, relation] : relations_)
    known.push_back({oid, relation->transaction, relation->announced});
  return known;
}

void RelationCache::Forget(const KnownRelation& known) {
  const auto found = relations_.find(known.relation);
  if (found == relations_.end() || found->second->announced != known.announced) return;
  if (last_ == found->second.get()) last_ = nullptr;
  relations_.erase(found);
}

CachedRelation* RelationCache::Lookup(Oid relation) {
  const auto found = relations_.find(relation);
  if (found == relations_.end()) return nullptr;
  last_ = found->second.get();
  last_oid_ = relation;
  return last_;
}

}  // namespace walduct::pgoutput
