// What a WAL segment says of itself, as far as a gate must know it: where its records end, which of
// them list the transactions that run (running-xacts records), and which change catalogs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "recover/ddl_watch.h"

namespace walduct::recover {

// Of the first page.
struct SegmentHeader {
  int major = 0;  // of the PostgreSQL that wrote it
  uint32_t timeline = 0;
  Lsn begin;
  uint32_t segment_bytes = 0;
  uint32_t page_bytes = 0;
};

// DataLoss: no segment, as far as can be seen. Unimplemented: of a PostgreSQL whose WAL is not
// known here.
absl::StatusOr<SegmentHeader> ReadSegmentHeader(absl::string_view segment);

// A record of the resource manager Standby that says which transactions run.
struct RunningXacts {
  Lsn begin, end;  // end: where the next record may begin
  Xid oldest_running{};
};

// A record that removes rows of a catalog, or their entries in an index, which is why it ends slots
// of a standby whose catalog_xmin is not over `horizon`.
struct CatalogPruning {
  struct Edit {
    uint32_t at;  // in the segment
    char to;
  };

  Lsn begin;                // where the record before it ends
  Xid horizon{};            // all transactions up to that one had ended
  std::vector<Edit> edits;  // what takes its mark of a catalog away; empty: it must keep it
};

struct SegmentRecords {
  std::vector<RunningXacts> running;
  std::vector<CatalogPruning> prunings;  // those that are whole in this segment
  std::vector<DdlCommit> ddl;
  // Transactions from that number on have no record up to the end of this segment; absent: not
  // known.
  std::optional<Xid> next_xid;
  std::vector<Xid> lock_catalogs;  // transactions that have a catalog locked at its end
  // Where the server that wrote this was promoted: up to there it is another timeline's, too.
  // Invalid: nowhere in this segment.
  Lsn promoted;
  // Of the last record that ends in this segment; invalid: none does.
  Lsn last_begin, last_end;
  // The record that goes on in the next segment, as far as it is here; empty: none.
  std::string head;
  Lsn head_begin;
  // Why reading stopped before the end; empty: at the end, or where a server has written no
  // further.
  std::string stopped;
};

// head: the record that the segment before has begun, as read from it; empty: not known, what
// the segment begins with is skipped. begun_from, lock_catalogs: next_xid and
// lock_catalogs of the segment before.
SegmentRecords ReadRecords(const SegmentHeader& header, absl::string_view segment,
                           absl::string_view head, Lsn head_begin,
                           std::optional<Xid> begun_from = std::nullopt,
                           const std::vector<Xid>& lock_catalogs = {});

}  // namespace walduct::recover
