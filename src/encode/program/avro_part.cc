#include "encode/program/avro_part.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "encode/readers/read_formats.h"

namespace walduct::encode {
namespace {

absl::StatusOr<std::string> SubjectOf(const AvroSchema& schema, const AvroPart::Parts& parts) {
  const absl::string_view role = parts.is_key ? "key" : "value";
  if (parts.converter.subject == SubjectStrategy::kTopic)
    return absl::StrCat(parts.topic, "-", role);
  if (schema.record_name.empty()) {
    return Error(absl::StatusCode::kInvalidArgument, "subject_needs_record",
                 absl::StrCat("the ", role, " is no record, so ", role,
                              ".subject.name.strategy has no name for its schema"),
                 absl::StrCat("use io.confluent.kafka.serializers.subject.TopicNameStrategy for ",
                              role, "s, or another converter"));
  }
  return parts.converter.subject == SubjectStrategy::kRecord
             ? schema.record_name
             : absl::StrCat(parts.topic, "-", schema.record_name);
}

// Where the bytes begin behind their length.
size_t LengthSize(absl::string_view bytes) {
  size_t size = 0;
  while (size < bytes.size() && (static_cast<unsigned char>(bytes[size]) & 0x80) != 0) ++size;
  return size + 1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<AvroPart>> AvroPart::Compile(const event::Node& node,
                                                            const Parts& parts) {
  CHECK(parts.ids != nullptr);
  std::unique_ptr<AvroPart> part(
      new AvroPart(node, parts, MakeAvroSchema(*node.schema, parts.converter.avro)));
  RETURN_IF_ERROR(part->program_.status());
  ASSIGN_OR_RETURN(part->subject_, SubjectOf(part->schema_, parts));
  return part;
}

AvroPart::AvroPart(const event::Node& node, const Parts& parts, AvroSchema schema)
    : program_(node, parts.table, parts.buffers),
      ids_(parts.ids),
      alone_(!node.is_struct()),
      schema_(std::move(schema)),
      frame_(kFrameSize, '\0') {
  AvroWriter(&frame_).Field(0, "", NeedOf(node.schema.get()));
}

absl::Status AvroPart::FindId() {
  ASSIGN_OR_RETURN(const int64_t id, ids_->Find(subject_, schema_.text));
  for (size_t i = 1; i < kFrameSize; ++i)
    frame_[i] = static_cast<char>(id >> (8 * (kFrameSize - 1 - i)));
  known_ = true;
  return absl::OkStatus();
}

absl::Status AvroPart::Run(const RecordInputs& inputs, ValueContext* context,
                           ProgramBuffers* buffers, std::string* buffer,
                           std::optional<absl::string_view>* out) {
  buffer->assign(frame_);
  context->out = buffer;
  context->format = TextFormat::kJson;
  context->nested_arrays = false;
  AvroWriter writer(buffer);
  bool null = false;
  RETURN_IF_ERROR(program_.Run(inputs, context, buffers, buffer, &writer, &null));
  if (null) return absl::OkStatus();
  if (schema_.plain_bytes)
    buffer->erase(kFrameSize, LengthSize(absl::string_view(*buffer).substr(kFrameSize)));
  if (!known_) {
    RETURN_IF_ERROR(FindId());
    buffer->replace(0, kFrameSize, frame_, 0, kFrameSize);
  }
  *out = *buffer;
  return absl::OkStatus();
}

}  // namespace walduct::encode
