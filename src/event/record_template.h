// RecordTemplate: a record whose structure is known and whose values are not. Transforms run on it
// once per kind of record (a version of a table, an operation, which rows are there, …) instead of
// once per record; the encoder compiles the result.
//
// Every value is a leaf: a constant, an input (what the encoder reads from each record: a column, a
// field of the source block, the clock), or a function of other leaves. An input's number means
// something to the encoder alone; transforms move it, drop it, wrap it, and find it by its place in
// the tree.
//
// Values of their own; copying is for the time of compiling. Functions are immutable, shared, and
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "event/connect_schema.h"
#include "event/hypertable.h"
#include "event/scalar.h"

namespace walduct::event {

// A function of values, called once per record for each leaf that needs it.
class ValueFunction {
 public:
  virtual ~ValueFunction() = default;
  // in: the operands in order. out may borrow from in and from *buffer, which is empty at the call
  // and stays untouched until the record is written. An error is the error of the record; it names
  // no value.
  virtual absl::Status Apply(absl::Span<const Scalar> in, std::string* buffer,
                             Scalar* out) const = 0;
};
using ValueFunctionPtr = std::shared_ptr<const ValueFunction>;

struct Node;

struct Leaf {
  enum class Kind : uint8_t { kConstant, kInput, kFunction };
  Kind kind = Kind::kConstant;
  // kConstant: `constant`; where it has a text, `constant_text` owns it (use constant_value()).
  Scalar constant;
  std::string constant_text;
  uint32_t input = 0;          // kInput
  ValueFunctionPtr function;   // kFunction
  std::vector<Node> operands;  // kFunction: leaves
  std::string by;              // kFunction: the transform whose function it is, for messages
  // NULL is replaced by the schema's default, whatever the converter does
  bool null_is_default = false;
  bool never_null = false;  // kFunction: known to give a value for each record of this template

  Scalar constant_value() const {
    Scalar value = constant;
    value.text = constant_text;
    return value;
  }
};

struct Node {
  enum class Kind : uint8_t { kNull, kLeaf, kStruct };
  Kind kind = Kind::kNull;
  std::string name;           // of the field in its struct, of the header; empty at the top
  ConnectSchemaPtr schema;    // null: a schemaless value (kStruct: a map)
  Leaf leaf;                  // kLeaf
  std::vector<Node> members;  // kStruct: those of the schema, in its order

  // The member of that name; null when there is none. kStruct only.
  const Node* Find(absl::string_view member) const {
    for (const Node& node : members) {
      if (node.name == member) return &node;
    }
    return nullptr;
  }
  Node* Find(absl::string_view member) {
    return const_cast<Node*>(std::as_const(*this).Find(member));
  }
  bool is_struct() const { return kind == Kind::kStruct; }
};

struct RecordTemplate {
  std::string topic;
  std::string table;              // "schema.table" whose row the record is about; empty: none
  HypertablePtr hypertable = {};  // of that table
  std::optional<Node> key;        // absent: null without a schema
  std::optional<Node> value;      // absent: a tombstone
  std::vector<Node> headers;      // in order; a name can occur twice
  std::optional<Node> partition;  // int32 leaf; absent or NULL: by the key
  // int64 leaf, milliseconds since the Unix epoch; absent or NULL: the producer's clock
  std::optional<Node> timestamp;
};

inline Node NullNode(ConnectSchemaPtr schema, std::string name = "") {
  Node node;
  node.name = std::move(name);
  node.schema = std::move(schema);
  return node;
}

inline Node StructNode(ConnectSchemaPtr schema, std::vector<Node> members, std::string name = "") {
  Node node = NullNode(std::move(schema), std::move(name));
  node.kind = Node::Kind::kStruct;
  node.members = std::move(members);
  return node;
}

inline Node InputNode(ConnectSchemaPtr schema, uint32_t input, std::string name = "") {
  Node node = NullNode(std::move(schema), std::move(name));
  node.kind = Node::Kind::kLeaf;
  node.leaf.kind = Leaf::Kind::kInput;
  node.leaf.input = input;
  return node;
}

// The value's text is copied.
inline Node ConstantNode(ConnectSchemaPtr schema, const Scalar& value, std::string name = "") {
  Node node = NullNode(std::move(schema), std::move(name));
  node.kind = Node::Kind::kLeaf;
  node.leaf.constant_text = std::string(value.text);
  node.leaf.constant = value;
  node.leaf.constant.text = {};
  return node;
}

inline Node FunctionNode(ConnectSchemaPtr schema, ValueFunctionPtr function,
                         std::vector<Node> operands, std::string name = "") {
  Node node = NullNode(std::move(schema), std::move(name));
  node.kind = Node::Kind::kLeaf;
  node.leaf.kind = Leaf::Kind::kFunction;
  node.leaf.function = std::move(function);
  node.leaf.operands = std::move(operands);
  return node;
}

}  // namespace walduct::event
