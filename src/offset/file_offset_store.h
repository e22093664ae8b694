// FileOffsetStore: the file of Connect's FileOffsetBackingStore (offset.storage.file.filename),
// replaced as a whole: a crash leaves the old file or the new one. Entries of other connectors are
// kept. Several connectors of one process may share a file; several processes must not, as with
// Connect.
//
// Errors: FailedPrecondition offset_file_unwritable or offset_file_unreadable names the path;
// DataLoss offset_file_malformed; FailedPrecondition offset_superseded when another process has
// stored this connector's position since this store last read or wrote it: going on would set it
// back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "offset/offset_key.h"
#include "offset/offset_store.h"
#include "offset/seen_value.h"

namespace walduct::java {
class HashMapFile;
}  // namespace walduct::java

namespace walduct::offset {

class FileOffsetStore final : public OffsetStore {
 public:
  // Finds out at once whether the file can be written, so that a connector does not begin what it
  // cannot keep.
  static absl::StatusOr<std::unique_ptr<FileOffsetStore>> Create(std::string path,
                                                                 OffsetIdentity identity);

  absl::StatusOr<std::optional<StoredOffset>> Load() override;
  // Stores before it returns.
  absl::Status StartSave(const StoredOffset& offset) override;
  std::optional<absl::Status> PollSave() override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override;
  bool erased() const override { return erased_; }

 private:
  FileOffsetStore(std::string path, OffsetIdentity identity)
      : path_(std::move(path)), identity_(std::move(identity)) {}

  absl::Status CheckUnchanged(const java::HashMapFile& map);

  const std::string path_;
  const OffsetIdentity identity_;
  bool erased_ = false;
  SeenValue value_;
};

}  // namespace walduct::offset
