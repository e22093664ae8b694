// The folder that a recovery and its gate share. recovery.json is written by the recovery: how far
// its decoder has come. gate.json is written by the gate: what the restored server was given last,
// and what it waits for. Both are replaced as a whole, so that nobody reads half of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "recover/wal_name.h"
#include "recover/wal_segment.h"

namespace walduct::recover {

struct HowFar {
  // Whose slot it is, as its gate calls it (GateNotes::data_folder); empty: not known, anybody's.
  std::string server;
  uint64_t segment_bytes = kUsualSegmentBytes;
  // Of the slot on the restored server: what it has confirmed, its catalog_xmin. Invalid: there is
  // no slot yet.
  Lsn confirmed;
  std::optional<Xid> catalog_xmin;
  // Up to there the slot is not waited for.
  Lsn free_to;
  // From there on segments are cut at running-xacts records; invalid: none is.
  Lsn cut_from;
  // Up to there catalog_xmin is not waited for: a transaction that is open holds it back. Nor is a
  // cut before a commit that changes tables: the slot has not come to it, and may never.
  Lsn settled_to;
  // Where segments are cut: prunings of catalogs that the slot does not allow yet are waited for,
  // too, and lose their mark of a catalog, so that they do not end it.
  bool clear_marks = false;
  // Where segments are cut: commits that change tables are waited for, too, so that the catalog is
  // read as it was. database: the slot's, of which they are; 0: not known, any.
  bool cut_at_ddl = false;
  uint64_t database = 0;
  // Segments behind that of `confirmed` that are handed out, too, where none is cut.
  uint64_t ahead = 0;
};

// Where a segment was cut.
struct Cut {
  Lsn over;  // the slot has come over it when it has confirmed more
  Lsn end;
  std::optional<Xid> oldest_running;  // behind a running-xacts record
  std::optional<Xid> horizon;         // before a pruning
  bool ddl = false;                   // before a commit that changes tables
};

struct GateNotes {
  std::string data_folder;  // of the server that they are of
  std::string file;         // handed out last; empty: none yet
  uint64_t number = 0;      // the highest handed out
  Lsn end;                  // what has been handed out ends there
  Lsn last_record;          // begin of the last record of the highest that ends in it
  std::optional<Cut> cut;   // the last one
  // Prunings that go as far do not end the slot: it has passed one that did.
  std::optional<Xid> pruned_to;
  // The record that the highest begins and the next one ends.
  std::string head;
  Lsn head_begin;
  // Transactions from these numbers on have begun in the highest, and behind it; absent: not known.
  std::optional<Xid> begun_from, next_xid;
  // Those that have a catalog locked where the highest begins, and behind it.
  std::vector<Xid> locked_from, locked;
  // What is waited for: slot, confirmed, catalog_xmin, archive (has it not), fetch (its command
  // runs), disk (no room for a segment); empty: nothing.
  std::string waits_for, asked;
  int64_t waits_since_ms = 0;
  uint64_t fetch_ms = 0;  // what the archive's command took for the last segment
  std::string system;     // identifier of the server's cluster; empty: not known
};

class StateFolder {
 public:
  explicit StateFolder(std::string path) : path_(std::move(path)) {}
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  // NotFound, FailedPrecondition: why it cannot be read.
  absl::StatusOr<HowFar> ReadHowFar() const;
  absl::Status WriteHowFar(const HowFar& how_far) const;

  // Of the server whose data folder it is; those of another one are as if there were none.
  absl::StatusOr<GateNotes> ReadNotes(const std::string& data_folder) const;
  // Of whichever server asked last.
  absl::StatusOr<GateNotes> ReadNotes() const;
  absl::Status WriteNotes(const GateNotes& notes) const;

  // Until this object ends, against another gate. Unavailable: it has it.
  absl::Status Lock();

  // Where a segment is kept whole while parts of it are handed out.
  std::string KeptSegment(const std::string& file) const;

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace walduct::recover
