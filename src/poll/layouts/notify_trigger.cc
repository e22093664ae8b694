#include "poll/layouts/notify_trigger.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::poll {
namespace {

// By the text of its function, as channels are found.
constexpr absl::string_view kNotifying = R"(
SELECT pg_catalog.quote_ident(t.tgname), pg_catalog.current_setting('max_prepared_transactions'),
       (SELECT count(*) FROM pg_catalog.pg_prepared_xacts x WHERE x.database = pg_catalog.current_database())
FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid
WHERE t.tgrelid = $1::pg_catalog.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D'
  AND p.prosrc ~* '\mpg_notify\s*\(|\mnotify\s+\S+\s*[;,'']'
  AND pg_catalog.current_setting('max_prepared_transactions')::integer > 0
ORDER BY t.tgname LIMIT 1)";

}  // namespace

absl::Status NotifyWarning(absl::string_view called, absl::string_view relation,
                           absl::string_view trigger, absl::string_view setting,
                           absl::string_view prepared) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "outbox_notify_prepared",
      absl::StrCat("trigger ", trigger, " of outbox table ", called,
                   " notifies, and the server takes prepared transactions "
                   "(max_prepared_transactions=",
                   setting, ", ", prepared,
                   " now): a transaction that has written to the table cannot be prepared"),
      absl::StrCat("DROP TRIGGER ", trigger, " ON ", relation,
                   " where the table is written to in such transactions (XA): new rows are then "
                   "found within walduct.outbox.poll.interval.ms"));
}

absl::Status WarnOfNotifyTrigger(postgres::Connection& connection, absl::string_view called,
                                 const OutboxTable& table, std::vector<absl::Status>* warnings) {
  ASSIGN_OR_RETURN(const auto found, connection.Query(postgres::Rows(3), std::string(kNotifying),
                                                      {absl::StrCat(ToInteger(table.relation))}));
  if (found.rows() > 0)
    warnings->push_back(
        NotifyWarning(called, table.name, found.Get(0, 0), found.Get(0, 1), found.Get(0, 2)));
  return absl::OkStatus();
}

}  // namespace walduct::poll
