// Kafka Connect's SetSchemaMetadata: sets name and version of the schema.
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "transform/connect/field_options.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using enum OptionType;

constexpr OptionRow kOptions[] = {
    {.name = "schema.name", .doc = "New name of the schema."},
    {.name = "schema.version", .type = kInteger, .doc = "New version of the schema."},
    kReplaceNull};

struct Options {
  FieldOptions common;
  std::optional<std::string> name;
  std::optional<int> version;
};

Options Read(const Setting& setting) {
  Options options{.common = ReadFieldOptions(setting), .name = {}, .version = {}};
  if (setting.options.Has("schema.name")) options.name = setting.options.Text("schema.name");
  if (setting.options.Has("schema.version"))
    options.version = static_cast<int>(setting.options.Integer("schema.version"));
  return options;
}

class SetSchemaMetadata final : public Stage {
 public:
  explicit SetSchemaMetadata(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    std::optional<Node>& operating = Target(options_.common.target, record);
    if (!operating) return Verdict::kKeep;
    if (operating->schema == nullptr)
      return RecordError("Schema required for [updating schema metadata]");
    if (operating->schema->type != ConnectType::kStruct)
      return RecordError("Cannot list fields on non-struct type");
    ConnectSchema schema = *operating->schema;
    if (options_.name) schema.name = *options_.name;
    if (options_.version) schema.version = *options_.version;
    operating->schema = event::Shared(std::move(schema));
    if (operating->is_struct()) TakeMembers(options_.common.replace_null, &*operating);
    RETURN_IF_ERROR(CheckPuts(*operating));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate& record) const override {
    return CopiedUnlessNull(options_.common.target, record);
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kSetSchemaMetadata = {
    .name = "org.apache.kafka.connect.transforms.SetSchemaMetadata",
    .has_targets = true,
    .options = kOptions,
    .doc = "Sets the name and version of the schema.",
    .make = MakeStage<SetSchemaMetadata, Read>};

}  // namespace walduct::transform
