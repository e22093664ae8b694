#include "encode/program/protobuf_part.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "encode/formats/protobuf_schema.h"
#include "encode/readers/read_formats.h"

namespace walduct::encode {
namespace {

constexpr size_t kIdBegins = 1;

// The path to a message at the top of its schema: the count of its steps and each, as zigzag
// varints; the first message's is 0.
std::string PathOf(int index) {
  if (index == 0) return std::string(1, '\0');
  return {'\2', static_cast<char>(2 * index)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProtobufPart>> ProtobufPart::Compile(const event::Node& node,
                                                                    const AvroPart::Parts& parts) {
  CHECK(parts.ids != nullptr);
  ASSIGN_OR_RETURN(ProtobufSchema schema,
                   MakeProtobufSchema(*node.schema, parts.converter.protobuf));
  ASSIGN_OR_RETURN(std::string subject, SubjectOf({.topic = parts.topic,
                                                   .is_key = parts.is_key,
                                                   .strategy = parts.converter.subject,
                                                   .record_name = schema.record_name}));
  SchemaId id(parts.ids, std::move(subject), std::move(schema.text));
  std::unique_ptr<ProtobufPart> part(new ProtobufPart(node, parts, std::move(id), schema.index));
  RETURN_IF_ERROR(part->program_.status());
  return part;
}

ProtobufPart::ProtobufPart(const event::Node& node, const AvroPart::Parts& parts, SchemaId id,
                           int index)
    : program_(node, parts.table, parts.buffers, parts.converter.protobuf),
      form_(parts.converter.protobuf),
      alone_(!node.is_struct()),
      schema_(node.schema),
      id_(std::move(id)),
      frame_(absl::StrCat(std::string(kIdBegins + kIdSize, '\0'), PathOf(index))) {}

absl::Status ProtobufPart::FindId() {
  if (id_.known()) return absl::OkStatus();
  RETURN_IF_ERROR(id_.Find());
  for (size_t i = 0; i < kIdSize; ++i)
    frame_[kIdBegins + i] = static_cast<char>(id_.value() >> (8 * (kIdSize - 1 - i)));
  return absl::OkStatus();
}

absl::Status ProtobufPart::HasNoForm(const ProtobufProblem& problem) const {
  const std::string field = ProtobufPath(*schema_, problem.path);
  const bool item = problem.kind == ProtobufProblem::Kind::kNullItem;
  return Error(absl::StatusCode::kInvalidArgument, "protobuf_value",
               absl::StrCat("field ", field, " holds ",
                            item ? "an array with NULL in it, which Protobuf has no form for"
                                 : "a timestamp beyond the years 1 to 9999, the last that "
                                   "google.protobuf.Timestamp has"),
               item ? "leave the column out with column.exclude.list, or use AvroConverter or "
                      "JsonConverter"
                    : "correct the row, set time.precision.mode=adaptive, or leave the column out "
                      "with column.exclude.list");
}

absl::Status ProtobufPart::Run(const RecordInputs& inputs, ValueContext* context,
                               ProgramBuffers* buffers, OutBuffer* buffer,
                               std::optional<absl::string_view>* out) {
  buffer->assign(frame_);
  context->out = buffer;
  context->format = TextFormat::kJson;
  context->nested_arrays = false;
  ProtobufWriter writer(buffer, form_);
  bool null = false;
  RETURN_IF_ERROR(program_.Run(inputs, context, buffers, buffer, &writer, &null));
  if (null) return absl::OkStatus();
  if (writer.problem().kind != ProtobufProblem::Kind::kNone) return HasNoForm(writer.problem());
  if (!id_.known()) {
    RETURN_IF_ERROR(FindId());
    buffer->replace(0, frame_.size(), frame_);
  }
  *out = *buffer;
  return absl::OkStatus();
}

}  // namespace walduct::encode
