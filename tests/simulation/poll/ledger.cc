#include "tests/simulation/poll/ledger.h"

#include <algorithm>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "offset/stored_offset.h"
#include "poll/position/table_position.h"
#include "tests/simulation/poll/statements.h"
#include "tests/simulation/poll/world.h"

namespace walduct::poll_simulation {
namespace {

std::string Named(const Row& row) {
  return absl::StrCat("row ", row.serial, " (id ", row.id, ", key ", row.key, ", transaction ",
                      row.xact, ")");
}

}  // namespace

void Ledger::Break(const std::string& why) {
  if (!broken_.empty()) return;
  broken_ = why;
  world_.Note("BROKEN: ", why);
}

bool Ledger::IsCovered(const Row& row) const {
  if (seen_.empty()) return false;
  return IsVisible(seen_, row.xact) ||
         (!window_.empty() && IsVisible(window_, row.xact) && row.id <= last_);
}

bool Ledger::IsDone(const Row& row) const {
  if (world_.policy.done == Done::kPosition) return IsCovered(row);
  return row.life == Row::Life::kRemoved || !world_.server.statements().IsOpen(row);
}

void Ledger::OnArrived(size_t serial) {
  const Row& row = world_.server.row(serial);
  Account& account = Of(serial);
  ++arrivals_;
  world_.Note("arrived: ", Named(row));
  if (row.life == Row::Life::kRunning) Break(Named(row) + " arrived and is not committed");
  if (row.life == Row::Life::kRemoved || (row.life == Row::Life::kThere && IsDone(row)))
    Break(Named(row) + " arrived and was done before");
  if (account.arrivals > 0) {
    ++repeats_;
    if (account.incidents == incidents_) Break(Named(row) + " arrived again for no reason");
  }
  ++account.arrivals;
  account.incidents = incidents_;
  account.last_arrival = arrivals_;
  if (!world_.policy.free_writers) CheckOrder(row);
}

void Ledger::CheckOrder(const Row& row) {
  for (const Row& other : world_.server.rows()) {
    if (other.key != row.key || other.id >= row.id || other.life != Row::Life::kThere) continue;
    if (Of(other.serial).arrivals > 0) continue;
    if (other.was_parked && !world_.policy.parked_holds) continue;
    Break(absl::StrCat(Named(row), " arrived before ", Named(other)));
  }
}

void Ledger::OnDone(const Row& row) {
  if (!Of(row.serial).acknowledged) Break(Named(row) + " is marked and was not acknowledged");
}

void Ledger::OnNoted(const Row& row) {
  Account& account = Of(row.serial);
  if (++account.noted > account.refused)
    Break(Named(row) + " has more attempts than it was refused");
}

void Ledger::OnSaved(const std::string& position) {
  const auto stored = offset::DecodeOffset(position);
  CHECK(stored.ok());
  const auto tables =
      poll::DecodePositions(event::FindMember(stored->members, event::kOutboxMember));
  CHECK(tables.ok() && tables->size() == 1);
  const poll::TablePosition& at = tables->begin()->second;
  seen_ = at.seen;
  window_ = at.window;
  last_ = 0;
  CHECK(window_.empty() || absl::SimpleAtoi(at.last, &last_));
  world_.Note("stored: ", seen_, " ", window_, " ", at.last);
  for (const Row& row : world_.server.rows()) {
    if (row.life == Row::Life::kGone || !IsCovered(row)) continue;
    if (row.life == Row::Life::kRunning)
      Break(Named(row) + " is not committed, and behind the position");
    if (!Of(row.serial).acknowledged)
      Break(Named(row) + " is behind the position and was not acknowledged");
  }
}

// With a position what is published is flushed: its number stands for nothing else.
void Ledger::OnLost(const Row& row) {
  world_.Note("lost: ", Named(row));
  if (world_.policy.done == Done::kPosition && Of(row.serial).arrivals > 0)
    Break(Named(row) + " was published before it was flushed");
}

bool Ledger::MayStay(const Row& row) const {
  const auto cannot = [this](const Row& one) {
    return one.life == Row::Life::kThere && one.refusals > 0 &&
           world_.server.statements().IsParked(one);
  };
  if (cannot(row)) return true;
  const std::vector<Row>& rows = world_.server.rows();
  return world_.policy.parked_holds &&
         std::any_of(rows.begin(), rows.end(), [&](const Row& before) {
           return before.key == row.key && before.id < row.id && cannot(before);
         });
}

bool Ledger::complete() {
  if (!world_.server.quiet()) return false;
  const std::vector<Row>& rows = world_.server.rows();
  return std::all_of(rows.begin(), rows.end(), [this](const Row& row) {
    if (row.life == Row::Life::kGone) return true;
    return (Of(row.serial).arrivals > 0 && IsDone(row)) || MayStay(row);
  });
}

void Ledger::CheckEnd() {
  if (!complete()) Break("not everything was published and marked");
  if (world_.policy.free_writers) return;
  std::map<size_t, const Row*> last;  // by key
  for (const Row& row : world_.server.rows()) {
    if (row.life == Row::Life::kGone || Of(row.serial).arrivals == 0) continue;
    if (row.was_parked && !world_.policy.parked_holds) continue;
    const Row*& of_key = last[row.key];
    if (of_key == nullptr || of_key->id < row.id) of_key = &row;
  }
  for (const Row& row : world_.server.rows()) {
    if (row.life == Row::Life::kGone || Of(row.serial).arrivals == 0) continue;
    if (row.was_parked && !world_.policy.parked_holds) continue;
    if (Of(row.serial).last_arrival > Of(last[row.key]->serial).last_arrival)
      Break(absl::StrCat(Named(row), " came after ", Named(*last[row.key])));
  }
}

}  // namespace walduct::poll_simulation
