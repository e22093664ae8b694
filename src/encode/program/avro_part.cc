#include "encode/program/avro_part.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "encode/readers/read_formats.h"

namespace walduct::encode {
namespace {

size_t FrameSize(IdPlace place) {
  return place == IdPlace::kHeader ? 0 : place == IdPlace::kFourBytes ? 5 : 9;
}

// Where the bytes begin behind their length.
size_t LengthSize(absl::string_view bytes) {
  size_t size = 0;
  while (size < bytes.size() && (static_cast<unsigned char>(bytes[size]) & 0x80) != 0) ++size;
  return size + 1;
}

// What a registry says to it ("failed to discover artifact type") tells nobody why.
absl::Status RefusedAsRedefined(const absl::Status& refused, absl::string_view name) {
  return Error(refused.code(), ErrorReason(refused),
               absl::StrCat(refused.message(), "; Avro allows one meaning of a name, and ", name,
                            " has two: columns of one type differ in their schemas"),
               "column.mask, column.truncate and propagate.source.type add parameters to what they "
               "name: let them name all columns of that type, or none");
}

}  // namespace

absl::StatusOr<std::unique_ptr<AvroPart>> AvroPart::Compile(const event::Node& node,
                                                            const Parts& parts) {
  CHECK(parts.ids != nullptr);
  AvroSchema schema = MakeAvroSchema(*node.schema, parts.converter.avro);
  ASSIGN_OR_RETURN(std::string subject, SubjectOf({.topic = parts.topic,
                                                   .is_key = parts.is_key,
                                                   .strategy = parts.converter.subject,
                                                   .record_name = schema.record_name}));
  SchemaId id(parts.ids, std::move(subject), std::move(schema.text));
  std::unique_ptr<AvroPart> part(new AvroPart(node, parts, std::move(id), schema));
  RETURN_IF_ERROR(part->program_.status());
  return part;
}

AvroPart::AvroPart(const event::Node& node, const Parts& parts, SchemaId id,
                   const AvroSchema& schema)
    : program_(node, parts.table, parts.buffers),
      alone_(!node.is_struct()),
      plain_bytes_(schema.plain_bytes),
      redefined_(schema.redefined),
      id_(std::move(id)),
      converter_(parts.converter),
      is_key_(parts.is_key),
      frame_size_(FrameSize(parts.converter.id_place)),
      frame_(frame_size_, '\0') {
  OutBuffer branch;
  AvroWriter(&branch).Field(0, "", NeedOf(node.schema.get()));
  absl::StrAppend(&frame_, branch.view());
}

absl::Status AvroPart::FindId() {
  const absl::Status found = id_.Find();
  if (absl::IsInvalidArgument(found) && !redefined_.empty())
    return RefusedAsRedefined(found, redefined_);
  RETURN_IF_ERROR(found);
  const auto byte = [id = id_.value()](size_t behind) {
    return static_cast<char>(id >> (8 * behind));
  };
  for (size_t i = 1; i < frame_size_; ++i) frame_[i] = byte(frame_size_ - 1 - i);
  if (has_headers()) {
    std::string bytes;
    for (size_t i = 8; i > 0; --i) bytes.push_back(byte(i - 1));
    const std::string prefix = absl::StrCat("apicurio.", is_key_ ? "key." : "value.");
    headers_ = {{prefix + (converter_.content_id ? "contentId" : "globalId"), std::move(bytes)},
                {prefix + "encoding", "BINARY"}};
  }
  return absl::OkStatus();
}

absl::Status AvroPart::Rewrite(OutBuffer* buffer) {
  rewritten_.assign(buffer->data(), frame_size_);
  RETURN_IF_ERROR(id_.rewriter()->Rewrite(buffer->view().substr(frame_size_), &rewritten_));
  buffer->assign(rewritten_);
  return absl::OkStatus();
}

absl::Status AvroPart::Run(const RecordInputs& inputs, ValueContext* context,
                           ProgramBuffers* buffers, OutBuffer* buffer,
                           std::optional<absl::string_view>* out) {
  buffer->assign(frame_);
  context->out = buffer;
  context->format = TextFormat::kJson;
  context->nested_arrays = false;
  AvroWriter writer(buffer);
  bool null = false;
  RETURN_IF_ERROR(program_.Run(inputs, context, buffers, buffer, &writer, &null));
  if (null) return absl::OkStatus();
  if (!id_.known()) {
    RETURN_IF_ERROR(FindId());
    buffer->replace(0, frame_size_, absl::string_view(frame_).substr(0, frame_size_));
  }
  if (id_.rewriter() != nullptr) {
    RETURN_IF_ERROR(Rewrite(buffer));
  } else if (plain_bytes_) {
    buffer->replace(frame_size_, LengthSize(buffer->view().substr(frame_size_)), "");
  }
  *out = *buffer;
  return absl::OkStatus();
}

}  // namespace walduct::encode
