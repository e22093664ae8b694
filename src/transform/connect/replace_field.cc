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
#include "java/hash/hash_code.h"
#include "java/text/text_lists.h"
#include "transform/connect/field_options.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

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
  std::map<std::string, std::string, std::less<>> sources;  // of renames: new → old
};

Options Read(const Setting& setting) {
  Options options{.common = ReadFieldOptions(setting),
                  .exclude = setting.options.Set("exclude"),
                  .include = setting.options.Set("include"),
                  .renames = {},
                  .sources = {}};
  std::vector<absl::string_view> olds;  // in the order of their first mention
  for (const std::string& pair : setting.options.List("renames")) {
    const std::vector<std::string> sides = absl::StrSplit(pair, ':');
    const auto renamed = options.renames.insert_or_assign(sides[0], sides[1]);
    if (renamed.second) olds.push_back(renamed.first->first);
  }
  for (const size_t place : java::HashMapOrder(olds)) {
    const auto renamed = options.renames.find(olds[place]);
    options.sources[renamed->second] = renamed->first;
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
      if (node->schema == nullptr) continue;
      // Connect reads each new field from the one that is renamed to it, also where that one was
      // left out and another has the name.
      const auto from = options_.sources.find(kept.back().name);
      const Node* source = from == options_.sources.end() ? nullptr : node->Find(from->second);
      if (source == nullptr || source == &member) continue;
      ASSIGN_OR_RETURN(const Verdict verdict, Fill(*source, questions, &kept.back()));
      if (verdict != Verdict::kKeep) return verdict;
    }
    node->members = std::move(kept);
    if (node->schema == nullptr) return Verdict::kKeep;
    RETURN_IF_ERROR(SetStructSchema(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate& record) const override {
    return CopiedUnlessNull(options_.common.target, record);
  }

 private:
  // The field keeps its schema and takes another's value.
  absl::StatusOr<Verdict> Fill(const Node& source, Questions* questions, Node* field) const {
    static const event::ValueFunctionPtr* const as_it_is =
        new event::ValueFunctionPtr(MakeFunction([](auto in, std::string*, event::Scalar* out) {
          *out = in[0];
          return absl::OkStatus();
        }));
    Node value = Taken(source, options_.common.replace_null);
    switch (PresenceOf(value, questions)) {
      case Presence::kUnknown:
        return Verdict::kAsk;
      case Presence::kNull:
        if (!field->schema->optional)
          return RecordError(absl::StrCat("Invalid value: null used for required field: \"",
                                          field->name, "\", from field ", source.name));
        *field = event::NullNode(field->schema, field->name);
        return Verdict::kKeep;
      case Presence::kPresent:
        break;
    }
    if (!FitsField(*value.schema, *field->schema))
      return RecordError(absl::StrCat("the value of field ", source.name,
                                      " does not fit the schema of field ", field->name));
    value.name = field->name;
    if (value.is_struct()) {
      value.schema = field->schema;
    } else {
      ASSIGN_OR_RETURN(value, Converted(value, field->schema, *as_it_is));
    }
    *field = std::move(value);
    return Verdict::kKeep;
  }

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
