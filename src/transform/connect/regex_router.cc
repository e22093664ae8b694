// Kafka Connect's RegexRouter: renames topics by a regular expression.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "java/regex/regex_rename.h"
#include "transform/stages/stages.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::RecordTemplate;
using java::RegexRename;

RegexRename Compile(absl::string_view regex, absl::string_view replacement) {
  absl::StatusOr<RegexRename> compiled = RegexRename::Compile(regex, replacement);
  CHECK(compiled.ok());  // checked before
  return *std::move(compiled);
}

class RegexRouter final : public Stage {
 public:
  explicit RegexRouter(const TransformSpec& spec)
      : replacement_(Compile(spec.options.Text("regex"), spec.options.Text("replacement"))) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    if (std::optional<std::string> topic = replacement_.Replace(record->topic))
      record->topic = *std::move(topic);
    return Verdict::kKeep;
  }

 private:
  const RegexRename replacement_;
};

}  // namespace

StagePtr MakeRegexRouter(const TransformSpec& spec) { return std::make_unique<RegexRouter>(spec); }

}  // namespace walduct::transform
