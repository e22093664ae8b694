// From templates to programs; see record_program.h. Pure.
#pragma once

#include "encode/program/record_program.h"

namespace walduct::encode {

// *buffers: how many buffers the leaves before this one need; counted up.
LeafProgram CompileLeaf(const event::Node& node, const InputPlans& inputs, size_t* buffers);

class ProgramCompiler {
 public:
  ProgramCompiler(const InputPlans& inputs, RecordProgram* program)
      : inputs_(inputs), program_(program) {}

  absl::Status Compile(const event::RecordTemplate& record,
                       const RecordProgram::Converters& converters);

 private:
  using Part = RecordProgram::Part;
  using Step = RecordProgram::Step;

  absl::Status CompileBytes(const event::Node& node, Part* part);
  absl::Status CompileBody(const std::optional<event::Node>& node,
                           const config::ConverterOptions& converter, absl::string_view role,
                           Part* part);
  void CompileSimpleHeader(const event::Node& header);
  absl::Status CompileHeader(const event::Node& header, const config::ConverterOptions& converter);
  // JSON and headers: constant bytes gather in *text until a leaf takes them.
  absl::Status AddNode(const event::Node& node, std::string* text, Part* part);
  absl::Status AddNull(const event::Node& node, std::string* text, Part* part);
  // What no transform has touched is written as it is without transforms. How many members that is.
  size_t AddColumns(const event::Node& node, std::string* text, Part* part);
  bool AddSource(const event::Node& node, std::string* text, Part* part);
  bool AddClock(const event::Node& node, std::string* text, Part* part);
  void AddStruct(const event::Node& node, const std::string& before, Part* part);
  void AddLeaf(const event::Node& node, std::string before, Part* part);

  const InputPlans& inputs_;
  RecordProgram* program_;
  size_t buffers_ = 0;
};

}  // namespace walduct::encode
