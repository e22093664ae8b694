// Kafka Connect's ValueToKey: makes the key from fields of the value.
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

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using enum OptionType;

constexpr OptionRow kOptions[] = {{.name = "fields",
                                   .type = kList,
                                   .required = true,
                                   .doc = "Fields of the value, in the order of the key.",
                                   .check = CheckNotEmptyList},
                                  kReplaceNull};

struct Options {
  bool replace_null = true;
  std::vector<std::string> fields;
};

Options Read(const Setting& setting) {
  return {.replace_null = setting.options.Boolean(kReplaceNull.name),
          .fields = setting.options.List("fields")};
}

class ValueToKey final : public Stage {
 public:
  explicit ValueToKey(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    ASSIGN_OR_RETURN(Node * value,
                     RequireStruct(&record->value, "copying fields from value to key"));
    Node key = event::StructNode(nullptr, {});
    const Node missing = event::NullNode(nullptr);  // from a map
    for (const std::string& field : options_.fields) {
      const Node* member = value->Find(field);
      if (member == nullptr && value->schema == nullptr) member = &missing;
      if (member == nullptr) return RecordError(absl::StrCat("Field does not exist: ", field));
      key.members.push_back(Taken(*member, options_.replace_null));
      key.members.back().name = field;
    }
    if (value->schema != nullptr)
      RETURN_IF_ERROR(SetStructSchema(event::Schema(ConnectType::kStruct), &key));
    record->key = std::move(key);
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kCopied;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kValueToKey = {
    .name = "org.apache.kafka.connect.transforms.ValueToKey",
    .options = kOptions,
    .doc = "Builds the key from fields of the value.",
    .make = MakeStage<ValueToKey, Read>};

}  // namespace walduct::transform
