// Kafka Connect's ReplaceField: drops and renames fields.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "transform/connect/field_stage.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::Node;
using event::RecordTemplate;

class ReplaceField final : public FieldStage {
 public:
  explicit ReplaceField(const TransformSpec& spec) : FieldStage(spec) {
    for (const std::string& name : spec.options.List("exclude")) exclude_.insert(name);
    for (const std::string& name : spec.options.List("include")) include_.insert(name);
    for (const std::string& pair : spec.options.List("renames")) {
      const std::vector<std::string> sides = absl::StrSplit(pair, ':');
      renames_[sides[0]] = sides[1];
    }
  }

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = target(record);
    if (const auto verdict = UnlessPresent(operating, questions)) return *verdict;
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "field replacement"));
    std::vector<Node> kept;
    for (const Node& member : node->members) {
      const bool listed = include_.empty() || include_.count(member.name) > 0;
      if (!listed || exclude_.count(member.name) > 0) continue;
      kept.push_back(Taken(member, replace_null()));
      const auto renamed = renames_.find(member.name);
      if (renamed != renames_.end()) kept.back().name = renamed->second;
    }
    node->members = std::move(kept);
    if (node->schema == nullptr) return Verdict::kKeep;
    RETURN_IF_ERROR(SetStructSchema(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }

 private:
  std::set<std::string, std::less<>> exclude_, include_;
  std::map<std::string, std::string, std::less<>> renames_;
};

}  // namespace

StagePtr MakeReplaceField(const TransformSpec& spec) {
  return std::make_unique<ReplaceField>(spec);
}

}  // namespace walduct::transform
