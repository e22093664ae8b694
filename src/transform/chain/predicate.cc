#include "transform/chain/predicate.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "java/regex/regex.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

class TopicNameMatches final : public Predicate {
 public:
  explicit TopicNameMatches(const std::string& pattern) {
    auto regex = java::Regex::Compile(pattern, {});
    CHECK(regex.ok());  // checked before
    regex_ = *std::move(regex);
  }
  std::optional<bool> Test(const event::RecordTemplate& record, Questions*) const override {
    return regex_->FullMatch(record.topic);
  }

 private:
  std::unique_ptr<java::Regex> regex_;
};

class HasHeaderKey final : public Predicate {
 public:
  explicit HasHeaderKey(std::string name) : name_(std::move(name)) {}
  std::optional<bool> Test(const event::RecordTemplate& record, Questions*) const override {
    return std::any_of(record.headers.begin(), record.headers.end(),
                       [&](const event::Node& header) { return header.name == name_; });
  }

 private:
  const std::string name_;
};

class RecordIsTombstone final : public Predicate {
 public:
  std::optional<bool> Test(const event::RecordTemplate& record,
                           Questions* questions) const override {
    const Presence presence = PresenceOf(record.value, questions);
    if (presence == Presence::kUnknown) return std::nullopt;
    return presence == Presence::kNull;
  }
};

}  // namespace

PredicatePtr MakePredicate(const config::PredicateSpec& spec) {
  switch (spec.kind) {
    case config::PredicateKind::kTopicNameMatches:
      return std::make_shared<const TopicNameMatches>(spec.options.Text("pattern"));
    case config::PredicateKind::kHasHeaderKey:
      return std::make_shared<const HasHeaderKey>(spec.options.Text("name"));
    case config::PredicateKind::kRecordIsTombstone:
      break;
  }
  return std::make_shared<const RecordIsTombstone>();
}

}  // namespace walduct::transform
