#include "cli/status/group_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/status/status_screen.h"
#include "cli/status/status_values.h"
#include "cli/usage/tones.h"

namespace walduct::cli {
namespace {

using rapidjson::Value;

constexpr size_t kUnassigned = 10, kMoves = 3;  // that are shown
constexpr absl::Duration kRecent = absl::Minutes(10);

std::vector<const Value*> Items(const Value& object, const char* name) {
  std::vector<const Value*> items;
  const Value* const found = json::FindArray(object, name);
  if (found == nullptr) return items;
  for (const Value& item : found->GetArray()) items.push_back(&item);
  return items;
}

bool Is(const Value& object, const char* name) {
  const Value* const found = json::Find(object, name);
  return found != nullptr && found->IsBool() && found->GetBool();
}

std::string WorkerText(const Value& worker) {
  const int64_t connectors = static_cast<int64_t>(Number(worker, "connectors").value_or(0));
  return absl::StrCat(Text(worker, "address"), ": ", connectors,
                      connectors == 1 ? " connector" : " connectors",
                      Is(worker, "self") ? ", this one" : "", Is(worker, "leads") ? ", leads" : "");
}

class Lines {
 public:
  Lines(absl::Time now, bool colour) : now_(now), colour_(colour) {}

  void Head(const std::string& group, size_t workers) {
    absl::StrAppend(&text_, "group   ", group, ", ", workers,
                    workers == 1 ? " worker\n" : " workers share its connectors\n");
  }
  void Worker(const Value& worker) {
    const bool member = Is(worker, "member");
    Line("worker", member ? WorkerText(worker)
                          : Toned(colour_, Tone::kWarning,
                                  absl::StrCat(WorkerText(worker), ", no member any more")));
  }
  void Unassigned(const Value& one) {
    Line("nobody's", Toned(colour_, Tone::kBad,
                           absl::StrCat(Text(one, "name"), " for ", AgeOf(one, "since"), ": ",
                                        Text(one, "why"))));
  }
  void More(size_t count) { Line("", absl::StrCat("and ", count, " more")); }
  void Move(const Value& one) {
    Line("moved",
         absl::StrCat(Text(one, "connector"), " from ", Text(one, "from"), " to ", Text(one, "to"),
                      ", ", AgeOf(one, "at"), " ago: ",
                      Text(one, "why") == "worker_gone" ? "that worker was gone" : "to even out"));
  }
  bool IsRecent(const Value& one) const {
    const auto at = TimeOf(one, "at");
    return at && now_ - *at < kRecent;
  }
  std::string Take() { return std::move(text_); }

 private:
  void Line(absl::string_view label, const std::string& text) {
    absl::StrAppend(&text_, "  ", Toned(colour_, Tone::kFaint, absl::StrFormat("%-10s", label)),
                    " ", text, "\n");
  }
  std::string AgeOf(const Value& object, const char* name) const {
    const auto at = TimeOf(object, name);
    return at ? DurationText(now_ - *at) : "?";
  }

  const absl::Time now_;
  const bool colour_;
  std::string text_;
};

}  // namespace

std::string GroupLines(const std::string& group, const Value& shares, absl::Time now, bool colour) {
  Lines lines(now, colour);
  const std::vector<const Value*> workers = Items(shares, "workers");
  lines.Head(group, static_cast<size_t>(
                        std::count_if(workers.begin(), workers.end(),
                                      [](const Value* worker) { return Is(*worker, "member"); })));
  for (const Value* worker : workers) lines.Worker(*worker);
  const std::vector<const Value*> unassigned = Items(shares, "unassigned");
  for (size_t i = 0; i < std::min(unassigned.size(), kUnassigned); ++i)
    lines.Unassigned(*unassigned[i]);
  if (unassigned.size() > kUnassigned) lines.More(unassigned.size() - kUnassigned);
  const std::vector<const Value*> moves = Items(shares, "moves");
  for (size_t i = 0; i < std::min(moves.size(), kMoves); ++i)
    if (lines.IsRecent(*moves[i])) lines.Move(*moves[i]);
  return lines.Take();
}

}  // namespace walduct::cli
