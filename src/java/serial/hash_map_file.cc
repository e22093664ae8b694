#include "java/serial/hash_map_file.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::java {
namespace {

constexpr absl::string_view kMapHeader(
    "\xAC\xED\x00\x05"
    "\x73\x72\x00\x11java.util.HashMap"
    "\x05\x07\xDA\xC1\xC3\x16\x60\xD1"
    "\x03\x00\x02"
    "F\x00\x0AloadFactor"
    "I\x00\x09threshold"
    "\x78\x70",
    63);
constexpr absl::string_view kLoadFactor("\x3F\x40\x00\x00", 4);  // 0.75
constexpr absl::string_view kArrayClass(
    "\x72\x00\x02[B"
    "\xAC\xF3\x17\xF8\x06\x08\x54\xE0"
    "\x02\x00\x00\x78\x70",
    18);
constexpr absl::string_view kArrayClassHandle("\x71\x00\x7E\x00\x02", 5);
constexpr uint8_t kNull = 0x70;
constexpr uint8_t kReference = 0x71;
constexpr uint8_t kArray = 0x75;
constexpr uint8_t kBlockData = 0x77;
constexpr uint8_t kEndBlockData = 0x78;
// Handles 0 and 1 are the map's class and the map, 2 the array's class; arrays follow.
constexpr uint32_t kFirstArrayHandle = 0x7E0003;

absl::Status Malformed(absl::string_view what) {
  return Error(
      absl::StatusCode::kDataLoss, "offset_file_malformed",
      absl::StrCat("not the offset file of Kafka Connect: ", what),
      "restore the file from a backup, or give each connector its position back from FILE of one "
      "(walduct offsets import NAME FILE). Without a backup: move the file away (mv), which "
      "forgets "
      "the positions of all its connectors, and start each again: with snapshot.mode=initial it "
      "ends with offset_missing, whose hint has the walduct offsets set with which it goes on "
      "where "
      "its slot stands; with another mode type that before, or all tables may be read anew");
}

class ElementReader {
 public:
  explicit ElementReader(ByteReader* in) : in_(in) {}

  absl::StatusOr<HashMapFile::Bytes> Next() {
    switch (in_->U8()) {
      case kNull:
        return HashMapFile::Bytes();
      case kReference:
        return Reference();
      case kArray:
        return Array();
      default:
        return Malformed("a key or value is not a byte array");
    }
  }

 private:
  absl::StatusOr<HashMapFile::Bytes> Array() {
    const bool first = arrays_.empty();
    const absl::string_view array_class = first ? kArrayClass : kArrayClassHandle;
    if (in_->Bytes(array_class.size()) != array_class)
      return Malformed("an array's class is malformed");
    const absl::string_view bytes = in_->Bytes(in_->U32());
    if (!in_->ok()) return Malformed("an array is cut short");
    arrays_.push_back(bytes);
    return HashMapFile::Bytes(bytes);
  }

  absl::StatusOr<HashMapFile::Bytes> Reference() {
    const uint32_t handle = in_->U32();
    if (handle < kFirstArrayHandle || handle - kFirstArrayHandle >= arrays_.size()) {
      return Malformed("a reference to something that is not an array");
    }
    return HashMapFile::Bytes(arrays_[handle - kFirstArrayHandle]);
  }

  ByteReader* in_;
  std::vector<absl::string_view> arrays_;
};

void AppendU32(uint32_t value, std::string* out) {
  for (const int shift : {24, 16, 8, 0}) out->push_back(static_cast<char>(value >> shift & 0xFF));
}

void AppendElement(const HashMapFile::Bytes& bytes, bool* class_written, std::string* out) {
  if (!bytes) {
    out->push_back(static_cast<char>(kNull));
    return;
  }
  out->push_back(static_cast<char>(kArray));
  absl::StrAppend(out, *class_written ? kArrayClassHandle : kArrayClass);
  *class_written = true;
  AppendU32(static_cast<uint32_t>(bytes->size()), out);
  absl::StrAppend(out, *bytes);
}

}  // namespace

absl::StatusOr<HashMapFile> HashMapFile::Parse(absl::string_view bytes) {
  HashMapFile map;
  if (bytes.empty()) return map;
  ByteReader in(bytes);
  if (in.Bytes(kMapHeader.size()) != kMapHeader) return Malformed("it is not a java.util.HashMap");
  in.U32();  // load factor
  in.U32();  // threshold
  const uint8_t block = in.U8();
  const uint8_t block_size = in.U8();
  in.U32();  // buckets
  const uint32_t size = in.U32();
  if (!in.ok() || block != kBlockData || block_size != 8)
    return Malformed("the map's header is malformed");
  // Each entry takes two bytes or more.
  if (size > in.remaining() / 2) return Malformed("more entries announced than there are bytes");
  ElementReader elements(&in);
  for (uint32_t i = 0; i < size; ++i) {
    ASSIGN_OR_RETURN(Bytes key, elements.Next());
    ASSIGN_OR_RETURN(Bytes value, elements.Next());
    map.entries_.emplace_back(std::move(key), std::move(value));
  }
  if (in.U8() != kEndBlockData || !in.complete()) return Malformed("the map's end is malformed");
  return map;
}

std::string HashMapFile::Serialize() const {
  // As the JVM sizes the table; its reader takes only the number of entries.
  uint32_t buckets = 16;
  while (entries_.size() > size_t{buckets} / 4 * 3) buckets *= 2;
  std::string out = absl::StrCat(kMapHeader, kLoadFactor);
  AppendU32(buckets / 4 * 3, &out);
  out.push_back(static_cast<char>(kBlockData));
  out.push_back(8);
  AppendU32(buckets, &out);
  AppendU32(static_cast<uint32_t>(entries_.size()), &out);
  bool class_written = false;
  for (const auto& [key, value] : entries_) {
    AppendElement(key, &class_written, &out);
    AppendElement(value, &class_written, &out);
  }
  out.push_back(static_cast<char>(kEndBlockData));
  return out;
}

void HashMapFile::Set(absl::string_view key, Bytes value) {
  for (auto& entry : entries_) {
    if (entry.first && *entry.first == key) {
      entry.second = std::move(value);
      return;
    }
  }
  entries_.emplace_back(std::string(key), std::move(value));
}

void HashMapFile::Remove(absl::string_view key) {
  std::erase_if(entries_, [&](const auto& entry) { return entry.first && *entry.first == key; });
}

}  // namespace walduct::java
