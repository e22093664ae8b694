// UnnamedFiles: files of one directory that never have a name there (O_TMPFILE) or lose it at once.
// The kernel frees them with their last descriptor: a process that is killed leaves nothing behind,
// several processes share a directory without knowing each other, and nothing is ever deleted by
// its name. Readable by nobody else (0600 while they have a name).
#pragma once

#include <string>
#include <utility>

#include "spill/disk.h"

namespace walduct::spill {

class UnnamedFiles final : public Disk {
 public:
  explicit UnnamedFiles(std::string directory) : directory_(std::move(directory)) {}

  absl::StatusOr<std::unique_ptr<DiskFile>> Create() override;

 private:
  const std::string directory_;
};

}  // namespace walduct::spill
