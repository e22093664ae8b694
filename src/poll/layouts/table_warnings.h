// What a start warns of about an outbox table that it polls: nothing is refused, and it goes wrong
// one day. A doctor tells the same. OK: there is nothing to be said. Pure; thread-safe.
//
// called: "public.outbox", for messages.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "poll/layouts/outbox_table.h"

namespace walduct::poll {

// outbox_ids_cached: the sequence of this column of the primary key hands ids out in blocks, which
// sessions use up side by side. cache: how many at once, as the catalog says; empty: there is no
// sequence.
absl::Status CacheWarning(absl::string_view called, absl::string_view column,
                          absl::string_view sequence, absl::string_view cache);

// outbox_order: by what rows are published does not tell the order of commits within a key.
absl::Status OrderWarning(absl::string_view called, const OutboxTable& table);

// outbox_no_index: with a position, none begins with number, the column that tells new rows.
absl::Status IndexWarning(absl::string_view called, const OutboxTable& table,
                          absl::string_view number);

// outbox_no_index: rows are marked, and no index tells those that are open.
absl::Status OpenIndexWarning(absl::string_view called, const OutboxTable& table);

// outbox_parked: so many rows of it are parked. list: the command that shows them.
absl::Status ParkedWarning(absl::string_view called, uint64_t parked, absl::string_view list);

}  // namespace walduct::poll
