#include "base/descriptors.h"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct {
namespace {

constexpr rlim_t kEnough = 65536;
// Sessions with the server, brokers and wakes of one connector: about twenty, and some more while
// it begins.
constexpr uint64_t kNeeded = 32;

absl::Status NoneLeft() {
  return Error(absl::StatusCode::kUnavailable, "no_file_descriptor",
               absl::StrCat("fewer than ", kNeeded, " of the ", MaxDescriptors(),
                            " file descriptors that this process may have are left"),
               "raise the limit: LimitNOFILE=65536 in a systemd unit, ulimit -n 65536 in the shell "
               "that starts it; of a process that runs: prlimit --pid PID --nofile=65536");
}

}  // namespace

void RaiseDescriptorLimit() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  const rlim_t most = std::min(files.rlim_max, kEnough);
  if (files.rlim_cur >= most) return;
  files.rlim_cur = most;
  setrlimit(RLIMIT_NOFILE, &files);
}

uint64_t MaxDescriptors() {
  rlimit files = {};
  getrlimit(RLIMIT_NOFILE, &files);
  return files.rlim_cur;
}

uint64_t OpenDescriptors() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return errno == EMFILE ? MaxDescriptors() : 0;
  uint64_t count = 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count - 3;  // ".", "..", the folder itself
}

absl::Status CheckDescriptors() {
  return OpenDescriptors() + kNeeded <= MaxDescriptors() ? absl::OkStatus() : NoneLeft();
}

}  // namespace walduct
