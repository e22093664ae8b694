// Spill: transactions in progress on disk, compressed, within a limit. What the messages are is the
// caller's.
//
// A file is a sequence of zstd frames with checksums, each of whole messages:
//   message := size:u32 xid:u32 number:u64 bytes    (size: of bytes; the machine's byte order)
// A frame is checked before its first message is handed out. Files mean nothing to another process.
//
// Memory: one buffer of kFrameBytes and zstd's window to write with, the same for each reader; more
// only for a message that is larger, and until the next one. Not thread-safe.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/freed_by.h"
#include "base/lsn.h"
#include "spill/disk.h"

namespace walduct::spill {

struct Message {
  Xid xid{};
  uint64_t number = 0;
  absl::string_view bytes;
};

class MessageFile;

class Spill {
 public:
  static constexpr size_t kFrameBytes = 128 << 10;

  // Tries whether a file can be made and written. max_bytes 0: no limit.
  static absl::StatusOr<std::unique_ptr<Spill>> Open(std::unique_ptr<Disk> disk,
                                                     uint64_t max_bytes);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  // Lives no longer than this.
  absl::StatusOr<std::unique_ptr<MessageFile>> NewFile();

  uint64_t bytes() const { return bytes_; }  // on disk
  size_t files() const { return files_; }

 private:
  friend class MessageFile;
  Spill(std::unique_ptr<Disk> disk, uint64_t max_bytes);
  // Compresses bytes as part of a frame, and appends what is ready to file. ends: the frame is
  // complete.
  absl::Status Write(DiskFile& file, absl::string_view bytes, bool ends);

  std::unique_ptr<Disk> disk_;
  const uint64_t max_bytes_;
  uint64_t bytes_ = 0;
  size_t files_ = 0;
  std::unique_ptr<ZSTD_CCtx, FreedBy<ZSTD_freeCCtx>> compression_;
  std::string raw_;         // messages of the frame under way
  std::string compressed_;  // room for what zstd gives
};

// The messages of one transaction. One file at a time is written, from one EndFrame to the next.
class MessageFile {
 public:
  ~MessageFile();
  MessageFile(const MessageFile&) = delete;
  MessageFile& operator=(const MessageFile&) = delete;

  // bytes are head and rest, one after the other. After an error the Spill cannot be used.
  //   FailedPrecondition  "spill_full", "spill_unwritable"
  absl::Status Append(Xid xid, uint64_t number, absl::string_view head, absl::string_view rest);
  // Everything appended is in the file.
  absl::Status EndFrame();

  uint64_t bytes() const { return bytes_; }  // on disk

 private:
  friend class Spill;
  friend class MessageReader;
  MessageFile(Spill& spill, std::unique_ptr<DiskFile> file);
  absl::Status Write(absl::string_view bytes, bool ends);

  Spill& spill_;
  std::unique_ptr<DiskFile> file_;
  uint64_t bytes_ = 0;
};

// Reads a file that is complete, from its beginning.
class MessageReader {
 public:
  explicit MessageReader(std::unique_ptr<MessageFile> file);

  // False: there are no more. The bytes are valid until the next call.
  //   Unavailable  "spill_unreadable"
  absl::StatusOr<bool> Next(Message& message);

 private:
  absl::Status LoadFrame();
  absl::Status Fill();

  std::unique_ptr<MessageFile> file_;
  std::unique_ptr<ZSTD_DCtx, FreedBy<ZSTD_freeDCtx>> decompression_;
  std::string input_;
  ZSTD_inBuffer unread_{};  // of input_
  uint64_t offset_ = 0;     // in the file, behind input_
  std::string frame_;
  absl::string_view left_;  // of frame_
};

}  // namespace walduct::spill
