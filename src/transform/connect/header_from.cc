// Kafka Connect's HeaderFrom: moves or copies fields to headers.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/connect/field_options.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::Node;
using event::RecordTemplate;
using enum OptionType;

constexpr OptionRow kOptions[] = {
    {.name = "fields",
     .type = kList,
     .required = true,
     .doc = "Fields to copy or move.",
     .check = CheckNotEmptyList},
    {.name = "headers",
     .type = kList,
     .required = true,
     .doc = "Headers to write, one per field.",
     .check = CheckNotEmptyList},
    {.name = "operation",
     .type = kEnum,
     .required = true,
     .allowed = "move, copy",
     .doc = "Whether to keep the fields (copy) or remove them (move)."},
    kReplaceNull};

struct Options {
  FieldOptions common;
  std::vector<std::string> fields, headers;
  std::set<std::string, std::less<>> moved;  // of the fields
};

Options Read(const Setting& setting) {
  Options options{.common = ReadFieldOptions(setting),
                  .fields = setting.options.List("fields"),
                  .headers = setting.options.List("headers"),
                  .moved = {}};
  if (setting.options.Text("operation") == "move") options.moved = setting.options.Set("fields");
  return options;
}

OptionProblem Check(const OptionValues& options) {
  if (options.List("fields").size() == options.List("headers").size()) return {};
  return {"headers", "and 'fields' must have the same number of items",
          "list one header for each field"};
}

class HeaderFrom final : public Stage {
 public:
  explicit HeaderFrom(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    ASSIGN_OR_RETURN(Node * node,
                     RequireStruct(&Target(options_.common.target, record), "header move"));
    Node map = node->schema == nullptr ? *node : Node();  // stays as it is
    for (size_t i = 0; i < options_.fields.size(); ++i) {
      if (node->schema == nullptr) AddMissing(options_.fields[i], &map);
      const Node* member =
          node->schema == nullptr ? map.Find(options_.fields[i]) : node->Find(options_.fields[i]);
      if (member == nullptr)
        return RecordError(absl::StrCat("Field does not exist: ", options_.fields[i]));
      Node header = Taken(*member, options_.common.replace_null);
      header.name = options_.headers[i];
      RETURN_IF_ERROR(AddHeader(std::move(header), record));
    }
    if (options_.moved.empty()) return Verdict::kKeep;
    std::vector<Node> kept;
    for (const Node& member : node->members) {
      if (options_.moved.count(member.name) == 0)
        kept.push_back(Taken(member, options_.common.replace_null));
    }
    node->members = std::move(kept);
    if (node->schema == nullptr) return Verdict::kKeep;
    RETURN_IF_ERROR(SetStructSchema(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kCopied;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kHeaderFrom = {
    .name = "org.apache.kafka.connect.transforms.HeaderFrom",
    .has_targets = true,
    .options = kOptions,
    .doc = "Copies or moves fields to headers.",
    .check = Check,
    .make = MakeStage<HeaderFrom, Read>};

}  // namespace walduct::transform
