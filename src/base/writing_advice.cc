#include "base/writing_advice.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/shell_word.h"
#include "base/whole_file.h"

namespace walduct {
namespace {

bool May(const std::string& path, int mode) {
  return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

bool IsThere(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

// The first folder on the way that does not let this process in.
std::string ClosedFolder(const std::string& path) {
  const std::string folder = DirectoryOf(path);
  if (folder == path) return "";
  const std::string above = ClosedFolder(folder);
  return !above.empty() || May(folder, X_OK) || !IsThere(folder) ? above : folder;
}

std::string MissingFolder(const std::string& path) {
  std::string missing, folder = DirectoryOf(path);
  while (!IsThere(folder) && errno == ENOENT && DirectoryOf(folder) != folder) {
    missing = folder;
    folder = DirectoryOf(folder);
  }
  return missing;
}

// Its owner needs no root.
std::string Allow(const std::string& path, const char* rights) {
  const std::string word = ShellWord(path), uid = absl::StrCat(geteuid());
  struct stat status {};
  const bool own = stat(path.c_str(), &status) == 0 && status.st_uid == geteuid();
  return absl::StrCat("walduct runs as uid ", uid, ", which may not write ", word,
                      own ? ": " : absl::StrCat(": as root, chown ", uid, " ", word, " && "),
                      "chmod ", rights, " ", word);
}

std::string Denied(const std::string& path) {
  if (const std::string closed = ClosedFolder(path); !closed.empty()) {
    return absl::StrCat("walduct runs as uid ", geteuid(), ", which may not enter ",
                        ShellWord(closed), ": as root, chmod a+x ", ShellWord(closed));
  }
  if (IsThere(path) && !May(path, R_OK | W_OK)) return Allow(path, "u+rw");
  return Allow(DirectoryOf(path), "u+rwx");
}

// Of a file or folder that chattr has made immutable, or a folder that may only grow; empty: else.
std::string TakesOff(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return "";
  int flags = 0;
  const bool known = ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
  close(fd);
  if (!known || (flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)) == 0) return "";
  return absl::StrCat("chattr ", (flags & FS_IMMUTABLE_FL) != 0 ? "-i " : "-a ", ShellWord(path));
}

std::string Unchangeable(const std::string& path) {
  const std::string folder = DirectoryOf(path), file_off = TakesOff(path),
                    folder_off = TakesOff(folder);
  if (file_off.empty() && folder_off.empty()) {
    return absl::StrCat("it may not be changed: lsattr -d ", ShellWord(folder), " ",
                        ShellWord(path), " shows i at what chattr -i ", ShellWord(path),
                        ", or chattr -i ", ShellWord(folder), ", mends");
  }
  return absl::StrCat("it may not be changed: as root, ", file_off,
                      file_off.empty() || folder_off.empty() ? "" : " && ", folder_off);
}

}  // namespace

std::string WritingAdvice(const std::string& path, int error) {
  const std::string folder = ShellWord(DirectoryOf(path));
  switch (error) {
    case ENOSPC:
      return absl::StrCat("free space where it lies, which df -h ", folder, " and df -i ", folder,
                          " show");
    case EDQUOT:
      return absl::StrCat("uid ", geteuid(), " has no more room in ", folder,
                          ": quota -s shows it");
    case EROFS:
      return absl::StrCat("its file system is mounted read-only (findmnt -T ", folder,
                          "): mount it read-write; where the kernel did that after an error of the "
                          "disk, dmesg says so");
    case EIO:
      return absl::StrCat("the disk fails: see dmesg and findmnt -T ", folder);
    case EMFILE:
      return "raise the limit of file descriptors: LimitNOFILE=65536 in a systemd unit, or ulimit "
             "-n";
    case EACCES:
      return Denied(path);
    case EPERM:
      return Unchangeable(path);
    case ENOENT: {
      const std::string missing = MissingFolder(path);
      if (missing.empty()) return "";
      return absl::StrCat("there is no folder ", ShellWord(missing),
                          ": mount it where it is a volume; else mkdir -p ", folder,
                          geteuid() == 0 ? "" : absl::StrCat(" && chown ", geteuid(), " ", folder));
    }
    default:
      return "";
  }
}

}  // namespace walduct
