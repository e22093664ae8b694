// SQL that drops partitions of outbox tables that are polled: those of a time that is past, of
// which every row is published. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "poll/layouts/outbox_table.h"

namespace walduct::poll {

struct Partition {
  std::string oid, name;  // "schema"."table"
};

// Answers OID and name of each partition whose upper bound, a time, is older than that.
std::string PastPartitionsSql(const OutboxTable& table, absl::Duration retention);

// Drops it, unless it has a row that is not published: looked for behind a lock that keeps its
// writers out. seen: with a position, the snapshot up to which rows are. One statement; waits
// 100 ms for a lock at most, and changes nothing else.
std::string DropSql(const OutboxTable& table, const Partition& partition, absl::string_view seen);

// Answers whether it is there.
std::string IsThereSql(const Partition& partition);

}  // namespace walduct::poll
