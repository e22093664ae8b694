// Reading and replacing a small file as a whole. What goes wrong is in errno: each user has its own
// words for it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }
  bool Close();

 private:
  int fd_;
};

// Where it lies: "/a" of "/a/b", "." of "b".
std::string DirectoryOf(const std::string& path);

struct FileReading {
  size_t most = size_t{64} << 20;  // bytes; above: EFBIG
  bool follows_links = true;
};
// Absent: errno says why.
std::optional<std::string> ReadWholeFile(const std::string& path, const FileReading& how = {});

// The name that a file has until it is whole.
std::string TemporaryOf(const std::string& path);
// Of the file that is there, else that of a new one.
mode_t ModeOf(const std::string& path, mode_t of_new);

struct FileReplacing {
  mode_t mode = 0644;          // of a file that is new; one that is there keeps mode and owner
  bool exact = false;          // that mode whatever the umask, also of one that is there
  bool durable = true;         // fsync of file and directory
  std::string temporary = {};  // path of another temporary file than TemporaryOf
};
// A temporary file beside it, and a rename: a crash in between leaves the old content. A file that
// has the name of the temporary one goes. False: errno says why.
bool ReplaceWholeFile(const std::string& path, absl::string_view content,
                      const FileReplacing& how = {});

}  // namespace walduct
