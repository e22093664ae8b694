// A trigger that notifies, where transactions can be prepared: one that has notified cannot be, and
// what its application does fails there.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "poll/layouts/outbox_table.h"

namespace walduct::poll {

// Adds outbox_notify_prepared, where the table has one. called: "public.outbox", for messages.
absl::Status WarnOfNotifyTrigger(postgres::Connection& connection, absl::string_view called,
                                 const OutboxTable& table, std::vector<absl::Status>* warnings);

// prepared: how many there are of this database now; setting: how many the server takes.
absl::Status NotifyWarning(absl::string_view called, absl::string_view relation,
                           absl::string_view trigger, absl::string_view setting,
                           absl::string_view prepared);

}  // namespace walduct::poll
