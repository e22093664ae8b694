#include "encode/program/cloud_event_part.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "encode/program/part_compiler.h"

namespace walduct::encode {

using event::ConnectType;
using event::Node;
using event::Scalar;

struct CloudEventPart::Held final : event::ValueFunction {
  absl::Status Apply(absl::Span<const Scalar>, std::string*, Scalar* out) const override {
    *out = value;
    return absl::OkStatus();
  }
  Scalar value;
  std::string text;
};

CloudEventPart::CloudEventPart()
    : data_bytes_(std::make_shared<Held>()), schema_uri_(std::make_shared<Held>()) {}

absl::StatusOr<std::shared_ptr<CloudEventPart>> CloudEventPart::Compile(
    const Node& value, const std::vector<Node>& headers, const AvroPart::Parts& parts) {
  const CloudEventsOptions& options = *parts.converter.cloud_events;
  std::shared_ptr<CloudEventPart> part(new CloudEventPart());
  ASSIGN_OR_RETURN(const std::optional<CloudEvent> event,
                   MakeCloudEvent(value, headers, options,
                                  {.avro_data = true, .schema_uri = part->schema_uri_}));
  if (!event) return nullptr;
  part->uri_base_ = absl::StrCat(options.registry, "/schemas/ids/");
  AvroPart::Parts data_parts = parts;
  // Two schemas have two subjects.
  const std::string data_topic = absl::StrCat(parts.topic, "-data");
  if (options.avro) data_parts.topic = data_topic;
  ASSIGN_OR_RETURN(part->data_, AvroPart::Compile(event->data, data_parts));
  RETURN_IF_ERROR(part->CompileEvent(*event, parts));
  return part;
}

absl::Status CloudEventPart::CompileEvent(const CloudEvent& event, const AvroPart::Parts& parts) {
  const Node data = event::FunctionNode(Shared(event::Schema(ConnectType::kBytes)), data_bytes_, {},
                                        event.data.name);
  ConverterOptions converter = parts.converter;
  converter.cloud_events = nullptr;
  converter.schemas_enable = false;
  if (!parts.converter.cloud_events->avro) converter.kind = ConverterKind::kJson;
  PartCompiler compiler(parts.table, parts.buffers, &event_);
  compiler.SetRegistry(parts.topic, parts.ids);
  return compiler.Compile(event.With(data), PartProgram::Role::kValue, converter);
}

bool CloudEventPart::has_transaction_text() const {
  return data_->has_transaction_text() || event_.has_transaction_text();
}

void CloudEventPart::BeginTransaction(const RecordInputs& inputs, ValueContext* context) {
  data_->BeginTransaction(inputs);
  if (event_.has_transaction_text()) event_.BeginTransaction(inputs, context);
}

absl::Status CloudEventPart::Prepare() {
  RETURN_IF_ERROR(data_->AskForId());
  if (schema_uri_->text.empty()) {
    // Its reader takes the first four bytes behind the zero, of eight, too.
    const int64_t id = data_->id_in_four_bytes();
    schema_uri_->text = absl::StrCat(uri_base_, id);
    schema_uri_->value = Scalar::Text(schema_uri_->text);
  }
  return event_.Prepare();
}

absl::Status CloudEventPart::Run(const RecordInputs& inputs, ValueContext* context,
                                 ProgramBuffers* buffers, OutBuffer* buffer,
                                 std::optional<absl::string_view>* out) {
  std::optional<absl::string_view> data;
  RETURN_IF_ERROR(data_->Run(inputs, context, buffers, &data_buffer_, &data));
  data_bytes_->value = data ? Scalar::Bytes(*data) : Scalar::Null();
  return event_.Run(inputs, context, buffers, buffer, out);
}

}  // namespace walduct::encode
