// Whether partitions of an outbox table that is polled could be dropped.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "poll/layouts/outbox_table.h"

namespace walduct::poll {

// called: "public.outbox", for messages. FailedPrecondition:
//   outbox_not_partitioned  it has none
//   permission_denied       only its owner may drop them
absl::Status CheckPartitioned(postgres::Connection& connection, absl::string_view called,
                              const OutboxTable& table);

}  // namespace walduct::poll
