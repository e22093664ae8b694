#include "recover/read/key_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::recover {
namespace {

constexpr size_t kBlockEntries = 32;
constexpr size_t kBuffer = 64 << 10;
constexpr size_t kPartBuffer = 8 << 10;
// Each is put in order at a time: of 100 million records 22 MB.
constexpr size_t kParts = 256;

absl::Status FolderError(const std::string& folder, absl::string_view what, int error) {
  return Error(absl::StatusCode::kFailedPrecondition, "recover_read_folder",
               absl::StrCat("the keys of the topics cannot be kept in ", folder, ": ", what, ": ",
                            std::strerror(error)),
               "name a folder on a disk with room with --directory: about 60 bytes and the key for "
               "each record of the topics");
}

}  // namespace

struct KeyIndex::Entry {
  uint64_t high = 0, low = 0, digest = 0, unknown = 0;
  int64_t time_ms = 0;
  uint64_t key_at = 0;  // in the log of keys; goes up
  int32_t partition = 0;
  bool gone = false, later = false;
};

// Written through a buffer, and then read anywhere.
class KeyIndex::File {
 public:
  static absl::StatusOr<std::unique_ptr<File>> Open(const std::string& folder, size_t buffer) {
    int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
      std::string name = folder + "/walduct-read-XXXXXX";
      fd = mkostemp(name.data(), O_CLOEXEC);
      if (fd >= 0) unlink(name.c_str());
    }
    if (fd < 0) return FolderError(folder, "open", errno);
    return std::unique_ptr<File>(new File(folder, fd, buffer));
  }
  ~File() { close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  uint64_t size() const { return written_ + buffer_.size(); }

  absl::Status Append(const void* data, size_t size) {
    if (buffer_.size() + size > limit_) RETURN_IF_ERROR(Flush());
    buffer_.append(static_cast<const char*>(data), size);
    return absl::OkStatus();
  }

  absl::Status Flush() {
    size_t done = 0;
    while (done < buffer_.size()) {
      const ssize_t wrote = pwrite(fd_, buffer_.data() + done, buffer_.size() - done,
                                   static_cast<off_t>(written_ + done));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return FolderError(folder_, "write", wrote < 0 ? errno : ENOSPC);
      done += static_cast<size_t>(wrote);
    }
    written_ += done;
    buffer_.clear();
    return absl::OkStatus();
  }

  absl::Status Read(uint64_t at, void* data, size_t size) const {
    size_t done = 0;
    while (done < size) {
      const ssize_t got =
          pread(fd_, static_cast<char*>(data) + done, size - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return FolderError(folder_, "read", got < 0 ? errno : EIO);
      done += static_cast<size_t>(got);
    }
    return absl::OkStatus();
  }

 private:
  File(std::string folder, int fd, size_t buffer)
      : folder_(std::move(folder)), fd_(fd), limit_(buffer) {}

  const std::string folder_;
  const int fd_;
  const size_t limit_;
  std::string buffer_;
  uint64_t written_ = 0;
};

uint32_t KeyIndex::Top(uint64_t high) { return static_cast<uint32_t>(high >> 32); }

KeyHash KeyHash::Of(uint32_t topic, absl::string_view key) {
  return {absl::HashOf(key, topic), absl::HashOf(key, topic, 1)};
}

KeyIndex::KeyIndex(std::string folder) : folder_(std::move(folder)) {}

KeyIndex::~KeyIndex() = default;

absl::StatusOr<std::unique_ptr<KeyIndex>> KeyIndex::Open(const std::string& folder) {
  std::unique_ptr<KeyIndex> index(new KeyIndex(folder));
  for (size_t i = 0; i < kParts; ++i) {
    ASSIGN_OR_RETURN(std::unique_ptr<File> file, File::Open(folder, kPartBuffer));
    index->parts_.push_back(std::move(file));
  }
  ASSIGN_OR_RETURN(index->keys_log_, File::Open(folder, kBuffer));
  ASSIGN_OR_RETURN(index->sorted_, File::Open(folder, kBuffer));
  return index;
}

absl::Status KeyIndex::Add(uint32_t topic, absl::string_view key, int32_t partition,
                           const LastRecord& record) {
  const KeyHash hash = KeyHash::Of(topic, key);
  const Entry entry{.high = hash.high,
                    .low = hash.low,
                    .digest = record.digest,
                    .unknown = record.unknown,
                    .time_ms = record.time_ms,
                    .key_at = keys_log_->size(),
                    .partition = partition,
                    .gone = record.gone,
                    .later = record.later};
  const uint32_t head[2] = {topic, static_cast<uint32_t>(key.size())};
  RETURN_IF_ERROR(keys_log_->Append(head, sizeof head));
  RETURN_IF_ERROR(keys_log_->Append(key.data(), key.size()));
  const size_t part =
      static_cast<size_t>((static_cast<unsigned __int128>(hash.high) * parts_.size()) >> 64);
  return parts_[part]->Append(&entry, sizeof entry);
}

uint64_t KeyIndex::place() const { return keys_log_->size(); }

absl::Status KeyIndex::Seal() {
  RETURN_IF_ERROR(keys_log_->Flush());
  std::vector<Entry> entries;
  for (std::unique_ptr<File>& part : parts_) {
    RETURN_IF_ERROR(SealPart(*part, &entries));
    part.reset();
  }
  parts_.clear();
  seen_.resize(keys_);
  return sorted_->Flush();
}

absl::Status KeyIndex::SealPart(File& part, std::vector<Entry>* entries) {
  RETURN_IF_ERROR(part.Flush());
  entries->resize(part.size() / sizeof(Entry));
  RETURN_IF_ERROR(part.Read(0, entries->data(), entries->size() * sizeof(Entry)));
  std::sort(entries->begin(), entries->end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.high, a.low, a.partition, a.key_at) <
           std::tie(b.high, b.low, b.partition, b.key_at);
  });
  for (size_t at = 0; at < entries->size();) {
    size_t last = at;  // of the youngest partition
    size_t end = at;
    for (; end < entries->size() && (*entries)[end].high == (*entries)[at].high &&
           (*entries)[end].low == (*entries)[at].low;
         ++end) {
      const Entry& one = (*entries)[end];
      if (one.partition == (*entries)[last].partition || one.time_ms >= (*entries)[last].time_ms)
        last = end;
    }
    if (keys_++ % kBlockEntries == 0) firsts_.push_back(Top((*entries)[at].high));
    RETURN_IF_ERROR(sorted_->Append(&(*entries)[last], sizeof(Entry)));
    at = end;
  }
  return absl::OkStatus();
}

absl::Status KeyIndex::LoadBlock(size_t block) {
  if (loaded_ == block) return absl::OkStatus();
  loaded_ = SIZE_MAX;
  const uint64_t first = block * kBlockEntries;
  block_.resize(std::min<uint64_t>(kBlockEntries, keys_ - first));
  RETURN_IF_ERROR(
      sorted_->Read(first * sizeof(Entry), block_.data(), block_.size() * sizeof(Entry)));
  loaded_ = block;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<LastRecord>> KeyIndex::Find(const KeyHash& hash, bool* seen) {
  *seen = false;
  // Two keys may have one top, also over the end of a block.
  const uint32_t top = Top(hash.high);
  const auto behind = std::lower_bound(firsts_.begin(), firsts_.end(), top);
  size_t block = static_cast<size_t>(behind - firsts_.begin());
  if (block > 0) --block;
  for (; block < firsts_.size() && firsts_[block] <= top; ++block) {
    RETURN_IF_ERROR(LoadBlock(block));
    const auto found = std::lower_bound(
        block_.begin(), block_.end(), hash, [](const Entry& entry, const KeyHash& wanted) {
          return std::tie(entry.high, entry.low) < std::tie(wanted.high, wanted.low);
        });
    if (found == block_.end()) continue;
    if (found->high != hash.high || found->low != hash.low) break;
    const size_t number = block * kBlockEntries + static_cast<size_t>(found - block_.begin());
    *seen = seen_[number];
    seen_[number] = true;
    return LastRecord{.digest = found->digest,
                      .unknown = found->unknown,
                      .gone = found->gone,
                      .later = found->later,
                      .time_ms = found->time_ms,
                      .partition = found->partition,
                      .place = found->key_at};
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<KeyIndex::Unseen>> KeyIndex::NextUnseen() {
  while (next_ < keys_) {
    const uint64_t number = next_++;
    if (seen_[number]) continue;
    RETURN_IF_ERROR(LoadBlock(number / kBlockEntries));
    const Entry& entry = block_[number % kBlockEntries];
    if (entry.gone || entry.later) continue;
    uint32_t head[2];
    RETURN_IF_ERROR(keys_log_->Read(entry.key_at, head, sizeof head));
    Unseen unseen{.topic = head[0],
                  .key = std::string(head[1], '\0'),
                  .time_ms = entry.time_ms,
                  .partition = entry.partition,
                  .place = entry.key_at};
    RETURN_IF_ERROR(
        keys_log_->Read(entry.key_at + sizeof head, unseen.key.data(), unseen.key.size()));
    return unseen;
  }
  return std::nullopt;
}

}  // namespace walduct::recover
