// Kafka Connect's HoistField: wraps the whole in a struct of one field.
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;

constexpr OptionRow kOptions[] = {
    {.name = "field", .required = true, .doc = "Name of the single field of the new struct."}};

struct Options {
  TransformTarget target;
  std::string field;
};

Options Read(const Setting& setting) {
  return {.target = setting.target, .field = setting.options.Text("field")};
}

class HoistField final : public Stage {
 public:
  explicit HoistField(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    std::optional<Node>& operating = Target(options_.target, record);
    // Without a schema the result is a map.
    Node member = operating ? std::move(*operating) : event::NullNode(nullptr);
    member.name = options_.field;
    const bool schemaless = member.schema == nullptr;
    Node hoisted = event::StructNode(nullptr, {});
    hoisted.members.push_back(std::move(member));
    if (!schemaless)
      RETURN_IF_ERROR(SetStructSchema(event::Schema(ConnectType::kStruct), &hoisted));
    operating = std::move(hoisted);
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kCopied;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kHoistField = {
    .name = "org.apache.kafka.connect.transforms.HoistField",
    .has_targets = true,
    .options = kOptions,
    .doc = "Wraps the key or value in a struct with one field.",
    .make = MakeStage<HoistField, Read>};

}  // namespace walduct::transform
