#include "tests/simulation/ledger.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace walduct::simulation {
namespace {

// The number behind the first mention of name in a JSON text; absent: none.
std::optional<uint64_t> NumberAfter(absl::string_view json, absl::string_view name) {
  const size_t at = json.find(name);
  if (at == absl::string_view::npos) return std::nullopt;
  json.remove_prefix(at + name.size());
  const size_t end = json.find_first_not_of("0123456789");
  uint64_t number = 0;
  if (!absl::SimpleAtoi(json.substr(0, end), &number)) return std::nullopt;
  return number;
}

std::string Describe(const Change& change) {
  return absl::StrCat("change ", change.ordinal, " of transaction ", change.transaction, " (key ",
                      change.key, " of ", Database::TableName(change.table), ")");
}

}  // namespace

Ledger::Ledger(const Database& database) : database_(database) {
  for (const Transaction& transaction : database.transactions()) {
    for (const Change& change : transaction.changes) {
      by_place_[{change.table, change.key, change.lsn}] = entries_.size();
      of_key_[{change.table, change.key}].push_back(entries_.size());
      entries_.push_back({.change = change, .tombstone = change.verb != Verb::kDelete});
    }
  }
}

size_t Ledger::ChangeOf(const event::Record& record) {
  if (absl::StartsWith(record.topic, "__debezium-heartbeat")) return kNone;
  const size_t table = absl::EndsWith(record.topic, Database::TableName(0)) ? 0 : 1;
  const auto key = NumberAfter(record.key.value_or(""), "\"id\":");
  // A tombstone says nothing of its own; it is written behind its delete.
  if (!record.value) return last_delete_;
  const auto lsn = NumberAfter(*record.value, "\"lsn\":");
  const auto found = by_place_.find({table, key.value_or(kKeys), lsn.value_or(0)});
  if (found == by_place_.end()) {
    Break(absl::StrCat("a record of no change: ", *record.value));
    return 0;
  }
  const Change& change = entries_[found->second].change;
  const std::string value =
      absl::StrCat("\"v\":\"t", change.transaction, "c", change.ordinal, "\"");
  if (change.verb != Verb::kDelete && !absl::StrContains(*record.value, value))
    Break(absl::StrCat("another value than that of ", Describe(change), ": ", *record.value));
  if (change.verb == Verb::kDelete) last_delete_ = found->second;
  return found->second;
}

size_t Ledger::PartitionOf(size_t change, size_t partitions) const {
  if (change == kNone) return 0;
  const Change& about = entries_[change].change;
  return about.table * partitions + about.key % partitions;
}

void Ledger::OnArrived(size_t change, bool tombstone) {
  if (change == kNone) return;
  const Change& arrived = entries_[change].change;
  topics_[{arrived.table, arrived.key}].emplace_back(change, tombstone);
}

void Ledger::OnAcknowledged(size_t change, bool tombstone) {
  if (change == kNone) return;
  (tombstone ? entries_[change].tombstone : entries_[change].acknowledged) = true;
  while (acknowledged_ < entries_.size() && entries_[acknowledged_].acknowledged &&
         entries_[acknowledged_].tombstone) {
    ++acknowledged_;
  }
}

size_t Ledger::ChangesBehind(const event::Position& position) const {
  size_t count = 0;
  for (const Transaction& transaction : database_.transactions()) {
    if (Lsn(transaction.end_lsn) <= position.commit_end) {
      count += transaction.changes.size();
      continue;
    }
    return position.transaction_final_lsn == Lsn(transaction.final_lsn) ? count + position.ordinal
                                                                        : count;
  }
  return count;
}

void Ledger::OnStored(const event::Position& position) {
  if (position.commit_end < stored_)
    Break(absl::StrCat("the stored position went back to ", position.commit_end.ToString()));
  stored_ = position.commit_end;
  const size_t behind = ChangesBehind(position);
  if (behind > acknowledged_) {
    Break(absl::StrCat("stored ", position.commit_end.ToString(), " + ", position.ordinal,
                       " before ", Describe(entries_[acknowledged_].change), " was acknowledged"));
  }
}

void Ledger::OnConfirmed(Lsn flushed) {
  if (flushed > stored_ && flushed.value() > Database::kSlotCreated) {
    Break(absl::StrCat("confirmed ", flushed.ToString(), " with ", stored_.ToString(), " stored"));
  }
  if (flushed < confirmed_) Break("what was confirmed went back");
  confirmed_ = std::max(confirmed_, flushed);
}

bool Ledger::complete() const {
  const Lsn end(database_.transactions().back().end_lsn);
  return acknowledged_ == entries_.size() && stored_ >= end && confirmed_ >= end;
}

void Ledger::CheckTopics() {
  for (const auto& [key, changes] : of_key_) CheckKey(changes, topics_[key]);
}

void Ledger::CheckKey(const std::vector<size_t>& changes, const Arrivals& arrivals) {
  size_t next = 0;             // place in changes
  bool tombstone_due = false;  // a restart may begin at its delete again
  for (const auto& [change, tombstone] : arrivals) {
    const Change& about = entries_[change].change;
    if (tombstone) {
      if (!tombstone_due) Break(absl::StrCat("a tombstone without ", Describe(about)));
      tombstone_due = false;
      continue;
    }
    const auto place =
        static_cast<size_t>(std::find(changes.begin(), changes.end(), change) - changes.begin());
    if (place > next || (place == next && tombstone_due)) {
      Break(absl::StrCat(Describe(about), " came too early in its topic"));
    }
    next = place + 1;
    tombstone_due = about.verb == Verb::kDelete;
  }
  if (next != changes.size() || tombstone_due) {
    Break(absl::StrCat("the topic does not end with ", Describe(entries_[changes.back()].change)));
  }
}

void Ledger::Break(std::string what) {
  if (broken_.empty()) broken_ = std::move(what);
}

}  // namespace walduct::simulation
