#include "incremental/chunks/transaction_view.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"

namespace walduct::incremental {

// "xmin:xmax:xid,xid"
absl::Status ReadView(postgres::Connection& connection, TransactionView* view) {
  const bool has_snapshot = connection.server_version() >= 130000;
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::OneRow(1),
                                    has_snapshot ? "SELECT pg_catalog.pg_current_snapshot()"
                                                 : "SELECT pg_catalog.txid_current_snapshot()"));
  const std::vector<absl::string_view> parts = absl::StrSplit(result.Get(0, 0), ':');
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[1], &view->next_xid)) return absl::OkStatus();
  for (const absl::string_view text : absl::StrSplit(parts[2], ',', absl::SkipEmpty())) {
    uint64_t xid = 0;
    if (absl::SimpleAtoi(text, &xid)) view->running.push_back(xid);
  }
  return absl::OkStatus();
}

absl::string_view HintOfHeld(const TransactionView& view) {
  if (view.HiddenHeld() == 0 || !view.held.unknown)
    return "see whether a synchronous standby holds up commits";
  return "see whether a synchronous standby holds up commits; with GRANT pg_read_all_stats to the "
         "connector's role, transactions that are only open are not waited for";
}

}  // namespace walduct::incremental
