#include "engine/settled_catalog.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace walduct::engine {

absl::StatusOr<event::TableSchemaPtr> SettledCatalog::Resolve(
    const event::RelationDescription& relation) {
  if (IsNews(relation)) Settle(relation.commit_time_us);
  return parts_.catalog->Resolve(relation);
}

bool SettledCatalog::IsNews(const event::RelationDescription& relation) {
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

void SettledCatalog::Settle(int64_t commit_time_us) {
  const absl::Time committed = absl::FromUnixMicros(commit_time_us);
  // The two clocks may differ: never longer than the delay.
  const absl::Duration wait =
      std::min(committed + parts_.delay - parts_.clock->Now(), parts_.delay);
  const absl::Duration deadline = parts_.clock->Monotonic() + wait;
  while (!parts_.control->interrupted()) {
    const absl::Duration left = deadline - parts_.clock->Monotonic();
    if (left <= absl::ZeroDuration()) return;
    parts_.poller->WaitReadable({parts_.control->fd()}, left);
    parts_.control->Take();
  }
}

}  // namespace walduct::engine
