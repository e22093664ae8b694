#include "sink/line/torn_line.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "sink/line/record_text.h"

namespace walduct::sink {
namespace {

constexpr size_t kChunkBytes = 64u << 10;

class Reader {
 public:
  explicit Reader(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Reader() {
    if (fd_ >= 0) close(fd_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool opened() const { return fd_ >= 0; }
  // Of an ordinary file; -1: it is none.
  off_t size() const {
    struct stat status = {};
    return fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : -1;
  }
  // Fewer bytes only at the end of the file or after an error.
  std::string ReadAt(off_t offset, size_t count) const {
    std::string bytes(count, '\0');
    const ssize_t got = pread(fd_, bytes.data(), count, offset);
    bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return bytes;
  }

 private:
  const int fd_;
};

// Where the last line begins.
off_t LastLineOf(const Reader& file, off_t size) {
  for (off_t end = size; end > 0;) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(kChunkBytes));
    const size_t newline = file.ReadAt(begin, static_cast<size_t>(end - begin)).rfind('\n');
    if (newline != std::string::npos) return begin + static_cast<off_t>(newline) + 1;
    end = begin;
  }
  return 0;
}

bool BeginsAsRecord(absl::string_view line) {
  return absl::StartsWith(line, kRecordBegin) || absl::StartsWith(kRecordBegin, line);
}

}  // namespace

int MendLastLine(const std::string& path, int fd, uint64_t* cut) {
  *cut = 0;
  const Reader file(path);
  const off_t size = file.opened() ? file.size() : -1;
  if (size <= 0) return 0;
  const off_t begin = LastLineOf(file, size);
  if (begin == size) return 0;
  if (!BeginsAsRecord(file.ReadAt(begin, kRecordBegin.size())))
    return write(fd, "\n", 1) == 1 ? 0 : errno;
  if (ftruncate(fd, begin) != 0) return errno;
  *cut = static_cast<uint64_t>(size - begin);
  return 0;
}

}  // namespace walduct::sink
