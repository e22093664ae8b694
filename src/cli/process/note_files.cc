#include "cli/process/note_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/whole_file.h"

namespace walduct::cli {
namespace {

constexpr size_t kLongestNote = size_t{1} << 20;
constexpr char kStates[] = "/var/lib/walduct";  // of the units
constexpr absl::string_view kOwn = "walduct-";

std::string Variable(const char* name) {
  const char* const given = std::getenv(name);
  return given == nullptr ? "" : given;
}

std::string TemporaryFolder() {
  const std::string given = Variable("TMPDIR");
  return given.empty() ? "/tmp" : given;
}

// Where everybody may make folders, only one that nobody else can write to is the owner's. A unit
// with DynamicUser reaches its own by a link.
bool IsOf(const std::string& folder, uid_t owner) {
  struct stat found {};
  const bool is_link = lstat(folder.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
  if (is_link && (folder != NotesFolder() || Variable("STATE_DIRECTORY").empty())) return false;
  return stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == owner &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool IsInFolder(const std::string& path) { return absl::StartsWith(path, NotesFolder() + "/"); }

absl::Status NotWritten(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", why));
}

absl::Status MakeFolder() {
  const std::string folder = NotesFolder();
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return NotWritten(folder, std::strerror(errno));
  if (IsOf(folder, geteuid())) return absl::OkStatus();
  return NotWritten(folder, "is not a folder that this user alone can write to");
}

// Those that others left their notes in: of units, and among the temporary files.
std::vector<std::string> FoldersOfOthers() {
  std::vector<std::string> all;
  std::error_code error;
  for (std::filesystem::directory_iterator at(kStates, error), end; !error && at != end;
       at.increment(error))
    all.push_back(at->path().string());
  for (std::filesystem::directory_iterator at(TemporaryFolder(), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    absl::string_view rest = name;
    unsigned int owner = 0;
    if (absl::ConsumePrefix(&rest, kOwn) && absl::SimpleAtoi(rest, &owner) &&
        IsOf(at->path().string(), owner))
      all.push_back(at->path().string());
  }
  const std::string own = NotesFolder();
  std::erase(all, own);
  std::sort(all.begin(), all.end());
  return all;
}

void Deny(const std::string& path, std::vector<std::string>* denied) {
  struct stat found {};
  const bool known = stat(path.c_str(), &found) == 0;
  std::string who = known ? absl::StrCat("user ", found.st_uid) : "another user";
  if (std::find(denied->begin(), denied->end(), who) == denied->end())
    denied->push_back(std::move(who));
}

// denied: told of folder where the file itself cannot be seen.
std::string Read(const std::string& path, const std::string& folder,
                 std::vector<std::string>* denied) {
  errno = 0;
  if (auto text = ReadWholeFile(path, {.most = kLongestNote, .follows_links = false}))
    return *std::move(text);
  if (errno == EACCES && denied != nullptr)
    Deny(::access(path.c_str(), F_OK) == 0 ? path : folder, denied);
  return "";
}

}  // namespace

std::string NotesFolder() {
  if (std::string given = Variable("WALDUCT_STATE_DIRECTORY"); !given.empty()) return given;
  // Of several a unit has, the first.
  const std::string unit = Variable("STATE_DIRECTORY");
  if (!unit.empty()) return unit.substr(0, unit.find(':'));
  return absl::StrCat(TemporaryFolder(), "/", kOwn, geteuid());
}

absl::Status WriteNote(const std::string& path, const std::string& text) {
  if (IsInFolder(path)) {
    if (const absl::Status made = MakeFolder(); !made.ok()) return made;
  }
  const bool written = ReplaceWholeFile(path, text,
                                        {.mode = S_IRUSR | S_IWUSR,
                                         .durable = false,
                                         .temporary = absl::StrCat(path, ".", getpid())});
  return written ? absl::OkStatus() : NotWritten(path, std::strerror(errno));
}

absl::Status CheckNotes() {
  if (const absl::Status made = MakeFolder(); !made.ok()) return made;
  const std::string folder = NotesFolder();
  return ::access(folder.c_str(), W_OK) == 0 ? absl::OkStatus()
                                             : NotWritten(folder, std::strerror(errno));
}

bool IsForeign(const std::string& path) {
  struct stat found {};
  return lstat(path.c_str(), &found) == 0 && found.st_uid != geteuid();
}

std::string ReadNote(const std::string& path, std::vector<std::string>* denied) {
  if (IsInFolder(path) && !IsOf(NotesFolder(), geteuid())) return "";
  return Read(path, DirectoryOf(path), denied);
}

std::vector<std::string> ReadNotes(const std::string& name, std::vector<std::string>* denied) {
  std::vector<std::string> texts = {ReadNote(absl::StrCat(NotesFolder(), "/", name), denied)};
  for (const std::string& folder : FoldersOfOthers())
    texts.push_back(Read(absl::StrCat(folder, "/", name), folder, denied));
  std::erase(texts, "");
  return texts;
}

}  // namespace walduct::cli
