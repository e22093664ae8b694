// RecordingFile: a recording on its way into a file, which holds rows as they are and is therefore
// its owner's alone (mode 0600). Written in pieces; whole once Finish has answered OK.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "replication/recording/recording.h"

namespace walduct::replication {

class RecordingFile {
 public:
  // A file that is there is refused unless it may be overwritten: see CheckPath.
  static absl::StatusOr<RecordingFile> Create(const std::string& path, bool overwrite,
                                              const RecordingNames& names);
  // InvalidArgument when the file is there and must not be overwritten. For a caller that has much
  // to do before it creates one.
  static absl::Status CheckPath(const std::string& path, bool overwrite);

  RecordingFile(RecordingFile&& from) noexcept;
  RecordingFile& operator=(RecordingFile&&) = delete;
  ~RecordingFile();

  // Unavailable when the disk does not take it.
  absl::Status Add(Lsn lsn, absl::string_view payload);
  absl::Status Finish();

 private:
  RecordingFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  absl::Status Flush();

  std::string path_;
  int file_;
  std::string buffer_;
};

}  // namespace walduct::replication
