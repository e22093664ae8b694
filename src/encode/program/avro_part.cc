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
  if (parts.converter.subject == SubjectStrategy::kTopicAlone) return std::string(parts.topic);
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

size_t FrameSize(IdPlace place) {
  return place == IdPlace::kHeader ? 0 : place == IdPlace::kFourBytes ? 5 : 9;
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
      converter_(parts.converter),
      is_key_(parts.is_key),
      frame_size_(FrameSize(parts.converter.id_place)),
      frame_(frame_size_, '\0') {
  AvroWriter(&frame_).Field(0, "", NeedOf(node.schema.get()));
}

absl::Status AvroPart::FindId() {
  ASSIGN_OR_RETURN(id_, ids_->Find(subject_, schema_.text));
  const auto byte = [id = id_](size_t behind) { return static_cast<char>(id >> (8 * behind)); };
  for (size_t i = 1; i < frame_size_; ++i) frame_[i] = byte(frame_size_ - 1 - i);
  if (has_headers()) {
    std::string bytes;
    for (size_t i = 8; i > 0; --i) bytes.push_back(byte(i - 1));
    const std::string prefix = absl::StrCat("apicurio.", is_key_ ? "key." : "value.");
    headers_ = {{prefix + (converter_.content_id ? "contentId" : "globalId"), std::move(bytes)},
                {prefix + "encoding", "BINARY"}};
  }
  known_ = true;
  schema_.text = std::string();
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
    buffer->erase(frame_size_, LengthSize(absl::string_view(*buffer).substr(frame_size_)));
  if (!known_) {
    RETURN_IF_ERROR(FindId());
    buffer->replace(0, frame_size_, frame_, 0, frame_size_);
  }
  *out = *buffer;
  return absl::OkStatus();
}

}  // namespace walduct::encode
