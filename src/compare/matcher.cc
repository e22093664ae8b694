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

void Result::Add(const Result& other) {
  equal += other.equal;
  different += other.different;
  missing += other.missing;
  extra += other.extra;
  repeated += other.repeated;
  before += other.before;
  after += other.after;
}

Matcher::Hash Matcher::HashOfText(absl::string_view text) {
  return {absl::HashOf(text), absl::HashOf(text, 1)};
}

void Matcher::Show(uint64_t count, std::string example) {
  if (count <= limits_.examples) result_.examples.push_back(std::move(example));
}

absl::Status Matcher::Add(Side side, const Identity& identity, const std::string& where) {
  has_snapshot_[Index(side)] |= identity.snapshot;
  const Hash name = HashOfText(identity.name);
  const auto found = waiting_.find(name);
  if (found != waiting_.end() && found->second.front().side != side) {
    Pair(found->second.front(), identity, where);
    found->second.erase(found->second.begin());
    if (found->second.empty()) waiting_.erase(found);
    --count_;
    if (identity.keyed) Remember(name);
    return absl::OkStatus();
  }
  if (identity.keyed && (found != waiting_.end() || paired_.contains(name))) {
    ++result_.repeated;
    return absl::OkStatus();
  }
  if (count_ >= limits_.waiting) {
    if (absl::Status room = MakeRoom(); !room.ok()) return room;
  }
  Waiting waiting{
      side, identity.order, identity.snapshot, HashOfText(identity.text), identity.label, where,
      ""};
  if (text_bytes_ + identity.text.size() <= limits_.text_bytes) waiting.text = identity.text;
  text_bytes_ += waiting.text.size();
  waiting_[name].push_back(std::move(waiting));
  ++count_;
  return absl::OkStatus();
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

Matcher::Lack Matcher::Judge(const Waiting& waiting) const {
  const size_t other = Index(Other(waiting.side));
  if (waiting.snapshot) return has_snapshot_[other] ? Lack::kMissing : Lack::kBefore;
  if (waiting.order == 0 || extents_[other].first == 0) return Lack::kMissing;
  if (waiting.order < extents_[other].first) return Lack::kBefore;
  return waiting.order > extents_[other].last ? Lack::kAfter : Lack::kMissing;
}

void Matcher::Count(const Waiting& waiting, Lack lack) {
  text_bytes_ -= waiting.text.size();
  if (lack == Lack::kBefore) {
    ++result_.before;
  } else if (lack == Lack::kAfter) {
    ++result_.after;
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
    if (Judge(bucket->second.front()) != Lack::kBefore) continue;
    for (const Waiting& one : bucket->second) Count(one, Lack::kBefore);
    count_ -= bucket->second.size();
    waiting_.erase(bucket);
  }
  if (count_ < limits_.waiting - limits_.waiting / 10) return absl::OkStatus();
  return Error(absl::StatusCode::kResourceExhausted, "comparison_too_far_apart",
               absl::StrCat(count_, " records wait for their partners: one side lacks them, or ",
                            "has them in another order"),
               "see the examples; records without source.lsn are found by it when both connectors "
               "add it (transforms.….add.fields=source.lsn,source.txId)");
}

Result Matcher::Finish() {
  std::vector<const Waiting*> left;
  for (const auto& [name, bucket] : waiting_) {
    for (const Waiting& one : bucket) left.push_back(&one);
  }
  std::sort(left.begin(), left.end(), [](const Waiting* a, const Waiting* b) {
    return std::tie(a->order, a->label) < std::tie(b->order, b->label);
  });
  for (const Waiting* one : left) Count(*one, Judge(*one));
  return std::move(result_);
}

}  // namespace walduct::compare
