// Text as a structure, as table.expand.json.payload makes it: refused, or a schema that comes back
// from its own text and a value under it that can be walked. The first byte chooses the rules.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "transform/outbox/json_schema.h"

namespace {

using walduct::event::Scalar;
using walduct::event::TreeReader;
using walduct::transform::AddJsonAs;
using walduct::transform::AppendSchemaText;
using walduct::transform::JsonTree;
using walduct::transform::ParseJsonTree;

void CheckSchema(const walduct::event::ConnectSchema& schema) {
  std::string text, again;
  AppendSchemaText(schema, &text);
  const auto read = walduct::transform::SchemaFromText(text);
  CHECK(read != nullptr);
  AppendSchemaText(*read, &again);
  CHECK(again == text);
}

// To the end of each tree, and not beyond.
void Walk(const Scalar& value) {
  for (TreeReader in(value); !in.done();) {
    if (value.kind == Scalar::Kind::kStruct) in.Name();
    Walk(in.Value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size == 0) return 0;
  walduct::transform::JsonRules rules;
  rules.keep_nulls = (input[0] & 1) != 0;
  rules.keep_empty_arrays = (input[0] & 2) != 0;
  const std::string text(reinterpret_cast<const char*>(input) + 1, size - 1);
  const auto tree = ParseJsonTree(text);
  if (!tree.ok()) {
    CHECK(tree.status().code() == absl::StatusCode::kInvalidArgument);
    return 0;
  }
  const auto schema = walduct::transform::InferJsonSchema("payload", *tree, rules);
  if (!schema.ok() || *schema == nullptr) return 0;
  CheckSchema(**schema);
  std::string value;
  walduct::event::TreeBuilder built(&value);
  if (AddJsonAs(*tree, **schema, &built).ok()) Walk(built.value());
  return 0;
}
