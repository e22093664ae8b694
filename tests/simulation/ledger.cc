#include "tests/simulation/ledger.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace walduct::simulation {
namespace {

// What stands behind the last mention of name in a JSON text, up to a comma, quote or brace.
std::string After(absl::string_view json, absl::string_view name) {
  const size_t at = json.rfind(name);
  if (at == absl::string_view::npos) return "";
  json.remove_prefix(at + name.size());
  return std::string(json.substr(0, json.find_first_of(",\"}")));
}

uint64_t NumberAfter(absl::string_view json, absl::string_view name) {
  uint64_t number = 0;
  return absl::SimpleAtoi(After(json, name), &number) ? number : 0;
}

}  // namespace

Ledger::Ledger(const Database& database, bool exactly_once)
    : database_(database), exactly_once_(exactly_once) {
  Learn();
}

// What the database has that was not known.
void Ledger::Learn() {
  order_.clear();
  for (const Transaction& transaction : database_.transactions()) {
    for (const Change& change : transaction.changes) {
      const auto [known, fresh] = by_value_.emplace(Database::Value(change), entries_.size());
      order_.push_back(known->second);
      if (!fresh) continue;
      Entry entry{.change = change, .end = Lsn(transaction.end_lsn), .due = {}};
      if (change.verb != Verb::kDelete) entry.due.insert(Kind::kRow);
      if (change.verb == Verb::kDelete || change.verb == Verb::kMove) {
        entry.due.insert({Kind::kDelete, Kind::kTombstone});
        const size_t key = change.verb == Verb::kMove ? change.from : change.key;
        by_place_[{{change.table, key}, change.lsn}] = entries_.size();
      }
      entries_.push_back(std::move(entry));
    }
  }
}

std::string Ledger::Describe(size_t change) const {
  const Change& of = entries_[change].change;
  return absl::StrCat(Database::Value(of), " (", Database::TableName(of.table), " ", of.key, ", ",
                      Lsn(of.lsn).ToString(), entries_[change].vanished ? ", given up)" : ")");
}

Ledger::About Ledger::Of(const event::Record& record, size_t* last_delete) {
  if (absl::StartsWith(record.topic, "__debezium-heartbeat") ||
      absl::EndsWith(record.topic, Database::Relation(kTables).table))
    return {};
  About about;
  about.table = absl::EndsWith(record.topic, Database::TableName(0)) ? 0 : 1;
  about.key = NumberAfter(record.key.value_or(""), "\"id\":");
  if (!record.value) {
    // It says nothing of its own; it is written behind its delete.
    about.kind = Kind::kTombstone;
    about.change = *last_delete;
    return about;
  }
  const std::string op = After(*record.value, "\"op\":\"");
  about.kind = op == "d" ? Kind::kDelete : op == "r" ? Kind::kRead : Kind::kRow;
  if (about.kind == Kind::kRead && After(*record.value, "\"snapshot\":\"") == "incremental")
    about.kind = Kind::kChunk;
  if (about.kind == Kind::kDelete) {
    const auto found =
        by_place_.find({{about.table, about.key}, NumberAfter(*record.value, "\"lsn\":")});
    if (found != by_place_.end()) {
      about.change = *last_delete = found->second;
      return about;
    }
  } else if (const auto found = by_value_.find(After(*record.value, "\"v\":\""));
             found != by_value_.end()) {
    const Change& change = entries_[found->second].change;
    about.change = found->second;
    if (change.table == about.table && change.key == about.key) return about;
  }
  Break(absl::StrCat("a record of no change: ", *record.value));
  about.kind = Kind::kNone;
  return about;
}

void Ledger::OnArrived(const About& about) {
  if (about.kind != Kind::kNone)
    topics_[{about.table, about.key}].push_back({.kind = about.kind, .change = about.change});
}

void Ledger::OnAcknowledged(const About& about) {
  if (about.kind == Kind::kNone || about.kind == Kind::kRead || about.kind == Kind::kChunk) return;
  entries_[about.change].due.erase(about.kind);
  Count();
}

void Ledger::Count() {
  while (acknowledged_ < order_.size() && entries_[order_[acknowledged_]].due.empty())
    ++acknowledged_;
}

size_t Ledger::ChangesBehind(const event::Position& position) const {
  size_t count = 0;
  for (const Transaction& transaction : database_.transactions()) {
    if (Lsn(transaction.end_lsn) <= position.commit_end) {
      count += transaction.changes.size();
      continue;
    }
    return position.transaction_final_lsn == Lsn(transaction.final_lsn) && !transaction.signal
               ? count + position.ordinal
               : count;
  }
  return count;
}

void Ledger::OnStored(const offset::StoredOffset& offset) {
  const event::Position& position = offset.position;
  // Of a history that was given up: it is judged at the next start.
  if (offset.timeline && *offset.timeline != database_.timeline()) {
    const auto fork = replication::EndOfTimeline(database_.timelines(), *offset.timeline);
    if (!fork || position.commit_end > *fork) return;
  }
  if (position.snapshot == event::SnapshotPhase::kRunning) {
    stored_ = Lsn();
    return;
  }
  if (position.commit_end < stored_)
    Break(absl::StrCat("the stored position went back to ", position.commit_end.ToString()));
  stored_ = position.commit_end;
  if (ChangesBehind(position) > acknowledged_) {
    Break(absl::StrCat("stored ", position.commit_end.ToString(), " + ", position.ordinal,
                       " before ", Describe(order_[acknowledged_]), " was acknowledged"));
  }
}

void Ledger::OnConfirmed(Lsn flushed) {
  if (flushed > std::max(stored_, begin_))
    Break(absl::StrCat("confirmed ", flushed.ToString(), " with ", stored_.ToString(), " stored"));
  confirmed_ = std::max(confirmed_, flushed);
}

void Ledger::OnStreamBegins(Lsn at, bool exact) {
  Mark({.at = at, .begins = true, .exact = exact});
  asked_.clear();
  begin_ = at;
  exact_ = exact;
  confirmed_ = Lsn();
  if (!exact) OnSnapshotDone(at);
}

void Ledger::Mark(const Arrival& mark) {
  for (size_t table = 0; table < kTables; ++table) {
    for (size_t key = 0; key < kKeys; ++key) topics_[{table, key}].push_back(mark);
  }
}

void Ledger::OnSnapshotDone(Lsn seen) {
  Mark({.at = seen});
  Mark({.at = std::min(seen, begin_), .whole = true});
  // Rows that were read before the stream was moved have arrived behind its mark.
  if (seen < begin_ && !exact_) Mark({.at = begin_, .begins = true});
  for (const size_t entry : order_) {
    if (entries_[entry].end <= seen) entries_[entry].due.clear();
  }
  Count();
}

void Ledger::OnFailOver(Lsn fork, Lsn slot) {
  for (Entry& entry : entries_) entry.vanished = true;
  Learn();
  for (const size_t entry : order_) entries_[entry].vanished = false;
  acknowledged_ = 0;
  Count();
  // What was read or begun beyond it says nothing of what is written there now.
  for (auto& [key, topic] : topics_) {
    for (Arrival& arrival : topic) arrival.at = std::min(arrival.at, fork);
  }
  std::erase_if(asked_, [fork](const Asked& asked) { return asked.end > fork; });
  stored_ = std::min(stored_, fork);
  confirmed_ = Lsn();
  begin_ = slot;
}

std::vector<const Change*> Ledger::RowsAt(Lsn seen, size_t table) const {
  std::vector<const Change*> rows(kKeys, nullptr);
  for (const size_t entry : order_) {
    const Change& change = entries_[entry].change;
    if (entries_[entry].end > seen || change.table != table) continue;
    if (change.verb == Verb::kMove) rows[change.from] = nullptr;
    rows[change.key] = change.verb == Verb::kDelete ? nullptr : &change;
  }
  return rows;
}

void Ledger::OnAsked(size_t table, Lsn end) {
  Asked asked{.table = table, .end = end};
  for (size_t key = 0; key < kKeys; ++key) asked.before[key] = topics_[{table, key}].size();
  asked_.push_back(asked);
}

bool Ledger::answered() const {
  return std::all_of(asked_.begin(), asked_.end(), [this](const Asked& asked) {
    for (const Change* row : RowsAt(Lsn(UINT64_MAX), asked.table)) {
      if (row == nullptr) continue;
      const size_t change = by_value_.at(Database::Value(*row));
      const std::vector<Arrival>& topic = topics_.at({asked.table, row->key});
      const auto from = topic.begin() + static_cast<ptrdiff_t>(asked.before[row->key]);
      const bool came = std::any_of(from, topic.end(), [change](const Arrival& one) {
        const bool of_row = one.kind == Kind::kRow || one.kind == Kind::kRead;
        return one.change == change && (of_row || one.kind == Kind::kChunk);
      });
      if (!came) return false;
    }
    return true;
  });
}

bool Ledger::complete() const {
  const Lsn end(database_.transactions().back().end_lsn);
  return acknowledged_ == order_.size() && stored_ >= end && confirmed_ >= end;
}

void Ledger::CheckTopics() {
  std::map<Key, Expected> expected;
  for (const size_t entry : order_) {
    const Change& change = entries_[entry].change;
    if (change.verb == Verb::kDelete || change.verb == Verb::kMove) {
      const size_t key = change.verb == Verb::kMove ? change.from : change.key;
      expected[{change.table, key}].emplace_back(entry, Kind::kDelete);
      expected[{change.table, key}].emplace_back(entry, Kind::kTombstone);
    }
    if (change.verb != Verb::kDelete)
      expected[{change.table, change.key}].emplace_back(entry, Kind::kRow);
  }
  for (const auto& [key, records] : expected) CheckKey(key, records);
}

size_t Ledger::PlacesBefore(const Expected& expected, Lsn at) const {
  size_t places = 0;
  while (places < expected.size() && entries_[expected[places].first].end <= at) ++places;
  return places;
}

void Ledger::CheckKey(const Key& key, const Expected& expected) {
  size_t next = 0;     // place in expected
  size_t covered = 0;  // by a snapshot, though nothing may have been there to be read
  for (const Arrival& arrival : topics_[key]) {
    if (arrival.kind == Kind::kNone) {
      // What was there has to be read, and what was not leaves no trace.
      const size_t before = PlacesBefore(expected, arrival.at);
      covered = std::max(covered, before);
      if (!arrival.begins && !arrival.whole) continue;
      const bool there = before > 0 && expected[before - 1].second == Kind::kRow;
      if ((arrival.begins && !arrival.exact) || !there) next = std::max(next, before);
      continue;
    }
    if (entries_[arrival.change].vanished) continue;
    const Kind kind =
        arrival.kind == Kind::kRead || arrival.kind == Kind::kChunk ? Kind::kRow : arrival.kind;
    const auto place = static_cast<size_t>(
        std::find(expected.begin(), expected.end(), std::pair(arrival.change, kind)) -
        expected.begin());
    if (arrival.kind == Kind::kChunk) {
      CheckChunkRow(key, arrival, place, std::max(next, covered));
      if (place + 1 < next) continue;
    }
    const bool read = arrival.kind == Kind::kRead || arrival.kind == Kind::kChunk;
    if (place > std::max(next, covered) && !read)
      Break(absl::StrCat(Describe(arrival.change), " came too early in its topic: ", Topic(key)));
    if (exactly_once_ && place < next && arrival.kind != Kind::kChunk)
      Break(absl::StrCat(Describe(arrival.change), " came again: ", Topic(key)));
    if (kind == Kind::kTombstone && place != next)
      Break(absl::StrCat("a tombstone without ", Describe(arrival.change)));
    next = place + 1;
  }
  if (next != expected.size())
    Break(absl::StrCat("the topic does not end with ", Describe(expected.back().first), ": ",
                       Topic(key)));
}

// told: so far the topic has come, or somebody who began to read it would know the rest otherwise.
void Ledger::CheckChunkRow(const Key& key, const Arrival& arrival, size_t place, size_t told) {
  if (place + 1 == told) return;
  Break(absl::StrCat("a chunk tells ", Describe(arrival.change),
                     place < told ? ", which is older" : ", which is newer",
                     " than what its topic told last: ", Topic(key)));
}

std::string Ledger::Topic(const Key& key) const {
  std::string text;
  for (const Arrival& arrival : topics_.at(key)) {
    static constexpr const char* kSigns[] = {"", "-", "x", "r:", "chunk:"};
    if (arrival.kind == Kind::kNone) {
      absl::StrAppend(&text, arrival.begins ? " [from " : " [read ", arrival.at.ToString(), "]");
    } else {
      absl::StrAppend(&text, " ", kSigns[static_cast<size_t>(arrival.kind)],
                      Database::Value(entries_[arrival.change].change));
    }
  }
  return text;
}

void Ledger::Break(std::string what) {
  if (broken_.empty()) broken_ = std::move(what);
}

}  // namespace walduct::simulation
