// AvroType: an Avro schema as a tree, with the names in it looked up. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::registry {

struct AvroType {
  // The primitive ones first, in the order of their names in avro_type.cc.
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInt,
    kLong,
    kFloat,
    kDouble,
    kBytes,
    kString,
    kFixed,
    kEnum,
    kArray,
    kMap,
    kRecord,
    kUnion,
  };
  struct Part {
    std::string name;  // of a field
    const AvroType* type = nullptr;
  };

  Kind kind = Kind::kNull;
  std::string name;     // in full: kFixed, kEnum, kRecord
  int64_t size = 0;     // kFixed
  std::string symbols;  // kEnum, with commas
  // kRecord: its fields; kArray, kMap: what is in it; kUnion: its branches. A record may contain
  // itself.
  std::vector<Part> parts;
};

// Owns its types.
class AvroTypes {
 public:
  // Of a text as registries hold it; root() is null when it is no Avro schema.
  explicit AvroTypes(absl::string_view schema);

  const AvroType* root() const { return root_; }

 private:
  friend class AvroTypeReader;

  std::vector<std::unique_ptr<AvroType>> owned_;
  const AvroType* root_ = nullptr;
};

// "string", "null or int", "record a.b.C".
std::string NameOf(const AvroType& type);

}  // namespace walduct::registry
