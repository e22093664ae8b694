// Ledger: what the database has committed, what of it has reached the topics, what was
// acknowledged, stored and confirmed; and the promises between them, checked at every step.
//
//   confirmed to the server ≤ stored ≤ acknowledged to the engine ≤ in the topics
//   the stored position never goes back, unless a new snapshot begins or another history
//   of each key: in the order of the commits; what is repeated is repeated from one place on;
//   nothing is left out; the last record is the last change, whoever wrote it
//   a row of a chunk is what its topic told last; a table that was asked for comes
//   exactly once: nothing is repeated, and a snapshot appears once and whole
//
// A change of a history that was given up in a failover is not expected, and not counted when it
// had arrived before. A broken promise is kept as text, the first one only: the run goes on to its
// end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "event/record.h"
#include "offset/stored_offset.h"
#include "tests/simulation/database.h"

namespace walduct::simulation {

class Ledger {
 public:
  // exactly_once: nothing is repeated, either.
  Ledger(const Database& database, bool exactly_once);

  // What a record is about.
  enum class Kind : uint8_t { kRow, kDelete, kTombstone, kRead, kChunk, kNone };
  struct About {
    Kind kind = Kind::kNone;  // none: a heartbeat
    size_t change = 0;
    size_t table = 0, key = 0;
  };
  // It must be about a change that the database has made. last_delete: of the same writer.
  About Of(const event::Record& record, size_t* last_delete);
  static size_t PartitionOf(const About& about, size_t partitions) {
    return about.table * partitions + about.key % partitions;
  }

  // A record has reached its topic; the engine was told so.
  void OnArrived(const About& about);
  void OnAcknowledged(const About& about);
  void OnStored(const offset::StoredOffset& offset);
  void OnConfirmed(Lsn flushed);

  // The stream begins anew at a place. exact: rows that were there before have to be read.
  void OnStreamBegins(Lsn at, bool exact);
  // All its rows were acknowledged.
  void OnSnapshotDone(Lsn seen);
  // The database has another history.
  void OnFailOver(Lsn fork, Lsn slot);
  // The rows that somebody sees who sees everything before `seen`.
  std::vector<const Change*> RowsAt(Lsn seen, size_t table) const;

  // Rows of the table are to come again; the request ends there. What was asked for before a stop
  // need not come.
  void OnAsked(size_t table, Lsn end);
  void OnStop() { asked_.clear(); }
  // What was asked for has come.
  bool answered() const;

  // Everything that was committed has arrived, is stored and confirmed.
  bool complete() const;
  size_t acknowledged() const { return acknowledged_; }  // changes, from the first
  // At the end, when nothing more is to come.
  void CheckTopics();

  void Break(std::string what);
  const std::string& broken() const { return broken_; }

 private:
  struct Entry {
    Change change;
    Lsn end;  // of its transaction
    std::set<Kind> due;
    bool vanished = false;
  };
  // In a topic: a record; with kNone that the stream begins anew, or that a snapshot is delivered.
  struct Arrival {
    Kind kind = Kind::kNone;
    size_t change = 0;
    Lsn at = {};
    bool begins = false, exact = false;
    bool whole = false;  // a snapshot has seen it, and the stream repeats nothing of it
  };
  using Key = std::pair<size_t, size_t>;                  // table, key
  using Expected = std::vector<std::pair<size_t, Kind>>;  // change and what of it

  void Mark(const Arrival& mark);
  void Learn();
  void Count();
  std::optional<size_t> Find(const std::string& value) const;
  void CheckKey(const Key& key, const Expected& expected);
  size_t PlacesBefore(const Expected& expected, Lsn at) const;
  void CheckChunkRow(const Key& key, const Arrival& arrival, size_t place, size_t told);
  std::string Topic(const Key& key) const;
  std::string Describe(size_t change) const;
  size_t ChangesBehind(const event::Position& position) const;

  const Database& database_;
  const bool exactly_once_;
  std::vector<Entry> entries_;  // of all histories
  std::vector<size_t> order_;   // of the present one
  std::map<std::string, size_t> by_value_;
  std::map<std::pair<Key, uint64_t>, size_t> by_place_;
  std::map<Key, std::vector<Arrival>> topics_;
  struct Asked {
    size_t table = 0;
    Lsn end;
    std::array<size_t, kKeys> before{};  // so many records of the key were there
  };
  std::vector<Asked> asked_;
  size_t acknowledged_ = 0;
  Lsn stored_, confirmed_, begin_;
  bool exact_ = true;  // of begin_
  std::string broken_;
};

}  // namespace walduct::simulation
