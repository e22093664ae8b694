#include "base/documents.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace walduct {
namespace {

constexpr absl::string_view kDocs = "docs/", kPage = ".md";

bool IsOfName(char c) { return absl::ascii_islower(static_cast<unsigned char>(c)) || c == '-'; }

// "start.md" at the beginning of rest: how long it is; 0: it is none.
size_t PageIn(absl::string_view rest) {
  size_t end = 0;
  while (end < rest.size() && IsOfName(rest[end])) ++end;
  return end > 0 && absl::StartsWith(rest.substr(end), kPage) ? end + kPage.size() : 0;
}

// Beside the folder of the program: PREFIX/bin/walduct, PREFIX/share/doc/walduct.
std::string FindFolder() {
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
  if (length <= 0) return "";
  const absl::string_view path(program, static_cast<size_t>(length));
  const absl::string_view bin = path.substr(0, path.rfind('/'));
  const absl::string_view prefix = bin.substr(0, bin.rfind('/'));
  if (bin.empty() || prefix.size() == bin.size()) return "";
  std::string folder = absl::StrCat(prefix, "/share/doc/walduct");
  return access(absl::StrCat(folder, "/docs/start.md").c_str(), R_OK) == 0 ? folder : "";
}

}  // namespace

std::string WithDocuments(absl::string_view text) {
  static const std::string* const folder = new std::string(FindFolder());
  return WithDocuments(text, *folder);
}

std::string WithDocuments(absl::string_view text, absl::string_view folder) {
  std::string told;
  size_t done = 0;
  for (size_t at = folder.empty() ? absl::string_view::npos : text.find(kDocs);
       at != absl::string_view::npos; at = text.find(kDocs, at + 1)) {
    const bool begins = at == 0 || absl::StrContains(" (\"':", text.substr(at - 1, 1));
    if (!begins || PageIn(text.substr(at + kDocs.size())) == 0) continue;
    absl::StrAppend(&told, text.substr(done, at - done), folder, "/");
    done = at;
  }
  return absl::StrCat(told, text.substr(done));
}

}  // namespace walduct
