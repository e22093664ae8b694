// Kafka Connect's ReplaceField: drops and renames fields.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "java/text/text_lists.h"
#include "transform/connect/field_options.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::Node;
using event::RecordTemplate;
using enum OptionType;

std::string CheckPairs(absl::string_view value) {
  for (const std::string& pair : java::SplitCommaList(value)) {
    const std::vector<absl::string_view> sides = absl::StrSplit(pair, ':');
    if (sides.size() != 2 || sides[0].empty() || sides[1].empty())
      return absl::StrCat("has the item '", pair, "', which is not of the form old:new");
  }
  return "";
}

constexpr OptionRow kOptions[] = {{.name = "exclude",
                                   .type = kList,
                                   .default_value = "",
                                   .doc = "Fields to drop.",
                                   .aliases = "blacklist"},
                                  {.name = "include",
                                   .type = kList,
                                   .default_value = "",
                                   .doc = "Fields to keep; empty: all.",
                                   .aliases = "whitelist"},
                                  {.name = "renames",
                                   .type = kList,
                                   .default_value = "",
                                   .doc = "New names, `old:new`.",
                                   .check = CheckPairs},
                                  kReplaceNull};

struct Options {
  FieldOptions common;
  std::set<std::string, std::less<>> exclude, include;
  std::map<std::string, std::string, std::less<>> renames;
};

Options Read(const Setting& setting) {
  Options options{.common = ReadFieldOptions(setting),
                  .exclude = setting.options.Set("exclude"),
                  .include = setting.options.Set("include"),
                  .renames = {}};
  for (const std::string& pair : setting.options.List("renames")) {
    const std::vector<std::string> sides = absl::StrSplit(pair, ':');
    options.renames[sides[0]] = sides[1];
  }
  return options;
}

class ReplaceField final : public Stage {
 public:
  explicit ReplaceField(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = Target(options_.common.target, record);
    if (const auto verdict = UnlessPresent(operating, questions)) return *verdict;
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "field replacement"));
    std::vector<Node> kept;
    for (const Node& member : node->members) {
      const bool listed = options_.include.empty() || options_.include.count(member.name) > 0;
      if (!listed || options_.exclude.count(member.name) > 0) continue;
      kept.push_back(Taken(member, options_.common.replace_null));
      const auto renamed = options_.renames.find(member.name);
      if (renamed != options_.renames.end()) kept.back().name = renamed->second;
    }
    node->members = std::move(kept);
    if (node->schema == nullptr) return Verdict::kKeep;
    RETURN_IF_ERROR(SetStructSchema(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kReplaceField = {
    .name = "org.apache.kafka.connect.transforms.ReplaceField",
    .has_targets = true,
    .options = kOptions,
    .doc = "Drops and renames fields.",
    .make = MakeStage<ReplaceField, Read>};

}  // namespace walduct::transform
