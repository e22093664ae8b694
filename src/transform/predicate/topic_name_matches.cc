// Kafka Connect's TopicNameMatches.
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "java/regex/regex.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

constexpr OptionRow kOptions[] = {{.name = "pattern",
                                   .type = OptionType::kRegex,
                                   .required = true,
                                   .doc = "Java regular expression for the whole topic name.",
                                   .check = CheckPattern}};

class TopicNameMatches final : public Predicate {
 public:
  explicit TopicNameMatches(std::unique_ptr<java::Regex> pattern) : pattern_(std::move(pattern)) {}
  std::optional<bool> Test(const event::RecordTemplate& record, Questions*) const override {
    return pattern_->FullMatch(record.topic);
  }

 private:
  const std::unique_ptr<java::Regex> pattern_;
};

PredicatePtr Make(const OptionValues& options) {
  auto pattern = java::Regex::Compile(options.Text("pattern"), {});
  CHECK(pattern.ok());  // checked before
  return std::make_shared<const TopicNameMatches>(*std::move(pattern));
}

}  // namespace

extern constinit const PredicateClass kTopicNameMatches = {
    .name = "org.apache.kafka.connect.transforms.predicates.TopicNameMatches",
    .options = kOptions,
    .doc = "True when the topic's name matches.",
    .make = Make};

}  // namespace walduct::transform
