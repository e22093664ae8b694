// Kafka Connect's InsertHeader: adds a header with a constant.
#include <utility>

#include "transform/connect/header_literal.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using event::Node;
using event::RecordTemplate;

constexpr OptionRow kOptions[] = {
    {.name = "header", .required = true, .doc = "Name of the header."},
    {.name = "value.literal",
     .required = true,
     .doc = "Value of the header; numbers, booleans, dates and quoted text are recognised."}};

struct Options {
  Node header;
};

Options Read(const Setting& setting) {
  return {.header = ParseHeaderLiteral(setting.options.Text("header"),
                                       setting.options.Text("value.literal"))};
}

class InsertHeader final : public Stage {
 public:
  explicit InsertHeader(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    record->headers.push_back(options_.header);
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kCopied;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kInsertHeader = {
    .name = "org.apache.kafka.connect.transforms.InsertHeader",
    .options = kOptions,
    .doc = "Adds a header with a constant value.",
    .make = MakeStage<InsertHeader, Read>};

}  // namespace walduct::transform
