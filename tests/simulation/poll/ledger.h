// Ledger: what docs/outbox.md promises of a table that is polled, and what came of it. Checked at
// each step:
//
//   a row is marked, deleted or behind a stored position only once the target has acknowledged it
//   a row arrives only if its transaction was committed
//   a row arrives again only after something has ended meanwhile, and never once it is marked
//   a row arrives after all of its key that come before it, but for parked ones that let it pass
//   an attempt is counted only if the row was refused
//
// and at the end: every row has arrived and is done, or cannot be published, or waits behind one of
// its key that cannot; of each key the last row came last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace walduct::poll_simulation {

struct World;
struct Row;

class Ledger {
 public:
  explicit Ledger(World* world) : world_(*world) {}

  void OnArrived(size_t serial);
  void OnAcknowledged(size_t serial) { Of(serial).acknowledged = true; }
  void OnRefused(size_t serial) { ++Of(serial).refused; }
  void OnDone(const Row& row);
  void OnNoted(const Row& row);
  void OnSaved(const std::string& position);
  void OnLost(const Row& row);
  // A session, a process or the server has ended.
  void OnIncident() { ++incidents_; }

  void Break(const std::string& why);
  const std::string& broken() const { return broken_; }
  bool complete();
  // Once all workers have ended.
  void CheckEnd();
  size_t arrivals() const { return arrivals_; }
  size_t repeats() const { return repeats_; }

 private:
  struct Account {
    size_t arrivals = 0, refused = 0, noted = 0;
    size_t last_arrival = 0;  // of all
    uint64_t incidents = 0;   // at that
    bool acknowledged = false;
  };
  Account& Of(size_t serial) {
    if (accounts_.size() <= serial) accounts_.resize(serial + 1);
    return accounts_[serial];
  }
  bool IsDone(const Row& row) const;
  bool IsCovered(const Row& row) const;
  // It cannot be published, or waits for one that cannot.
  bool MayStay(const Row& row) const;
  void CheckOrder(const Row& row);

  World& world_;
  std::vector<Account> accounts_;
  std::string broken_;
  std::string seen_, window_;  // of the stored position
  int64_t last_ = 0;
  uint64_t incidents_ = 0;
  size_t arrivals_ = 0, repeats_ = 0;
};

}  // namespace walduct::poll_simulation
