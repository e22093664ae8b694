#include "cli/status/group_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "cli/status/duration_text.h"
#include "cli/status/status_values.h"
#include "cli/usage/tones.h"

namespace walduct::cli {
namespace {

using rapidjson::Value;

constexpr size_t kUnassigned = 10, kMoves = 3, kNames = 12;  // that are shown
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

std::vector<std::string> NamesOf(const Value& worker) {
  std::vector<std::string> names;
  for (const Value* name : Items(worker, "names"))
    if (name->IsString()) names.push_back(PlainText(json::TextOf(*name)));
  return names;
}

// Its own connectors follow, each with all that there is to tell.
std::string NamesText(const Value& worker) {
  std::vector<std::string> names = NamesOf(worker);
  if (names.empty() || Is(worker, "self")) return "";
  const size_t all = names.size();
  names.resize(std::min(all, kNames));
  const std::string more = all > kNames ? absl::StrCat(" and ", all - kNames, " more") : "";
  return absl::StrCat(" (", absl::StrJoin(names, ", "), more, ")");
}

std::string WorkerText(const Value& worker) {
  const int64_t connectors = static_cast<int64_t>(Number(worker, "connectors").value_or(0));
  return absl::StrCat(Text(worker, "address"), ": ", connectors,
                      connectors == 1 ? " connector" : " connectors", NamesText(worker),
                      Is(worker, "self") ? ", this one" : "", Is(worker, "leads") ? ", leads" : "");
}

const Value* SharesIn(const rapidjson::Document& status) {
  const Value* const worker = json::Find(status, "worker");
  return worker == nullptr ? nullptr : json::Find(*worker, "shares");
}

const Value* UnassignedIn(const rapidjson::Document& status, const std::string& connector) {
  const Value* const shares = SharesIn(status);
  if (shares == nullptr) return nullptr;
  for (const Value* one : Items(*shares, "unassigned"))
    if (Text(*one, "name") == PlainText(connector)) return one;
  return nullptr;
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

Place PlaceIn(const rapidjson::Document& status, const std::string& connector) {
  if (UnassignedIn(status, connector) != nullptr) return Place::kNobodys;
  const Value* const shares = SharesIn(status);
  if (shares == nullptr) return Place::kUnknown;
  for (const Value* worker : Items(*shares, "workers")) {
    const std::vector<std::string> names = NamesOf(*worker);
    const bool has = std::find(names.begin(), names.end(), PlainText(connector)) != names.end();
    if (has && !Is(*worker, "self")) return Place::kElsewhere;
  }
  return Place::kUnknown;
}

bool HasUnassigned(const rapidjson::Document& status) {
  const Value* const shares = SharesIn(status);
  return shares != nullptr && !Items(*shares, "unassigned").empty();
}

std::string UnassignedLine(const rapidjson::Document& status, const std::string& connector,
                           absl::Time now, bool colour) {
  const Value* const one = UnassignedIn(status, connector);
  if (one == nullptr) return "";
  const auto since = TimeOf(*one, "since");
  return absl::StrCat(PlainText(connector), "  ", Toned(colour, Tone::kBad, "UNASSIGNED"), " for ",
                      since ? DurationText(now - *since) : "?", ": ", Text(*one, "why"), "\n");
}

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
