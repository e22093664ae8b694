// Kafka Connect's TimestampRouter: puts the record's timestamp into the topic's name.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "base/check.h"
#include "java/time/simple_date_format.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectType;
using event::RecordTemplate;
using event::Scalar;

class TimestampRouter final : public Stage {
 public:
  explicit TimestampRouter(const TransformSpec& spec) : topic_(spec.options.Text("topic.format")) {
    auto format = java::SimpleDateFormat::Compile(spec.options.Text("timestamp.format"));
    CHECK(format.ok());  // checked before
    format_ = std::make_shared<const java::SimpleDateFormat>(*std::move(format));
  }

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (!record->timestamp) return RecordError("Timestamp missing on record");
    const auto format = format_;
    const auto print = MakeFunction([format](auto in, std::string* buffer, Scalar* out) {
      if (in[0].is_null()) return RecordError("Timestamp missing on record");
      format->Append(in[0].integer, buffer);
      *out = Scalar::Text(*buffer);
      return absl::OkStatus();
    });
    const event::Answer* day = questions->Ask(
        event::FunctionNode(PlainSchema(ConnectType::kString, false), print, {*record->timestamp}));
    if (day == nullptr) return Verdict::kAsk;
    record->topic =
        absl::StrReplaceAll(topic_, {{"${topic}", record->topic}, {"${timestamp}", day->text}});
    return Verdict::kKeep;
  }

 private:
  const std::string topic_;
  std::shared_ptr<const java::SimpleDateFormat> format_;
};

}  // namespace

StagePtr MakeTimestampRouter(const TransformSpec& spec) {
  return std::make_unique<TimestampRouter>(spec);
}

}  // namespace walduct::transform
