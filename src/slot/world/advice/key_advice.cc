#include "slot/world/advice/key_advice.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/checks/shared_keys.h"

namespace walduct::slot {
namespace {

// Lines of one start.
constexpr size_t kMostLines = 20;

bool HasMessageKey(const event::TableSchema& schema, const MessageKeys& keys) {
  if (!keys) return false;
  std::vector<absl::string_view> names;
  for (const event::Column& column : schema.columns) names.push_back(column.name);
  return !keys->Choose(absl::StrCat(schema.schema, ".", schema.table), names).empty();
}

std::string ChooseColumns(absl::string_view table, absl::string_view better) {
  if (!better.empty()) return absl::StrCat("set message.key.columns=", table, ":", better);
  return absl::StrCat("set message.key.columns=", table,
                      ":COLUMN,COLUMN to columns that identify a row and whose old values are sent "
                      "(REPLICA IDENTITY), or give the table a primary key");
}

KeyAdvice NotUnique(absl::string_view table, absl::string_view risk, absl::string_view better) {
  return {.reason = "key_not_unique",
          .message = absl::StrCat("rows of table ", table,
                                  " can share the key of their records, which is its ", risk,
                                  ": in a compacted topic, and where a consumer keeps the last "
                                  "record of a key, they take the place of each other"),
          .hint = ChooseColumns(table, better)};
}

KeyAdvice NotValid(absl::string_view table, absl::string_view index) {
  return {.reason = "key_index_not_valid",
          .message = absl::StrCat("records of table ", table, " have no key: its unique index ",
                                  index, " is not valid, and does not keep duplicates out"),
          .hint = absl::StrCat("REINDEX INDEX CONCURRENTLY ", index, ", or ",
                               ChooseColumns(table, ""))};
}

}  // namespace

absl::StatusOr<std::vector<KeyAdvice>> ListKeyAdvice(
    postgres::Connection& connection, postgres::Catalog& catalog,
    const std::vector<postgres::TableName>& captured, const MessageKeys& keys) {
  ASSIGN_OR_RETURN(const std::vector<postgres::SharedKey> found,
                   postgres::FindSharedKeys(connection, postgres::RelationsOf(captured)));
  std::vector<KeyAdvice> all;
  for (const postgres::SharedKey& key : found) {
    if (keys) {
      const auto schema = catalog.Describe(key.relation);
      if (absl::IsNotFound(schema.status())) continue;
      RETURN_IF_ERROR(schema.status());
      if (HasMessageKey(**schema, keys)) continue;
    }
    const std::string table = absl::StrCat(key.schema, ".", key.table);
    all.push_back(key.is_key ? NotUnique(table, key.risk, key.better) : NotValid(table, key.risk));
  }
  return all;
}

void WarnOfKeys(postgres::Connection& connection, postgres::Catalog& catalog,
                const std::vector<postgres::TableName>& captured, const MessageKeys& keys,
                engine::WarnOnce* warn_once) {
  const auto all = ListKeyAdvice(connection, catalog, captured, keys);
  if (!all.ok()) {
    log::Warn("the keys of tables could not be checked; they are checked again with the next start",
              {{"error", std::string(all.status().message())}});
    return;
  }
  for (size_t i = 0; i < all->size() && i < kMostLines; ++i)
    warn_once->Warn((*all)[i].message, (*all)[i].hint);
  if (all->size() > kMostLines) {
    warn_once->Warn(absl::StrCat(all->size() - kMostLines,
                                 " more tables have a key that rows can share: `walduct doctor` "
                                 "names them"));
  }
}

void WarnOfKey(const event::TableSchema& schema, const MessageKeys& keys,
               engine::WarnOnce* warn_once) {
  if (schema.key_risk.empty() || HasMessageKey(schema, keys)) return;
  const std::string table = absl::StrCat(schema.schema, ".", schema.table);
  const KeyAdvice advice = NotUnique(table, schema.key_risk, "");
  warn_once->Warn(advice.message, advice.hint);
}

}  // namespace walduct::slot
