// RecordProgram: a template compiled for the converters of a connector: key, value and headers.
// Thread-safety: none; it remembers what the changes of a transaction share. One per encoder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "encode/options/converter_options.h"
#include "encode/program/part_program.h"
#include "encode/records/constant_headers.h"
#include "encode/records/record_inputs.h"
#include "event/record.h"
#include "event/record_template.h"

namespace walduct::encode {

class RecordProgram {
 public:
  struct Converters {
    ConverterOptions key, value;
    std::optional<ConverterOptions> header;  // absent: SimpleHeaderConverter
    event::SchemaIdSources ids = {};
  };
  // table: whose columns the template has; borrowed for life, null: none. An error: no record of
  // this template can be written (a required value is null, bytes are asked for and there are
  // none). pool: where headers that are the same in each record are kept; null: by the program.
  static absl::StatusOr<std::unique_ptr<RecordProgram>> Compile(const event::RecordTemplate& record,
                                                                const TablePlan* table,
                                                                const Converters& converters,
                                                                HeaderPool* pool = nullptr);

  // Fills record, which borrows from the program and the buffers.
  //   ResourceExhausted  a schema's id is not known yet: see SchemaIds::Find
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   event::Record* record);

 private:
  absl::Status CompileHeaders(const event::RecordTemplate& record, const TablePlan* table,
                              const Converters& converters, size_t* buffers);
  absl::Status FindIds();
  void AddIdHeaders(const event::Record& record);
  void ShareHeaders(HeaderPool* pool);
  void BeginTransaction(const RecordInputs& inputs, ValueContext* context);
  absl::Status RunHeaders(const RecordInputs& inputs, ValueContext* context,
                          ProgramBuffers* buffers);
  absl::Status RunPlace(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                        event::Record* record) const;

  // What each record needs stands first.
  std::string topic_;
  uint64_t transaction_ = 0;  // RecordInputs::transaction() of the last record
  std::shared_ptr<const ConstantHeaders> constant_headers_;  // null: headers_, header_values_
  std::unique_ptr<LeafProgram> partition_, timestamp_;
  bool asks_for_ids_ = false;
  bool has_id_headers_ = false;
  PartProgram key_, value_;
  std::vector<PartProgram> headers_;
  std::vector<event::Header> header_values_;  // of the last record
};

}  // namespace walduct::encode
