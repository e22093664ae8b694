// Kafka Connect's Flatten: makes nested structs one level.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;

constexpr OptionRow kOptions[] = {{.name = "delimiter",
                                   .default_value = ".",
                                   .doc = "Delimiter between the names of the levels."}};

struct Options {
  TransformTarget target;
  std::string delimiter;
};

Options Read(const Setting& setting) {
  return {.target = setting.target, .delimiter = setting.options.Text("delimiter")};
}

class Flatten final : public Stage {
 public:
  explicit Flatten(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = Target(options_.target, record);
    if (const auto verdict = UnlessPresent(operating, questions)) return *verdict;
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "flattening"));
    if (node->schema == nullptr) return Verdict::kKeep;
    std::vector<Node> flat;
    for (const Node& member : node->members)
      RETURN_IF_ERROR(AddMember(member, {.prefix = "", .optional = node->schema->optional}, &flat));
    node->members = std::move(flat);
    ConnectSchema basics = CopyBasics(*node->schema);
    RETURN_IF_ERROR(SetSchemaOfMembers(std::move(basics), node));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate& record) const override {
    return CopiedUnlessNull(options_.target, record);
  }

 private:
  // What is above a member.
  struct Place {
    std::string prefix;
    bool optional = false;
    bool null = false;  // nothing is put into its fields
  };

  absl::Status AddMember(const Node& member, const Place& place, std::vector<Node>* flat) const {
    const std::string name = place.prefix.empty()
                                 ? member.name
                                 : absl::StrCat(place.prefix, options_.delimiter, member.name);
    const bool now_optional = place.optional || member.schema->optional;
    if (member.schema->type == ConnectType::kMap)
      return RecordError(
          absl::StrCat("Flatten transformation does not support MAP for record "
                       "with schemas (for field ",
                       name, ")"));
    if (member.schema->type == ConnectType::kStruct) {
      const Place inside{name, now_optional, member.kind == Node::Kind::kNull};
      for (const event::ConnectField& field : member.schema->fields) {
        RETURN_IF_ERROR(AddMember(Inner(member, field), inside, flat));
      }
      return absl::OkStatus();
    }
    ConnectSchema schema = CopyBasics(*member.schema);
    schema.optional = now_optional;
    schema.default_value = member.schema->default_value;
    Node leaf = place.null ? member : Taken(member, true);
    leaf.name = name;
    leaf.schema = event::Shared(std::move(schema));
    if (!place.null) RETURN_IF_ERROR(CheckPut(leaf));
    flat->push_back(std::move(leaf));
    return absl::OkStatus();
  }

  static Node Inner(const Node& parent, const event::ConnectField& field) {
    if (parent.is_struct()) return *parent.Find(field.name);
    if (parent.kind == Node::Kind::kNull) return event::NullNode(field.schema, field.name);
    return MemberOfLeaf(parent, field.name, field.schema);
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kFlatten = {
    .name = "org.apache.kafka.connect.transforms.Flatten",
    .has_targets = true,
    .options = kOptions,
    .doc = "Flattens nested structs into one level.",
    .make = MakeStage<Flatten, Read>};

}  // namespace walduct::transform
