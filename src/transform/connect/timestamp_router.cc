// Kafka Connect's TimestampRouter: puts the record's timestamp into the topic's name.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "java/time/simple_date_format.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::RecordTemplate;
using event::Scalar;

constexpr OptionRow kOptions[] = {{.name = "topic.format",
                                   .default_value = "${topic}-${timestamp}",
                                   .doc = "New name of the topic."},
                                  {.name = "timestamp.format",
                                   .default_value = "yyyyMMdd",
                                   .doc = "Pattern of java.text.SimpleDateFormat, in UTC.",
                                   .check = CheckDateFormat}};

struct Options {
  std::string topic;
  std::shared_ptr<const java::SimpleDateFormat> timestamp;
};

Options Read(const Setting& setting) {
  return {.topic = setting.options.Text("topic.format"),
          .timestamp = CheckedDateFormat(setting.options.Text("timestamp.format"))};
}

class TimestampRouter final : public Stage {
 public:
  explicit TimestampRouter(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (!record->timestamp) return RecordError("Timestamp missing on record");
    const auto format = options_.timestamp;
    const auto print = MakeFunction([format](auto in, std::string* buffer, Scalar* out) {
      if (in[0].is_null()) return RecordError("Timestamp missing on record");
      format->Append(in[0].integer, buffer);
      *out = Scalar::Text(*buffer);
      return absl::OkStatus();
    });
    const event::Answer* day = questions->Ask(
        event::FunctionNode(PlainSchema(ConnectType::kString, false), print, {*record->timestamp}));
    if (day == nullptr) return Verdict::kAsk;
    record->topic = absl::StrReplaceAll(options_.topic,
                                        {{"${topic}", record->topic}, {"${timestamp}", day->text}});
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kCopied;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kTimestampRouter = {
    .name = "org.apache.kafka.connect.transforms.TimestampRouter",
    .options = kOptions,
    .doc = "Puts the record's timestamp into the topic's name.",
    .make = MakeStage<TimestampRouter, Read>};

}  // namespace walduct::transform
