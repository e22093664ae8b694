// PartProgram: the key, the value or one header of a template, compiled to appends for one
// converter: runs of text with rows, columns and other values between them. Text joins as far as it
// is the same for all records of the template, and so do the values that all changes of a
// transaction share: they are printed once per transaction.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "encode/options/converter_options.h"
#include "encode/program/avro_part.h"
#include "encode/program/leaf_program.h"
#include "encode/program/protobuf_part.h"
#include "encode/program/schema_id.h"
#include "encode/program/transaction_text.h"

namespace walduct::encode {

class CloudEventPart;

struct Step {
  enum class Kind : uint8_t {
    kText,      // nothing but the text
    kColumns,   // the first columns of a row, from `{` to the last value; not of StringConverter
    kRow,       // a whole row
    kField,     // an input, but not a column; kJson says null for NULL, in kStruct it never is NULL
    kSequence,  // the second part of InputField::kSequence
    kColumn,    // a column alone; not of StringConverter
    kLeaf,      // any leaf
    kMember,    // a member of a struct that StringConverter prints
    kComma,     // one, if a member of the struct stands before it
  };
  // Before the value: so many of the part's constant bytes, or this.
  uint32_t constant = 0;
  std::unique_ptr<TransactionText> of_transaction;
  Kind kind = Kind::kText;
  InputRow row = InputRow::kBefore;     // kColumns, kRow
  InputField field = InputField::kLsn;  // kField
  uint32_t count = 0;                   // kColumns
  const RowPlan* row_plan = nullptr;    // kColumns, kRow; borrowed from the TablePlan
  uint32_t leaf = 0;                    // kColumn, kLeaf, kMember: place in `leaves`
};

// StringConverter leaves out members that are null, so whether a comma stands before one may depend
// on what has been written.
struct MemberStep {
  LeafProgram leaf;
  std::string label;   // `name=`
  bool first = false;  // nothing of its struct stands before it
  bool comma = false;  // one stands before it, if anything of its struct does
};

class PartProgram {
 public:
  enum class Role : uint8_t { kKey, kValue, kHeader };

  const std::string& name() const { return name_; }  // of the header
  void set_name(const std::string& name) { name_ = name; }
  bool has_transaction_text() const { return has_transaction_text_; }

  // Headers of its own; known once the record has been written.
  bool has_id_headers() const { return avro_ != nullptr && avro_->has_headers(); }
  void AddIdHeaders(std::vector<event::Header>* headers) const { avro_->AddHeaders(headers); }
  // Whether Prepare may have something to do.
  bool asks_for_id() const {
    return avro_ != nullptr || protobuf_ != nullptr || event_ != nullptr || schema_id_ != nullptr;
  }
  // Before the first record; see AvroPart::Prepare.
  absl::Status Prepare();

  // To be called before Run whenever RecordInputs::transaction() has changed.
  void BeginTransaction(const RecordInputs& inputs, ValueContext* context);

  // *out, absent before: stays so where the part is null; it borrows from the program or from
  // *buffer.
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   OutBuffer* buffer, std::optional<absl::string_view>* out) const {
    if (form_ != Form::kSteps) return RunOther(inputs, context, buffers, buffer, out);
    Begin(buffer, context);
    if (!head_.empty()) buffer->append(head_);
    absl::Status status = RunSteps(inputs, context, buffers);
    if (status.ok()) *out = *buffer;
    return status;
  }

  // The text, where it is the same in every record.
  std::optional<absl::string_view> constant() const {
    if (form_ != Form::kConstant) return std::nullopt;
    return constants_.view();
  }

 private:
  friend class PartCompiler;

  enum class Form : uint8_t {
    kNull,
    kConstant,
    kSteps,
    kLeaf,        // one value alone
    kBytes,       // the same, as it is
    kHeaderText,  // the same, as SimpleHeaderConverter writes it
    kNumber,      // the same, as a number's bytes
    kAvro,
    kProtobuf,
    kCloudEvent,  // of Avro
  };

  absl::Status RunOther(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                        OutBuffer* buffer, std::optional<absl::string_view>* out) const;
  absl::Status RunSteps(const RecordInputs& inputs, ValueContext* context,
                        ProgramBuffers* buffers) const;
  absl::Status RunMember(const Step& step, const RecordInputs& inputs, ValueContext* context,
                         ProgramBuffers* buffers, bool* first) const;
  absl::Status RunColumn(const Step& step, const RecordInputs& inputs, ValueContext* context) const;
  absl::Status RunBytes(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                        std::optional<absl::string_view>* out) const;
  absl::Status RunNumber(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                         std::optional<absl::string_view>* out) const;
  absl::Status FindHead();
  void Begin(OutBuffer* buffer, ValueContext* context) const {
    buffer->clear();
    context->out = buffer;
    context->format = format_;
    context->decimal_numeric = converter_.decimal_numeric;
    context->map_entries = converter_.json_schema;
    context->nested_arrays = !converter_.shows_schema();
  }

  // What each record needs stands first.
  Form form_ = Form::kNull;
  Role role_ = Role::kValue;
  TextFormat format_ = TextFormat::kJson;
  bool schemaless_ = false;
  bool has_transaction_text_ = false;
  // `{"schema":…,"payload":`, of the TablePlan or own_head_; or a frame with the id of the schema.
  absl::string_view head_;
  std::vector<Step> steps_;
  OutBuffer constants_;  // of all steps, one behind the other
  ConverterOptions converter_;
  std::string name_;
  std::unique_ptr<std::string> own_head_;
  std::unique_ptr<SchemaId> schema_id_;  // of the head
  std::string tail_;                     // after one value alone
  std::vector<MemberStep> members_;
  std::unique_ptr<AvroPart> avro_;          // kAvro
  std::unique_ptr<ProtobufPart> protobuf_;  // kProtobuf
  std::shared_ptr<CloudEventPart> event_;   // kCloudEvent
};

}  // namespace walduct::encode
