#include "poll/layouts/table_warnings.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "postgres/connection.h"

namespace walduct::poll {

absl::Status CacheWarning(absl::string_view called, absl::string_view column,
                          absl::string_view sequence, absl::string_view cache) {
  int64_t cached = 0;
  if (!absl::SimpleAtoi(cache, &cached) || cached <= 1) return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "outbox_ids_cached",
      absl::StrCat("ids of outbox table ", called, " (", column, ") are handed out in blocks of ",
                   cached, ": they do not tell the order of a key"),
      absl::StrCat("ALTER SEQUENCE ", sequence, " CACHE 1"));
}

// A time is that of the start of its transaction, and a uuid is none.
absl::Status OrderWarning(absl::string_view called, const OutboxTable& table) {
  if (table.layout.key.empty()) return absl::OkStatus();
  std::string order = table.key_names.front();
  bool integer = absl::StrContains(table.key_types.front(), "int");
  for (const LayoutColumn& column : table.columns) {
    if (table.layout.order != absl::StrCat("{", Folded(column.name), "}")) continue;
    order = postgres::QuoteIdentifier(column.name);
    integer =
        absl::StrContains(column.type, "int") && absl::c_linear_search(table.key_names, order);
  }
  if (integer) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_order",
               absl::StrCat("rows of outbox table ", called, " are ordered by ", order,
                            ", a column that is no integer of its primary key: it does not tell "
                            "the order of commits"),
               "a primary key id bigint GENERATED ALWAYS AS IDENTITY; or "
               "walduct.outbox.source=slot");
}

absl::Status IndexWarning(absl::string_view called, const OutboxTable& table,
                          absl::string_view number) {
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_no_index",
               absl::StrCat("outbox table ", called,
                            " has no index by which new rows are found: each look reads all of it"),
               absl::StrCat("CREATE INDEX ON ", table.name, " (", number, ")"));
}

absl::Status OpenIndexWarning(absl::string_view called, const OutboxTable& table) {
  const std::string order = Qualify(table.layout.order, "", table.columns);
  return Error(
      absl::StatusCode::kFailedPrecondition, "outbox_no_index",
      absl::StrCat("outbox table ", called,
                   " has no index by which open rows are found: each look reads all of it"),
      absl::StrCat("CREATE INDEX ON ", table.name, " (",
                   order.empty() ? table.key_names.front() : order, ") WHERE ",
                   Qualify(table.layout.open, "", table.columns)));
}

absl::Status ParkedWarning(absl::string_view called, uint64_t parked, absl::string_view list) {
  if (parked == 0) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_parked",
               absl::StrCat("rows of outbox table ", called,
                            " are parked: not published, and tried no more: ", parked),
               list);
}

}  // namespace walduct::poll
