// Reading and replacing the offset file as a whole, with what to do about what goes wrong.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::offset {

// Empty when there is no such file. FailedPrecondition offset_file_unreadable.
absl::StatusOr<std::string> ReadOffsetFile(const std::string& path);

// Durable when it returns OK; a crash in between leaves the old content (base/whole_file.h).
// FailedPrecondition offset_file_unwritable, offset_file_mounted.
absl::Status ReplaceOffsetFile(const std::string& path, absl::string_view content);

// The file that links lead to, whether it is there or not. Others write through links; a rename
// would replace the link, and the file behind it would keep an old position.
std::string BehindLinks(std::string path);

// Whether ReplaceOffsetFile could work, by creating and removing a file beside it: none that a save
// of another process makes. FailedPrecondition offset_file_unwritable, offset_file_mounted (a bind
// mount of the file alone).
absl::Status CheckReplaceable(const std::string& path);

// Held by one process at a time, as far as all of them ask: between reading a file and replacing
// it. Never waits; ends with the object.
class FileLock {
 public:
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // Unavailable offset_file_locked when another process has it.
  absl::Status status(const std::string& path) const;

 private:
  int fd_ = -1;
  bool busy_ = false;
};

}  // namespace walduct::offset
