// Debezium's SchemaChangeEventFilter: without effect, as PostgreSQL has no schema change events.

#include <string>

#include "absl/strings/str_cat.h"
#include "java/text/text_lists.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using event::RecordTemplate;
using enum OptionType;

std::string CheckSchemaChanges(absl::string_view value) {
  for (const std::string& item : java::SplitCommaList(value)) {
    if (item == "CREATE" || item == "ALTER" || item == "DROP" || item == "TRUNCATE" ||
        item == "DATABASE")
      continue;
    return absl::StrCat("has '", item, "'; it lists CREATE, ALTER, DROP, TRUNCATE, DATABASE");
  }
  return "";
}

constexpr OptionRow kOptions[] = {
    {.name = "schema.change.event.exclude.list",
     .type = kList,
     .required = true,
     .doc = "Of CREATE, ALTER, DROP, TRUNCATE, DATABASE; no effect: there are no such events.",
     .check = CheckSchemaChanges}};

std::string Explain(OptionValues*) {
  return "has no effect: PostgreSQL has no schema change events; it can be removed";
}

class SchemaChangeEventFilter final : public Stage {
 public:
  absl::StatusOr<Verdict> Apply(RecordTemplate*, Questions*) const override {
    return Verdict::kKeep;
  }
};

}  // namespace

extern constinit const TransformClass kSchemaChangeEventFilter = {
    .name = "io.debezium.transforms.SchemaChangeEventFilter",
    .options = kOptions,
    .doc = "No effect, with a warning at startup: PostgreSQL has no schema change events.",
    .modernize = Explain,
    .make = MakeStage<SchemaChangeEventFilter>};

}  // namespace walduct::transform
