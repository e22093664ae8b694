// HashMapFile: the file of Connect's FileOffsetBackingStore, a Java-serialised HashMap<byte[],
// byte[]>. Reads what the JVM writes and writes what it reads; entries keep their order. A value;
// not thread-safe.
//
// Grammar (Java Object Serialization Stream Protocol, version 5; integers big-endian):
//   file        = AC ED 00 05 73 map-class load-factor:f32 threshold:i32
//                 77 08 buckets:i32 size:i32 {element element} 78
//   map-class   = 72 len:u16 "java.util.HashMap" uid:u64 03 00 02
//                 'F' len:u16 "loadFactor" 'I' len:u16 "threshold" 78 70
//   element     = 70                                null
//               | 75 array-class len:i32 bytes      the first array
//               | 75 71 00 7E 00 02 len:i32 bytes   later arrays, class by handle
//               | 71 00 7E handle:u16               an array that was written before
//   array-class = 72 len:u16 "[B" uid:u64 02 00 00 78 70
// An empty file is an empty map.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::java {

class HashMapFile {
 public:
  using Bytes = std::optional<std::string>;  // absent: Java's null

  // DataLoss when bytes are not of the grammar.
  static absl::StatusOr<HashMapFile> Parse(absl::string_view bytes);
  std::string Serialize() const;

  const std::vector<std::pair<Bytes, Bytes>>& entries() const { return entries_; }
  // Replaces the value of an entry in its place, or appends one.
  void Set(absl::string_view key, Bytes value);
  void Remove(absl::string_view key);

 private:
  std::vector<std::pair<Bytes, Bytes>> entries_;
};

}  // namespace walduct::java
