#include "serve/assignment/share_plan.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace walduct::serve {
namespace {

using Loads = std::map<std::string, int>;

bool LoadLess(const Loads::value_type& a, const Loads::value_type& b) {
  return a.second < b.second;
}

int64_t NumberIn(const rapidjson::Value& object, const char* name) {
  const rapidjson::Value* const found = json::Find(object, name);
  return found != nullptr && found->IsInt64() ? found->GetInt64() : 0;
}

class Planner {
 public:
  Planner(const SharePlan& plan, const PlanNeeds& needs) : plan_(plan), needs_(needs) {
    next_.leader = needs_.leader;
    next_.epoch = plan_.epoch + 1;
    for (const std::string& member : needs_.members) loads_[member] = 0;
  }

  SharePlan Make() {
    Keep();
    Place();
    Level();
    const bool same = !needed_ && plan_.leader == needs_.leader && plan_.epoch > 0 &&
                      plan_.shares.size() == next_.shares.size();
    if (same) return plan_;
    return std::move(next_);
  }

 private:
  bool IsMember(const std::string& worker) const { return needs_.members.contains(worker); }

  void Keep() {
    for (const auto& [name, weight] : needs_.weights) {
      const auto found = plan_.shares.find(name);
      Share share = found == plan_.shares.end() ? Share() : found->second;
      if (!share.from.empty() && !IsMember(share.from)) {
        share.from.clear();
        needed_ = true;
      } else if (!share.from.empty() && needs_.released(name, share)) {
        share.from.clear();
      }
      // Deleted and created again.
      const auto last = needs_.last.find(name);
      if (share.worker.empty() && last != needs_.last.end() && IsMember(last->second))
        share.from = last->second;
      if (IsMember(share.worker)) {
        loads_[share.worker] += weight;
      } else {
        homeless_.emplace_back(-weight, name);
      }
      next_.shares[name] = std::move(share);
    }
  }

  void Give(const std::string& name, const std::string& worker) {
    Share& share = next_.shares[name];
    if (IsMember(share.worker)) {
      loads_[share.worker] -= needs_.weights.at(name);
      share.from = share.worker;
    }
    share.worker = worker;
    share.since = next_.epoch;
    if (share.from == worker) share.from.clear();
    loads_[worker] += needs_.weights.at(name);
    needed_ = true;
  }

  void Place() {
    std::sort(homeless_.begin(), homeless_.end());
    for (const auto& [weight, name] : homeless_)
      Give(name, std::min_element(loads_.begin(), loads_.end(), LoadLess)->first);
  }

  // Each move makes the difference of two loads smaller: it ends.
  void Level() {
    while (true) {
      const auto most = std::max_element(loads_.begin(), loads_.end(), LoadLess);
      const auto least = std::min_element(loads_.begin(), loads_.end(), LoadLess);
      const std::string* best = nullptr;
      int best_weight = 0;
      for (const auto& [name, share] : next_.shares) {
        const int weight = needs_.weights.at(name);
        const bool fits = 2 * weight <= most->second - least->second && weight > best_weight;
        if (share.worker != most->first || !share.from.empty() || !fits) continue;
        best = &name;
        best_weight = weight;
      }
      if (best == nullptr) return;
      Give(*best, least->first);
    }
  }

  const SharePlan& plan_;
  const PlanNeeds& needs_;
  SharePlan next_;
  Loads loads_;
  std::vector<std::pair<int, std::string>> homeless_;
  bool needed_ = false;
};

}  // namespace

std::string SharePlan::Text() const {
  JsonWriter json;
  json.Object().Key("epoch").Signed(epoch).Key("leader").Text(leader);
  json.Key("connectors").Object();
  for (const auto& [name, share] : shares) {
    json.Key(name).Object().Key("worker").Text(share.worker).Key("since").Signed(share.since);
    if (!share.from.empty()) json.Key("from").Text(share.from);
    json.EndObject();
  }
  return json.EndObject().EndObject().text();
}

absl::StatusOr<SharePlan> SharePlan::Parse(absl::string_view text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  const bool is_object = !document.HasParseError() && document.IsObject();
  const rapidjson::Value* const all =
      is_object ? json::FindObject(document, "connectors") : nullptr;
  if (all == nullptr) return absl::InvalidArgumentError("the value has no 'connectors'");
  SharePlan plan{.epoch = NumberIn(document, "epoch"),
                 .leader = json::TextIn(document, "leader"),
                 .shares = {}};
  for (const auto& member : all->GetObject()) {
    if (!member.value.IsObject()) return absl::InvalidArgumentError("a connector is no object");
    plan.shares[std::string(json::TextOf(member.name))] = {
        .worker = json::TextIn(member.value, "worker"),
        .since = NumberIn(member.value, "since"),
        .from = json::TextIn(member.value, "from")};
  }
  return plan;
}

SharePlan NextPlan(const SharePlan& plan, const PlanNeeds& needs) {
  return Planner(plan, needs).Make();
}

}  // namespace walduct::serve
