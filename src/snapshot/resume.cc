#include "snapshot/resume.h"

#include <string>
#include <utility>

#include "base/log.h"
#include "postgres/table_key.h"

namespace walduct::snapshot {
namespace {

std::string FullName(const postgres::TableName& table) {
  return postgres::TableKey(table.schema, table.table);
}

const ReadTable* Before(const ReadRecord& record, const postgres::TableName& table) {
  const auto found = record.before().find(FullName(table));
  return found == record.before().end() ? nullptr : &found->second;
}

}  // namespace

std::vector<postgres::TableName> PartlyRead(const std::vector<postgres::TableName>& tables,
                                            const ReadRecord& record) {
  std::vector<postgres::TableName> partly;
  for (const postgres::TableName& table : tables) {
    const ReadTable* const before = Before(record, table);
    if (before != nullptr && !before->whole()) partly.push_back(table);
  }
  return partly;
}

void TakeUp(ReadRecord& record, std::vector<PlannedTable>* plan) {
  std::vector<PlannedTable> left;
  size_t partly = 0;
  for (PlannedTable& table : *plan) {
    const ReadTable* const before = Before(record, table.name);
    if (before != nullptr && before->whole()) continue;
    if (before != nullptr && !table.storage.empty() && before->storage == table.storage) {
      table.before = *before;
      ++partly;
    } else if (before != nullptr) {
      log::Warn("the table was rewritten since a part of it was read: it is read anew",
                {{"table", FullName(table.name)}});
      record.Forget(FullName(table.name));
    }
    left.push_back(std::move(table));
  }
  if (!record.before().empty()) {
    log::Info("the snapshot goes on", {{"tables_read_before", plan->size() - left.size()},
                                       {"tables_read_in_part", partly},
                                       {"tables_left", left.size()}});
  }
  *plan = std::move(left);
}

}  // namespace walduct::snapshot
