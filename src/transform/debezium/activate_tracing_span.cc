// Debezium's ActivateTracingSpan. The original makes spans with OpenTelemetry's agent for Java and
// puts the context of the last one into headers; there are no spans here, so the context that the
// row brings along goes on as it is.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "transform/debezium/trace_context.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using enum OptionType;

constexpr absl::string_view kUnreadable = "?";

event::ValueFunctionPtr Names() {
  return MakeFunction([](auto in, std::string* buffer, Scalar* out) {
    if (!in[0].is_null()) *buffer = TraceEntryNames(in[0].text).value_or(std::string(kUnreadable));
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  });
}

event::ValueFunctionPtr Entry(absl::string_view header) {
  return MakeFunction([header](auto in, std::string* buffer, Scalar* out) {
    ASSIGN_OR_RETURN(*buffer, TraceEntry(in[0].text, header));
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  });
}

constexpr OptionRow kOptions[] = {
    {.name = "tracing.span.context.field",
     .default_value = "tracingspancontext",
     .doc = "Column with the row's trace context: java.util.Properties, one entry per "
            "header."},
    {.name = "tracing.operation.name",
     .default_value = "debezium-read",
     .doc = "No effect: walduct creates no spans of its own."},
    {.name = "tracing.with.context.field.only",
     .type = kBoolean,
     .default_value = "false",
     .doc = "No effect: without a context there is nothing to pass on."}};

struct Options {
  std::string field;
};

Options Read(const Setting& setting) {
  return {.field = setting.options.Text("tracing.span.context.field")};
}

class ActivateTracingSpan final : public Stage {
 public:
  explicit ActivateTracingSpan(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    const Node* after = IsEnvelope(record->value) ? record->value->Find("after") : nullptr;
    if (after == nullptr || !after->is_struct()) return Verdict::kKeep;
    const Node* context = after->Find(options_.field);
    if (context == nullptr) return Verdict::kKeep;
    if (context->schema != nullptr && context->schema->type != ConnectType::kString)
      return RecordError(absl::StrCat("Field '", options_.field, "' is not of type STRING"));
    if (context->kind != Node::Kind::kLeaf) return Verdict::kKeep;
    return AddHeaders(Taken(*context, true), record, questions);
  }

 private:
  absl::StatusOr<Verdict> AddHeaders(const Node& context, RecordTemplate* record,
                                     Questions* questions) const {
    const event::ConnectSchemaPtr text = PlainSchema(ConnectType::kString, false);
    ASSIGN_OR_RETURN(const Node question, Converted(context, text, Names()));
    const event::Answer* names = questions->Ask(question);
    if (names == nullptr) return Verdict::kAsk;
    if (names->text == kUnreadable) {
      questions->Warn(absl::StrCat("a trace context in column ", options_.field,
                                   " cannot be read; the record is published without it"));
      return Verdict::kKeep;
    }
    for (const absl::string_view name : TraceHeaders()) {
      if (!HasName(names->text, name)) continue;
      ASSIGN_OR_RETURN(Node header, Converted(context, text, Entry(name)));
      header.name = std::string(name);
      Replace(std::move(header), record);
    }
    return Verdict::kKeep;
  }

  static bool HasName(absl::string_view list, absl::string_view name) {
    for (const absl::string_view listed : absl::StrSplit(list, ',')) {
      if (listed == name) return true;
    }
    return false;
  }

  static void Replace(Node header, RecordTemplate* record) {
    std::erase_if(record->headers, [&](const Node& other) { return other.name == header.name; });
    record->headers.push_back(std::move(header));
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kActivateTracingSpan = {
    .name = "io.debezium.transforms.tracing.ActivateTracingSpan",
    .options = kOptions,
    .doc =
        "Puts the trace context of a row into headers (`traceparent`, `tracestate`, `baggage`, "
        "those of B3, Jaeger and X-Ray), so that consumers continue the application's trace. Put "
        "it before the EventRouter.",
    .make = MakeStage<ActivateTracingSpan, Read>};

}  // namespace walduct::transform
