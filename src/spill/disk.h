// Disk: where files for what is kept a while come from. Seam for tests; the real one is
// UnnamedFiles.
//
// Thread-safety: one caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::spill {

// Grows at its end. Its space is free again once the object, or the process, is gone.
class DiskFile {
 public:
  virtual ~DiskFile() = default;

  // All of it, or an error; after an error the file cannot be used.
  //   FailedPrecondition  "spill_full": no room; "spill_unwritable"
  virtual absl::Status Append(absl::string_view bytes) = 0;
  // What is at offset: size bytes, fewer only at the end.
  //   Unavailable  "spill_unreadable"
  virtual absl::StatusOr<size_t> Read(uint64_t offset, char* buffer, size_t size) = 0;
};

class Disk {
 public:
  virtual ~Disk() = default;

  //   FailedPrecondition  "spill_unwritable"
  virtual absl::StatusOr<std::unique_ptr<DiskFile>> Create() = 0;
};

}  // namespace walduct::spill
