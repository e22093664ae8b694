// Kafka Connect's DropHeaders: removes headers.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "transform/stages/stages.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::Node;
using event::RecordTemplate;

void RemoveHeaders(const std::set<std::string, std::less<>>& names, RecordTemplate* record) {
  std::erase_if(record->headers, [&](const Node& header) { return names.count(header.name) > 0; });
}

std::set<std::string, std::less<>> AsSet(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

class DropHeaders final : public Stage {
 public:
  explicit DropHeaders(const TransformSpec& spec) : names_(AsSet(spec.options.List("headers"))) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    RemoveHeaders(names_, record);
    return Verdict::kKeep;
  }

 private:
  const std::set<std::string, std::less<>> names_;
};

}  // namespace

StagePtr MakeDropHeaders(const TransformSpec& spec) { return std::make_unique<DropHeaders>(spec); }

}  // namespace walduct::transform
