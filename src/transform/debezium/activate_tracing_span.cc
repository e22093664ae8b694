// Debezium's ActivateTracingSpan. The original makes spans with OpenTelemetry's agent for Java and
// puts the context of the last one into headers; here are no spans, so the context that the row
// brings along goes on as it is.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "transform/debezium/trace_context.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

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

class ActivateTracingSpan final : public Stage {
 public:
  explicit ActivateTracingSpan(const config::TransformSpec& spec)
      : field_(spec.options.Text("tracing.span.context.field")) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    const Node* after = IsEnvelope(record->value) ? record->value->Find("after") : nullptr;
    if (after == nullptr || !after->is_struct()) return Verdict::kKeep;
    const Node* context = after->Find(field_);
    if (context == nullptr) return Verdict::kKeep;
    if (context->schema != nullptr && context->schema->type != ConnectType::kString)
      return RecordError(absl::StrCat("Field '", field_, "' is not of type STRING"));
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
      questions->Warn(absl::StrCat("a trace context in column ", field_,
                                   " cannot be read; the record goes without it"));
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

  const std::string field_;
};

}  // namespace

StagePtr MakeActivateTracingSpan(const config::TransformSpec& spec) {
  return std::make_unique<ActivateTracingSpan>(spec);
}

}  // namespace walduct::transform
