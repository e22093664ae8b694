#include "compare/matcher.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/plain_text.h"

namespace walduct::compare {
namespace {

constexpr size_t kMostOfValue = 60;
constexpr int kMostFields = 3;

size_t Index(Side side) { return side == Side::kLeft ? 0 : 1; }

std::string Short(absl::string_view text) {
  if (text.size() <= kMostOfValue) return PlainText(text);
  return absl::StrCat(PlainText(text.substr(0, kMostOfValue)), "…");
}

// Lines that only one of the texts has: path: left | right.
std::string Differences(absl::string_view left, absl::string_view right) {
  const auto fields = [](absl::string_view text) {
    std::vector<std::pair<absl::string_view, absl::string_view>> all;
    for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty()))
      all.push_back(absl::StrSplit(line, absl::MaxSplits('=', 1)));
    return all;
  };
  const auto lefts = fields(left);
  const auto rights = fields(right);
  std::string out;
  int shown = 0;
  const auto show = [&](absl::string_view path, absl::string_view a, absl::string_view b) {
    if (shown++ < kMostFields) absl::StrAppend(&out, "; ", path, ": ", Short(a), " | ", Short(b));
  };
  const auto find = [](const auto& all, absl::string_view path) {
    return std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == path; });
  };
  for (const auto& [path, value] : lefts) {
    const auto found = find(rights, path);
    if (found == rights.end())
      show(path, value, "absent");
    else if (found->second != value)
      show(path, value, found->second);
  }
  for (const auto& [path, value] : rights) {
    if (find(lefts, path) == lefts.end()) show(path, "absent", value);
  }
  if (shown > kMostFields) absl::StrAppend(&out, "; ", shown - kMostFields, " more");
  return out.empty() ? "; the order of its fields" : out;
}

}  // namespace

void Extent::Add(uint64_t order) {
  if (order == 0) return;
  first = first == 0 ? order : std::min(first, order);
  last = std::max(last, order);
}

void Result::Add(const Result& other) {
  equal += other.equal;
  different += other.different;
  missing += other.missing;
  extra += other.extra;
  repeated += other.repeated;
  before += other.before;
  after += other.after;
  unplaced += other.unplaced;
  for (size_t side = 0; side < 2; ++side) {
    events_before[side] += other.events_before[side];
    events_after[side] += other.events_after[side];
  }
}

Matcher::Hash Matcher::HashOfText(absl::string_view text) {
  return {absl::HashOf(text), absl::HashOf(text, 1)};
}

Matcher::Hash Matcher::WithText(const Hash& name, const Hash& digest) {
  return {absl::HashOf(name.first, digest.first), absl::HashOf(name.second, digest.second)};
}

void Matcher::Show(uint64_t count, std::string example) {
  if (count <= limits_.examples) result_.examples.push_back(std::move(example));
}

// An event's id is the application's: under one id with another text it is another event.
bool Matcher::IsRepeated(Side side, const Identity& identity, const Hash& name) const {
  if (!identity.keyed) return false;
  const auto found = waiting_.find(name);
  if (!identity.event) return found != waiting_.end() || paired_.contains(name);
  const Hash digest = HashOfText(identity.text);
  if (paired_.contains(WithText(name, digest))) return true;
  return found != waiting_.end() && found->second.front().side == side &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const Waiting& one) { return one.digest == digest; });
}

void Matcher::BothHave(Side side, int32_t partition, uint64_t place) {
  Events& events = events_[{Index(side), partition}];
  events.first = events.first == 0 ? place : std::min(events.first, place);
  events.last = std::max(events.last, place);
}

absl::Status Matcher::Add(Side side, const Identity& identity, const std::string& where) {
  has_snapshot_[Index(side)] |= identity.snapshot;
  const Hash name = HashOfText(identity.name);
  Progress& progress = Advance(side, identity, name);
  const uint64_t place =
      identity.event ? ++events_[{Index(side), identity.partition}].count : uint64_t{0};
  const bool held = !identity.placed() && progress.holds && !progress.within;
  const auto found = waiting_.find(name);
  if (!held && found != waiting_.end() && found->second.front().side != side) {
    const Waiting& partner = found->second.front();
    if (place != 0) {
      BothHave(side, identity.partition, place);
      BothHave(partner.side, partner.partition, partner.place);
      Remember(WithText(name, partner.digest));
      Remember(WithText(name, HashOfText(identity.text)));
    } else if (identity.keyed) {
      Remember(name);
    }
    Pair(partner, identity, where);
    found->second.erase(found->second.begin());
    if (found->second.empty()) waiting_.erase(found);
    --count_;
    return absl::OkStatus();
  }
  if (IsRepeated(side, identity, name)) {
    ++result_.repeated;
    return absl::OkStatus();
  }
  if (count_ >= limits_.waiting) {
    if (absl::Status room = MakeRoom(); !room.ok()) return room;
  }
  Waiting waiting{side,
                  identity.order,
                  identity.snapshot,
                  identity.partition,
                  place,
                  HashOfText(identity.text),
                  identity.label,
                  where,
                  ""};
  ++count_;
  if (held) {
    progress.held.push_back({.name = name, .waiting = std::move(waiting)});
    return absl::OkStatus();
  }
  if (text_bytes_ + identity.text.size() <= limits_.text_bytes) waiting.text = identity.text;
  text_bytes_ += waiting.text.size();
  waiting_[name].push_back(std::move(waiting));
  return absl::OkStatus();
}

bool Matcher::BeginsEarlier(Side side, int32_t partition) const {
  const Partitions& measured = topic_[Index(side)];
  const auto extent = measured.find(partition);
  return extent != measured.end() && extent->second.first != 0 &&
         extent->second.first < extents_[Index(Other(side))].first;
}

// A row of a snapshot has the position of the change that was read before it. It stands no earlier
// than that, maybe later: what is before it in its partition need not be that old.
Matcher::Progress& Matcher::Advance(Side side, const Identity& identity, const Hash& name) {
  const auto [found, is_new] = progress_.try_emplace({Index(side), identity.partition});
  Progress& progress = found->second;
  if (is_new) {
    const Partitions& measured = topic_[Index(side)];
    const auto extent = measured.find(identity.partition);
    progress.begins_earlier = BeginsEarlier(side, identity.partition);
    progress.holds = extent != measured.end() && extent->second.first != 0 &&
                     (progress.begins_earlier || BeginsEarlier(Other(side), identity.partition));
  }
  if (identity.order == 0 || progress.within) return progress;
  if (identity.order >= extents_[Index(Other(side))].first) {
    progress.within = true;
    progress.opening = name;
  } else if (!identity.snapshot) {
    progress.older = progress.held.size();
  }
  return progress;
}

// What stands before the same record of both sides. The latest first: of those that are alike the
// older ones are left over.
void Matcher::PairHeld(Progress* earlier, Progress* later) {
  absl::flat_hash_map<Hash, std::vector<Held*>> partners;
  for (Held& one : later->held) partners[one.name].push_back(&one);
  for (auto one = earlier->held.rbegin(); one != earlier->held.rend(); ++one) {
    const auto found = partners.find(one->name);
    if (found == partners.end() || found->second.empty()) continue;
    found->second.back()->paired = one->paired = one->both_begin = true;
    found->second.pop_back();
    ++result_.equal;
  }
}

// Their names have their texts, so that all of one name are alike.
bool Matcher::TakePartner(Held* held) {
  const auto found = waiting_.find(held->name);
  if (found == waiting_.end() || found->second.front().side == held->waiting.side) return false;
  text_bytes_ -= found->second.back().text.size();
  found->second.pop_back();
  if (found->second.empty()) waiting_.erase(found);
  ++result_.equal;
  return held->paired = true;
}

// What stands behind one that both have is missing. A partner that is not at the beginning says
// nothing where this one is known to be older: the other side may have its own twice.
void Matcher::Settle(Progress* progress) {
  for (auto one = progress->held.rbegin(); one != progress->held.rend(); ++one)
    one->paired = one->paired || TakePartner(&*one);
  bool follows_common = false;
  for (size_t i = 0; i < progress->held.size(); ++i) {
    const Held& one = progress->held[i];
    const bool older = i < progress->older;
    if (one.paired)
      follows_common |= !older || one.both_begin;
    else
      Count(one.waiting, follows_common ? Lack::kMissing : older ? Lack::kBefore : Lack::kUnplaced);
  }
}

void Matcher::SettleHeld() {
  for (auto& [where, progress] : progress_) {
    const auto later = progress_.find({1 - where.first, where.second});
    if (progress.begins_earlier && progress.within && later != progress_.end() &&
        later->second.within && later->second.opening == progress.opening)
      PairHeld(&progress, &later->second);
  }
  for (auto& [where, progress] : progress_) {
    if (progress.begins_earlier) continue;
    for (Held& one : progress.held) {
      if (!one.paired && !TakePartner(&one)) waiting_[one.name].push_back(std::move(one.waiting));
    }
  }
  for (auto& [where, progress] : progress_) {
    if (progress.begins_earlier) Settle(&progress);
  }
}

void Matcher::Pair(const Waiting& waiting, const Identity& identity, const std::string& where) {
  text_bytes_ -= waiting.text.size();
  if (waiting.digest == HashOfText(identity.text)) {
    ++result_.equal;
    return;
  }
  ++result_.different;
  const bool left = waiting.side == Side::kLeft;
  std::string what = waiting.text.empty() ? ""
                     : left               ? Differences(waiting.text, identity.text)
                                          : Differences(identity.text, waiting.text);
  Show(result_.different,
       absl::StrCat("different ", waiting.label, " (", left ? waiting.where : where, " | ",
                    left ? where : waiting.where, ")", what));
}

void Matcher::Remember(const Hash& name) {
  if (!paired_.insert(name).second) return;
  paired_order_.push_back(name);
  if (paired_order_.size() <= limits_.paired) return;
  paired_.erase(paired_order_.front());
  paired_order_.pop_front();
}

// Both sides have the events of a partition in the same order. One that begins later has none ahead
// of the first that both have: where each has some, one of them has lost its own. So at the end.
Matcher::Lack Matcher::JudgeEvent(const Waiting& waiting) const {
  const auto own = events_.find({Index(waiting.side), waiting.partition});
  const auto other = events_.find({Index(Other(waiting.side)), waiting.partition});
  const Events none, &theirs = other == events_.end() ? none : other->second;
  // Both have written there, and nothing that is the same.
  if (own == events_.end() || own->second.first == 0)
    return theirs.count == 0 ? Lack::kUnplaced : Lack::kMissing;
  if (waiting.place < own->second.first) return theirs.ahead == 0 ? Lack::kBefore : Lack::kMissing;
  if (waiting.place > own->second.last) return theirs.behind == 0 ? Lack::kAfter : Lack::kMissing;
  return Lack::kMissing;
}

void Matcher::CountEvents() {
  for (const auto& [name, bucket] : waiting_) {
    for (const Waiting& one : bucket) {
      if (one.place == 0) continue;
      Events& events = events_[{Index(one.side), one.partition}];
      if (events.first == 0) continue;
      if (one.place < events.first) ++events.ahead;
      if (one.place > events.last) ++events.behind;
    }
  }
}

Matcher::Lack Matcher::Judge(const Waiting& waiting) const {
  if (waiting.place != 0) return JudgeEvent(waiting);
  const size_t other = Index(Other(waiting.side));
  if (waiting.snapshot) return has_snapshot_[other] ? Lack::kMissing : Lack::kBefore;
  if (waiting.order == 0 || extents_[other].first == 0) return Lack::kMissing;
  if (waiting.order < extents_[other].first) return Lack::kBefore;
  return waiting.order > extents_[other].last ? Lack::kAfter : Lack::kMissing;
}

void Matcher::Count(const Waiting& waiting, Lack lack) {
  text_bytes_ -= waiting.text.size();
  const uint64_t event = waiting.place == 0 ? 0 : 1;
  if (lack == Lack::kBefore) {
    ++result_.before;
    result_.events_before[Index(waiting.side)] += event;
  } else if (lack == Lack::kAfter) {
    ++result_.after;
    result_.events_after[Index(waiting.side)] += event;
  } else if (lack == Lack::kUnplaced) {
    ++result_.unplaced;
    Show(result_.unplaced, absl::StrCat("unplaced ", waiting.label, " (", waiting.where, ")"));
  } else {
    const bool left = waiting.side == Side::kLeft;
    uint64_t& count = left ? result_.missing : result_.extra;
    ++count;
    Show(count,
         absl::StrCat(left ? "missing " : "extra ", waiting.label, " (", waiting.where, ")"));
  }
}

// What is from before the other side's beginning does not wait any more.
absl::Status Matcher::MakeRoom() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const auto bucket = it++;
    // Where an event stands is known at the end.
    if (bucket->second.front().place != 0) continue;
    if (Judge(bucket->second.front()) != Lack::kBefore) continue;
    for (const Waiting& one : bucket->second) Count(one, Lack::kBefore);
    count_ -= bucket->second.size();
    waiting_.erase(bucket);
  }
  for (auto& [where, progress] : progress_) {
    const auto end = progress.held.begin() + static_cast<std::ptrdiff_t>(progress.older);
    for (auto one = progress.held.begin(); one != end; ++one) Count(one->waiting, Lack::kBefore);
    count_ -= progress.older;
    progress.held.erase(progress.held.begin(), end);
    progress.older = 0;
  }
  if (count_ < limits_.waiting - limits_.waiting / 10) return absl::OkStatus();
  return Error(absl::StatusCode::kResourceExhausted, "comparison_too_far_apart",
               absl::StrCat(count_, " records wait for their partners: one side lacks them, or ",
                            "has them in another order"),
               "see the examples; records without source.lsn are found by it when both connectors "
               "add it (transforms.….add.fields=source.lsn,source.txId)");
}

Result Matcher::Finish() {
  SettleHeld();
  CountEvents();
  std::vector<const Waiting*> left;
  for (const auto& [name, bucket] : waiting_) {
    for (const Waiting& one : bucket) left.push_back(&one);
  }
  std::sort(left.begin(), left.end(), [](const Waiting* a, const Waiting* b) {
    return std::tie(a->order, a->place, a->label) < std::tie(b->order, b->place, b->label);
  });
  for (const Waiting* one : left) Count(*one, Judge(*one));
  return std::move(result_);
}

}  // namespace walduct::compare
