// KeyIndex: what topics hold, key by key, on disk: of each key the last record. First all records
// are added, then they are put in order (Seal), then keys are looked up. In memory: four bytes for
// 32 keys, and a bit for each. Its files have no name: they go with the process.
//
// Not thread-safe. Errors: FailedPrecondition recover_read_folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::recover {

// 128 bits of topic and key.
struct KeyHash {
  uint64_t high = 0, low = 0;
  static KeyHash Of(uint32_t topic, absl::string_view key);
};

struct LastRecord {
  uint64_t digest = 0, unknown = 0;  // ValueDigest
  bool gone = false;                 // it tells of a deletion
  bool later = false;                // than what it is compared with
  int64_t time_ms = 0;               // of the record
  // Where it was added, as Find says it; Add has its own.
  int32_t partition = 0;
  uint64_t place = 0;
};

class KeyIndex {
 public:
  static absl::StatusOr<std::unique_ptr<KeyIndex>> Open(const std::string& folder);
  ~KeyIndex();
  KeyIndex(const KeyIndex&) = delete;
  KeyIndex& operator=(const KeyIndex&) = delete;

  // In the order of the partition. Of one key in several partitions the youngest counts.
  absl::Status Add(uint32_t topic, absl::string_view key, int32_t partition,
                   const LastRecord& record);
  // Of the record that is added next; goes up.
  uint64_t place() const;
  absl::Status Seal();
  uint64_t keys() const { return keys_; }

  // Absent: the topic has no such key. *seen: whether it was looked up before.
  absl::StatusOr<std::optional<LastRecord>> Find(const KeyHash& hash, bool* seen);

  struct Unseen {
    uint32_t topic = 0;
    std::string key;
    int64_t time_ms = 0;
    int32_t partition = 0;
    uint64_t place = 0;
  };
  // The next key that was not looked up, is not gone and not later; nullopt: none is left.
  absl::StatusOr<std::optional<Unseen>> NextUnseen();

 private:
  struct Entry;
  class File;

  explicit KeyIndex(std::string folder);
  // Of a hash, enough to find its block.
  static uint32_t Top(uint64_t high);
  absl::Status SealPart(File& part, std::vector<Entry>* entries);
  absl::Status LoadBlock(size_t block);

  const std::string folder_;
  std::vector<std::unique_ptr<File>> parts_;
  std::unique_ptr<File> keys_log_, sorted_;
  std::vector<uint32_t> firsts_;  // top of each block's first
  std::vector<Entry> block_;
  size_t loaded_ = SIZE_MAX;
  uint64_t keys_ = 0;
  std::vector<bool> seen_;
  uint64_t next_ = 0;
};

}  // namespace walduct::recover
