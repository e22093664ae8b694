// Reading and replacing a small file as a whole.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::offset {

// Empty when there is no such file. FailedPrecondition offset_file_unreadable.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

// Durable when it returns OK: a temporary file beside it, fsync, rename, fsync of the directory. A
// crash in between leaves the old content. FailedPrecondition offset_file_unwritable.
absl::Status ReplaceWholeFile(const std::string& path, absl::string_view content);

// Whether ReplaceWholeFile could work, by creating and removing the temporary file.
absl::Status CheckReplaceable(const std::string& path);

}  // namespace walduct::offset
