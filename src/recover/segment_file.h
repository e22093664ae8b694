// Segments as files: read, and handed to the server as a whole or up to a cut.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::recover {

// A file's bytes as they are on the disk, as long as the object lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Empty: there is none, or it cannot be read.
  absl::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

// The first bytes of a segment and zeros behind them, as a new file.
absl::Status WriteUpTo(absl::string_view segment, uint64_t bytes, const std::string& path);

// The same where the server has a shorter part of it at `had`: that very file grows and becomes
// `path` too, for a session that decodes holds it open and would not see another in its place.
absl::Status GrowTo(absl::string_view segment, uint64_t bytes, const std::string& had,
                    const std::string& path);

// Whether the file begins with these bytes of the segment.
bool Has(const std::string& path, absl::string_view segment, uint64_t bytes);

}  // namespace walduct::recover
