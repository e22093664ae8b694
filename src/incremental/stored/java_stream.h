// Java's object serialization, as much of it as keys in stored offsets need. Pure.
// Source: https://docs.oracle.com/javase/8/docs/platform/serialization/spec/protocol.html
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::incremental {

struct JavaClass {
  static constexpr uint8_t kWrites = 3;  // it writes its own data, too

  absl::string_view name;
  uint64_t id = 0;
  uint8_t flags = 2;
  // "I:scale,L:intVal:Ljava/math/BigInteger;": type, name, class of an object.
  absl::string_view fields = "";
  const JavaClass* super = nullptr;
};

class JavaWriter {
 public:
  JavaWriter();

  void Null();
  // The handle by which Reference names it again; of an object, its fields follow.
  uint32_t String(absl::string_view text);
  uint32_t BeginObject(const JavaClass& java_class);
  void BeginArray(const JavaClass& java_class, uint32_t size);
  void Reference(uint32_t handle);
  void Integer(uint64_t value, int bytes);
  void Raw(absl::string_view bytes) { out_.append(bytes.data(), bytes.size()); }
  // What a class writes itself.
  void Block(uint8_t size);
  void EndBlock();

  const std::string& bytes() const { return out_; }

 private:
  void Describe(const JavaClass* java_class);
  void Utf(absl::string_view text);
  uint32_t NewHandle() { return next_handle_++; }

  std::string out_;
  uint32_t next_handle_ = 0;
  std::map<std::string, uint32_t> classes_;
  std::map<std::string, uint32_t> type_names_;
};

struct JavaValue {
  enum class Kind : uint8_t { kNull, kString, kObject, kArray };
  Kind kind = Kind::kNull;
  std::string class_name;
  std::string text;                        // kString; of a byte array; what a class wrote itself
  std::map<std::string, uint64_t> fields;  // numbers, as their bits; sign extended
  std::vector<JavaValue> items;            // of an array; objects among the fields

  uint64_t Field(absl::string_view name) const {
    const auto found = fields.find(std::string(name));
    return found == fields.end() ? 0 : found->second;
  }
};

// InvalidArgument stored_key_malformed.
absl::Status Malformed(absl::string_view what);
absl::StatusOr<JavaValue> ReadJava(absl::string_view bytes);

}  // namespace walduct::incremental
