// The record of a commit (xl_xact_commit): whose it is, and whether it changes what catalogs say of
// tables that were there before it. Pure. PostgreSQL 16 to 18.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::recover {

struct CommitRecord {
  uint32_t database = 0;
  std::vector<Xid> subtransactions;
  Xid prepared{};  // the transaction that was prepared before; 0: none
  // What a catalog says of a row's table is another thing behind it: columns, defaults, keys,
  // partitions, types. Not so where a table is made, or a temporary one dropped; nor TRUNCATE and
  // ANALYZE. It errs on one side alone: a view is taken for a table, and so is a temporary table
  // that gets an index or a column later.
  bool alters = false;
  bool of_catalogs = false;  // of one of them, too, as VACUUM FULL and ANALYZE of it are
};

// data: of the record; has_info: by its header (XLOG_XACT_HAS_INFO). One that cannot be read
// alters. That of an abort (xl_xact_abort) has the same parts in the same order, but no messages.
CommitRecord ReadCommit(absl::string_view data, bool has_info, int major);

// What the server calls a row of a catalog in the messages of a commit: the hash of its key. Of
// pg_index by its index; of pg_attribute by its table and its number.
uint32_t HashOfIndex(uint32_t relation);
uint32_t HashOfAttribute(uint32_t relation, int16_t number);

}  // namespace walduct::recover
