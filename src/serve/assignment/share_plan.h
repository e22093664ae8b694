// SharePlan: which worker of a group runs which connector, as the leader writes it into the topic
// of configurations (key walduct-assignment, which workers of Kafka Connect skip). Pure.
//
//   {"epoch":7,"leader":"http://a:8083","connectors":{"orders":
//     {"worker":"http://b:8083","since":7,"from":"http://a:8083"}}}
//
// from: who has it until it says so in the topic of states (UNASSIGNED, in generation since or a
// later one); the worker begins then, or when a plan comes without it, for that one is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::serve {

inline constexpr absl::string_view kAssignmentKey = "walduct-assignment";

struct Share {
  std::string worker;
  int64_t since = 0;  // epoch
  std::string from = {};

  bool operator==(const Share&) const = default;
};

struct SharePlan {
  int64_t epoch = 0;  // 0: none was written yet
  std::string leader;
  std::map<std::string, Share, std::less<>> shares;  // by connector

  std::string Text() const;
  static absl::StatusOr<SharePlan> Parse(absl::string_view json);
};

struct PlanNeeds {
  std::string leader;
  std::set<std::string> members;       // not empty
  std::map<std::string, int> weights;  // of the connectors that there are: their lanes
  // Whether the connector's former worker has said that it ended.
  std::function<bool(const std::string& name, const Share& share)> released;
  // Of connectors that are in no plan any more: who had them, and may not have ended them yet.
  std::map<std::string, std::string> last = {};
};

// The next one: what has a member stays there, unless loads differ by more than one, and can be
// nearer; what has none goes to who has least. What is still being handed over does not move.
// The same plan, in the same epoch: nothing is to be written.
SharePlan NextPlan(const SharePlan& plan, const PlanNeeds& needs);

}  // namespace walduct::serve
