#include "slot/phases/stale_names.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::slot {

void StaleNames::Saw(const CapturedNow& now) {
  tables_.clear();
  if (!now.end.valid()) return;
  for (const postgres::TableName& table : now.tables) {
    if (table.partitioned || now.schemas_are_kept) tables_.push_back(table);
  }
  seen_at_ = now.end;
}

absl::Status StaleNames::Check(const pgoutput::Assembler& assembler) {
  if (tables_.empty() || assembler.in_transaction() || assembler.position().commit_end < seen_at_)
    return absl::OkStatus();
  const std::vector<postgres::TableName> tables = std::exchange(tables_, {});
  for (const postgres::TableName& table : tables) {
    const event::TableSchema* const told = assembler.SchemaOf(table.relation);
    // One without partitions is announced by its own new name before its next row.
    if (told == nullptr ||
        (told->schema == table.schema && (told->table == table.table || !table.partitioned)))
      continue;
    return Error(absl::StatusCode::kUnavailable, "relation_renamed",
                 absl::StrCat("rows of ", table.schema, ".", table.table, " come as those of ",
                              told->schema, ".", told->table,
                              ", which it was called before: while it streams the server announces "
                              "no other name of a partitioned table, nor, before PostgreSQL 16, of "
                              "a schema"),
                 "nothing to do: the stream begins anew");
  }
  return absl::OkStatus();
}

}  // namespace walduct::slot
