#include "slot/phases/delayed_schema_resolver.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "slot/phases/schema_changes.h"
#include "slot/world/advice/key_advice.h"

namespace walduct::slot {
namespace {

// Columns by name and OID of their type, no key: rows of the table are counted, never encoded.
event::TableSchemaPtr FromStreamAlone(const event::RelationDescription& relation) {
  auto schema = std::make_shared<event::TableSchema>();
  schema->relation = relation.relation;
  schema->schema = relation.schema;
  schema->table = relation.table;
  schema->replica_identity = relation.replica_identity;
  for (const event::RelationColumn& streamed : relation.columns) {
    auto type = std::make_shared<event::Type>();
    type->oid = streamed.type;
    event::Column column;
    column.name = streamed.name;
    column.type = std::move(type);
    column.typmod = streamed.typmod;
    column.old_value_sent = streamed.part_of_identity;
    schema->columns.push_back(std::move(column));
  }
  return schema;
}

}  // namespace

absl::Status DelayedSchemaResolver::Ask(const event::RelationDescription& relation) {
  uncaptured_.reset();
  waiting_.reset();
  if (!parts_.captured->Includes(relation.schema, relation.table)) {
    uncaptured_ = FromStreamAlone(relation);
    const event::TableSchemaPtr& was = relation.previous;
    if (was != nullptr && parts_.on_away && parts_.captured->Includes(was->schema, was->table))
      parts_.on_away(*was);
    return absl::OkStatus();
  }
  previous_ = relation.previous;
  const absl::Duration delay =
      IsNews(relation) ? DelayOf(relation.commit_time_us) : absl::ZeroDuration();
  if (delay <= absl::ZeroDuration()) return parts_.catalog->Ask(relation);
  due_ = parts_.clock->Monotonic() + delay;
  waiting_ = relation;
  return absl::OkStatus();
}

absl::StatusOr<event::TableSchemaPtr> DelayedSchemaResolver::Poll() {
  if (uncaptured_ != nullptr) return std::exchange(uncaptured_, nullptr);
  if (waiting_) {
    if (UntilDue() > absl::ZeroDuration()) return nullptr;
    RETURN_IF_ERROR(parts_.catalog->Ask(*std::exchange(waiting_, std::nullopt)));
  }
  ASSIGN_OR_RETURN(event::TableSchemaPtr answer, parts_.catalog->Poll());
  if (answer != nullptr) Tell(*answer);
  return answer;
}

void DelayedSchemaResolver::Tell(const event::TableSchema& answer) {
  const std::string table = absl::StrCat(answer.schema, ".", answer.table);
  if (parts_.warn_once != nullptr) WarnOfKey(answer, *parts_.message_keys, parts_.warn_once);
  if (const event::TableSchemaPtr previous = std::exchange(previous_, nullptr)) {
    if (const std::string changes = DescribeChanges(*previous, answer); !changes.empty())
      log::Info("table changed", {{"table", table}, {"change", changes}});
    const bool renamed = !parts_.captured->Includes(previous->schema, previous->table);
    if (renamed && parts_.on_first) parts_.on_first(answer, true);
    return;
  }
  if (parts_.on_first) parts_.on_first(answer, false);
}

absl::Duration DelayedSchemaResolver::UntilDue() {
  return waiting_ ? due_ - parts_.clock->Monotonic() : parts_.catalog->UntilDue();
}

bool DelayedSchemaResolver::IsNews(const event::RelationDescription& relation) {
  std::string text = absl::StrCat(relation.schema, ".", relation.table,
                                  std::string(1, static_cast<char>(relation.replica_identity)));
  for (const event::RelationColumn& column : relation.columns) {
    absl::StrAppend(&text, "\n", column.name, " ", ToInteger(column.type), " ", column.typmod, " ",
                    column.part_of_identity);
  }
  const size_t hash = std::hash<std::string>()(text);
  const auto [known, is_new] = announced_.try_emplace(relation.relation, hash);
  return is_new || std::exchange(known->second, hash) != hash;
}

// The two clocks may differ: never longer than the delay.
absl::Duration DelayedSchemaResolver::DelayOf(int64_t commit_time_us) const {
  const absl::Time committed = absl::FromUnixMicros(commit_time_us);
  return std::min(committed + parts_.delay - parts_.clock->Now(), parts_.delay);
}

}  // namespace walduct::slot
