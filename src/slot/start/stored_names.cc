#include "slot/start/stored_names.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "names/table_filter.h"
#include "slot/incremental/known_tables.h"
#include "slot/world/capture/capture_record.h"

namespace walduct::slot {

void RememberNames(const std::map<std::string, std::string>& members,
                   const names::TableFilterOptions& lists, CaptureRecord* record) {
  if (record == nullptr) return;
  names::TableFilterOptions of_all_slots = lists;
  of_all_slots.share = nullptr;
  const names::TableFilter captured(std::move(of_all_slots));
  for (const auto& [name, relation] : TablesIn(members)) {
    // postgres::TableKey, which of a name with a dot in it is not to be taken apart.
    const std::vector<std::string> parts = absl::StrSplit(name, '.');
    const bool is_plain = parts.size() == 2 && !absl::StrContains(name, '"');
    if (is_plain && captured.Includes(parts[0], parts[1]))
      record->memory.before.try_emplace(name, relation);
  }
}

}  // namespace walduct::slot
