// AvroPart: the key or the value of a template as Avro in the frame of a registry: 0, the id of the
// schema, the value; or the value alone, and headers that say the id. The id comes from a registry,
// before the first record.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "encode/formats/avro_schema.h"
#include "encode/formats/avro_writer.h"
#include "encode/options/converter_options.h"
#include "encode/program/node_program.h"
#include "encode/program/schema_id.h"
#include "event/record.h"
#include "event/schema_ids.h"

namespace walduct::encode {

class AvroPart {
 public:
  struct Parts {
    const TablePlan* table = nullptr;  // see RecordProgram::Compile
    size_t* buffers = nullptr;         // see CompileLeaf
    event::SchemaIds* ids = nullptr;   // borrowed for life
    absl::string_view topic;
    bool is_key = false;
    ConverterOptions converter;
  };
  // node: not null, with a schema. InvalidArgument: no such record can be written.
  static absl::StatusOr<std::unique_ptr<AvroPart>> Compile(const event::Node& node,
                                                           const Parts& parts);

  bool has_transaction_text() const { return program_.has_transaction_text(); }
  void BeginTransaction(const RecordInputs& inputs) { program_.BeginTransaction(inputs); }

  // Asks for the id unless it is known; for a value that may be null as a whole, AskForId does.
  //   ResourceExhausted  not known yet: see SchemaIds::Find
  absl::Status Prepare() { return alone_ ? absl::OkStatus() : AskForId(); }
  absl::Status AskForId() { return id_.known() ? absl::OkStatus() : FindId(); }

  // The headers of a record whose key or value this is, where they hold the id. Borrowed.
  void AddHeaders(std::vector<event::Header>* headers) const {
    for (const auto& [name, value] : headers_) headers->push_back({name, value});
  }
  // The first four bytes behind the zero of the frame, as a number; once the id is known.
  int64_t id_in_four_bytes() const { return frame_size_ == 9 ? id_.value() >> 32 : id_.value(); }
  bool has_headers() const { return converter_.id_place == IdPlace::kHeader; }

  // *out, absent before: stays so where the value is null; borrows from *buffer.
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   OutBuffer* buffer, std::optional<absl::string_view>* out);

 private:
  AvroPart(const event::Node& node, const Parts& parts, SchemaId id, const AvroSchema& schema);
  absl::Status FindId();
  // As a schema of the registry that stands for the value's own has it.
  absl::Status Rewrite(OutBuffer* buffer);

  NodeProgram<AvroWriter> program_;
  const bool alone_;        // a value that is not a record
  const bool plain_bytes_;  // see AvroSchema, as the next
  const std::string redefined_;
  SchemaId id_;
  const ConverterOptions converter_;
  const bool is_key_;
  size_t frame_size_;
  std::string frame_;  // and the branch of a union at the top
  std::string rewritten_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

}  // namespace walduct::encode
