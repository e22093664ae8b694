// Kafka Connect's DropHeaders: removes headers.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"

namespace walduct::transform {
namespace {

using event::Node;
using event::RecordTemplate;
using enum OptionType;

constexpr OptionRow kOptions[] = {{.name = "headers",
                                   .type = kList,
                                   .required = true,
                                   .doc = "Names of the headers to remove.",
                                   .check = CheckNotEmptyList}};

struct Options {
  std::set<std::string, std::less<>> names;
};

Options Read(const Setting& setting) { return {.names = setting.options.Set("headers")}; }

class DropHeaders final : public Stage {
 public:
  explicit DropHeaders(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    std::erase_if(record->headers,
                  [&](const Node& header) { return options_.names.count(header.name) > 0; });
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kCopied;
  }

 private:
  const Options options_;
};

}  // namespace

extern constinit const TransformClass kDropHeaders = {
    .name = "org.apache.kafka.connect.transforms.DropHeaders",
    .options = kOptions,
    .doc = "Removes headers.",
    .drops_headers = true,
    .make = MakeStage<DropHeaders, Read>};

}  // namespace walduct::transform
