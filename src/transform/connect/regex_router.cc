// Kafka Connect's RegexRouter: renames topics by a regular expression.
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "java/regex/regex_rename.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using event::RecordTemplate;
using java::RegexRename;
using enum OptionType;

constexpr OptionRow kOptions[] = {{.name = "regex",
                                   .type = kRegex,
                                   .required = true,
                                   .doc = "Java regular expression for the whole topic name.",
                                   .check = CheckPattern},
                                  {.name = "replacement",
                                   .required = true,
                                   .doc = "New name; `$1` and `${name}` refer to groups."}};

struct Options {
  RegexRename topic;
};

Options Read(const Setting& setting) {
  return {.topic =
              CheckedRename(setting.options.Text("regex"), setting.options.Text("replacement"))};
}

OptionProblem Check(const OptionValues& options) {
  if (!options.Has("regex") || !options.Has("replacement")) return {};
  const std::string problem = CheckReplacement(options.Text("regex"), options.Text("replacement"));
  if (problem.empty()) return {};
  return {"replacement", absl::StrCat("does not fit the regex: ", problem),
          "use a group of the regex"};
}

class RegexRouter final : public Stage {
 public:
  explicit RegexRouter(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    if (std::optional<std::string> topic = options_.topic.Replace(record->topic))
      record->topic = *std::move(topic);
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate& record) const override {
    return options_.topic.Replace(record.topic) ? SharedHeaders::kCopied : SharedHeaders::kIfSame;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kRegexRouter = {
    .name = "org.apache.kafka.connect.transforms.RegexRouter",
    .options = kOptions,
    .doc = "Renames topics by a regular expression.",
    .check = Check,
    .make = MakeStage<RegexRouter, Read>};

}  // namespace walduct::transform
