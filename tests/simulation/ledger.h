// Ledger: what the database has committed, what of it has reached the topics, what was
// acknowledged, stored and confirmed; and the promises between them, checked at every step.
//
//   confirmed to the server ≤ stored ≤ acknowledged to the engine ≤ in the topics
//   of each key: in the order of the commits; what is repeated is repeated from one place on;
//   nothing is left out; the last record is the last change
//
// A broken promise is kept as text, the first one only: the run goes on to its end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"
#include "event/position.h"
#include "event/record.h"
#include "tests/simulation/database.h"

namespace walduct::simulation {

class Ledger {
 public:
  explicit Ledger(const Database& database);

  // Which partition of all topics a change's key belongs to.
  size_t PartitionOf(size_t change, size_t partitions) const;
  // The change a record is about; it must be one the database has made. kNone: a heartbeat.
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t ChangeOf(const event::Record& record);

  // A record has reached its topic.
  void OnArrived(size_t change, bool tombstone);
  // The engine was told so.
  void OnAcknowledged(size_t change, bool tombstone);
  void OnStored(const event::Position& position);
  void OnConfirmed(Lsn flushed);

  // Everything that was committed has arrived, is stored and confirmed.
  bool complete() const;
  // At the end, when nothing more is to come.
  void CheckTopics();

  void Break(std::string what);
  const std::string& broken() const { return broken_; }

 private:
  using Arrivals = std::vector<std::pair<size_t, bool>>;  // change, whether its tombstone

  void CheckKey(const std::vector<size_t>& changes, const Arrivals& arrivals);
  // Changes at or before the position, counted from the first.
  size_t ChangesBehind(const event::Position& position) const;

  struct Entry {
    Change change;
    bool acknowledged = false;
    bool tombstone = true;  // acknowledged, or there is none
  };
  using Place = std::tuple<size_t, size_t, uint64_t>;  // table, key, LSN
  const Database& database_;
  std::vector<Entry> entries_;                                       // in commit order
  std::map<Place, size_t> by_place_;                                 // into entries_
  std::map<std::pair<size_t, size_t>, std::vector<size_t>> of_key_;  // its changes, in order
  std::map<std::pair<size_t, size_t>, Arrivals> topics_;
  size_t last_delete_ = 0;
  size_t acknowledged_ = 0;  // so many from the first
  Lsn stored_, confirmed_;
  std::string broken_;
};

}  // namespace walduct::simulation
