// ConnectSchema: the schema of a key, a value or one of their fields, in Kafka Connect's model. A
// value of its own: transforms rewrite it, JSON is one rendering of it, other encoders make theirs
// from the same tree. Immutable once shared; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "event/scalar.h"

namespace walduct::event {

enum class ConnectType : uint8_t {
  kBoolean,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kArray,
  kMap,
  kStruct,
};

struct ConnectSchema;
using ConnectSchemaPtr = std::shared_ptr<const ConnectSchema>;

struct ConnectField {
  std::string name;
  ConnectSchemaPtr schema;
};

// The default of a field: a value of the schema's type, with its text.
class ConnectDefault {
 public:
  explicit ConnectDefault(const Scalar& value) : value_(value), text_(value.text) {
    value_.text = {};
  }
  // Borrows.
  Scalar value() const {
    Scalar value = value_;
    value.text = text_;
    return value;
  }

 private:
  Scalar value_;
  std::string text_;
};

struct ConnectSchema {
  ConnectType type = ConnectType::kString;
  bool optional = false;
  std::string name;  // semantic name; empty: none
  std::optional<int> version;
  std::string doc;  // empty: none
  std::vector<std::pair<std::string, std::string>> parameters;
  std::optional<ConnectDefault> default_value;
  std::vector<ConnectField> fields;  // kStruct
  ConnectSchemaPtr keys;             // kMap
  ConnectSchemaPtr items;            // kArray; of kMap its values

  // kStruct: the field of that name; null when there is none.
  const ConnectField* Find(absl::string_view field) const {
    for (const ConnectField& one : fields) {
      if (one.name == field) return &one;
    }
    return nullptr;
  }
};

inline ConnectSchema Schema(ConnectType type, absl::string_view name = "") {
  ConnectSchema schema;
  schema.type = type;
  schema.name = std::string(name);
  if (!name.empty()) schema.version = 1;
  return schema;
}

// Connect's Decimal: bytes that are a number.
inline bool IsDecimal(const ConnectSchema& schema) {
  return schema.type == ConnectType::kBytes &&
         schema.name == "org.apache.kafka.connect.data.Decimal";
}

inline ConnectSchemaPtr Shared(ConnectSchema schema) {
  return std::make_shared<const ConnectSchema>(std::move(schema));
}

}  // namespace walduct::event
