// ProtobufPart: the key or the value of a template as a Protobuf message in a registry's frame: 0,
// the id of the schema in four bytes, which message of the schema it is, the message. The id comes
// from a registry, before the first record.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "encode/formats/protobuf_writer.h"
#include "encode/program/avro_part.h"
#include "encode/program/node_program.h"
#include "encode/program/schema_id.h"

namespace walduct::encode {

class ProtobufPart {
 public:
  // node: not null, with a schema. InvalidArgument: no such record can be written.
  static absl::StatusOr<std::unique_ptr<ProtobufPart>> Compile(const event::Node& node,
                                                               const AvroPart::Parts& parts);

  bool has_transaction_text() const { return program_.has_transaction_text(); }
  void BeginTransaction(const RecordInputs& inputs) { program_.BeginTransaction(inputs); }

  // As AvroPart's.
  absl::Status Prepare() { return alone_ ? absl::OkStatus() : FindId(); }
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   OutBuffer* buffer, std::optional<absl::string_view>* out);

 private:
  ProtobufPart(const event::Node& node, const AvroPart::Parts& parts, SchemaId id, int index);
  absl::Status FindId();
  absl::Status HasNoForm(const ProtobufProblem& problem) const;

  NodeProgram<ProtobufWriter> program_;
  const ProtobufForm form_;
  const bool alone_;  // a value that is no record
  const event::ConnectSchemaPtr schema_;
  SchemaId id_;
  std::string frame_;
};

}  // namespace walduct::encode
