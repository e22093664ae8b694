// PartCompiler: makes a PartProgram of the key, the value or a header of a template. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "encode/program/part_program.h"

namespace walduct::encode {

struct ConverterOptions;

class PartCompiler {
 public:
  // table: whose inputs the template has; null: it has no columns. Borrowed by the program.
  // *buffers: see CompileLeaf.
  PartCompiler(const TablePlan* table, size_t* buffers, PartProgram* part)
      : table_(table), buffers_(buffers), part_(*part) {}

  // For keys and values whose schemas a registry keeps, by the topic. ids: borrowed by the program.
  void SetRegistry(absl::string_view topic, event::SchemaIds* ids) {
    topic_ = topic;
    ids_ = ids;
  }
  // For values that take what they say of themselves from headers. Borrowed while it compiles.
  void SetHeaders(const std::vector<event::Node>* headers) { headers_ = headers; }

  // An error: no record of this template can be written (a required value is null, bytes are asked
  // for and there are none).
  absl::Status Compile(const std::optional<event::Node>& node, PartProgram::Role role,
                       const ConverterOptions& converter);
  // A header as SimpleHeaderConverter writes it.
  void CompileSimple(const event::Node& header);

 private:
  // What has been written of a struct that StringConverter prints.
  enum class Written : uint8_t { kNothing, kSomething, kUnknown };

  absl::Status CompileAvro(const event::Node& node);
  absl::Status CompileProtobuf(const event::Node& node);
  absl::Status CompileCloudEvent(const event::Node& value);
  AvroPart::Parts Parts() const;
  void AddLoneLeaf(const event::Node& node, PartProgram::Form form);
  absl::Status SetHead(const event::Node& node);
  absl::Status SetSchemaId(const event::Node& node);
  absl::Status SetFrame(const event::Node& node);
  // head: until the id of the schema is known. name: of the record, for the subject.
  absl::Status AskForSchema(absl::string_view name, std::string schema, std::string head);
  absl::Status CompileNumber(const event::Node& node);
  absl::Status NeedsSchema(absl::string_view converter) const;

  // JSON, and structs in headers.
  absl::Status AddNode(const event::Node& node);
  absl::Status AddNull(const event::Node& node);
  absl::Status AddStruct(const event::Node& node);
  // What no transform has touched is written as a whole: the first so many members.
  size_t AddColumns(const event::Node& node);
  bool AddField(const event::Node& node);

  // StringConverter: Java's Struct.toString().
  void AddJavaStruct(const event::Node& node);
  void AddJavaMember(const event::Node& node, Written* written);
  bool AddJavaRow(const event::Node& node);
  bool AddJavaField(const event::Node& node, const std::string& label, Written written);
  std::string Separator(Written written);

  bool HasReadyTexts(const InputPlan& first) const;
  std::string ConstantText(const event::Node& leaf) const;
  std::string ScalarText(const event::Scalar& value, const event::ConnectSchema* schema) const;

  void AddText(absl::string_view text) { text_.append(text.data(), text.size()); }
  Step& AddStep(Step::Kind kind);
  void AddTransactionValue(const TransactionText::Value& value);
  void AddMember(const event::Node& node, Step::Kind kind, MemberStep member);
  void Finish();

  const TablePlan* const table_;
  size_t* const buffers_;
  PartProgram& part_;
  absl::string_view topic_;
  event::SchemaIds* ids_ = nullptr;
  const std::vector<event::Node>* headers_ = nullptr;
  std::string text_;                                 // constant, since the last value
  std::unique_ptr<TransactionText> of_transaction_;  // before it, since the last step
};

}  // namespace walduct::encode
