// Kafka Connect's HeaderFrom: moves or copies fields to headers.
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::Node;
using event::RecordTemplate;

std::set<std::string, std::less<>> AsSet(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

class HeaderFrom final : public Stage {
 public:
  explicit HeaderFrom(const TransformSpec& spec)
      : target_(spec.target),
        fields_(spec.options.List("fields")),
        headers_(spec.options.List("headers")),
        moved_(spec.options.Text("operation") == "move" ? AsSet(fields_) : AsSet({})),
        replace_null_(spec.options.Boolean("replace.null.with.default")) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&Target(target_, record), "header move"));
    Node map = node->schema == nullptr ? *node : Node();  // stays as it is
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (node->schema == nullptr) AddMissing(fields_[i], &map);
      const Node* member = node->schema == nullptr ? map.Find(fields_[i]) : node->Find(fields_[i]);
      if (member == nullptr) return RecordError(absl::StrCat("Field does not exist: ", fields_[i]));
      record->headers.push_back(Taken(*member, replace_null_));
      record->headers.back().name = headers_[i];
    }
    if (moved_.empty()) return Verdict::kKeep;
    std::vector<Node> kept;
    for (const Node& member : node->members) {
      if (moved_.count(member.name) == 0) kept.push_back(Taken(member, replace_null_));
    }
    node->members = std::move(kept);
    if (node->schema == nullptr) return Verdict::kKeep;
    RETURN_IF_ERROR(SetStructSchema(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }

 private:
  const config::TransformTarget target_;
  const std::vector<std::string> fields_, headers_;
  const std::set<std::string, std::less<>> moved_;
  const bool replace_null_;
};

}  // namespace

StagePtr MakeHeaderFrom(const TransformSpec& spec) { return std::make_unique<HeaderFrom>(spec); }

}  // namespace walduct::transform
