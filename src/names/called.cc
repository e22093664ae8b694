#include "names/called.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace walduct::names {
namespace {

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::string_view("_-./:=,@%+").find(c) != absl::string_view::npos;
}

}  // namespace

std::string ShellWord(absl::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), IsPlain)) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", R"('\'')"}}), "'");
}

std::string Command(const Called& called, absl::string_view verb, absl::string_view flags) {
  std::string text = absl::StrCat("walduct ", verb);
  if (!called.who.empty()) absl::StrAppend(&text, " ", called.who);
  if (!flags.empty()) absl::StrAppend(&text, " ", flags);
  if (!called.where.empty()) absl::StrAppend(&text, " --url ", called.where);
  if (called.unit.empty()) return text;
  const std::string environment = ShellWord(absl::StrCat("/etc/walduct/", called.unit, ".env"));
  return absl::StrCat("sudo sh -c ",
                      ShellWord(absl::StrCat("cd ", ShellWord("/var/lib/walduct/" + called.unit),
                                             "; set -a; test ! -f ", environment, " || . ",
                                             environment, "; ", text)));
}

std::string SnapshotCommand(const Called& called, const std::vector<std::string>& tables,
                            absl::string_view filter) {
  std::string flags;
  for (const std::string& table : tables)
    absl::StrAppend(&flags, flags.empty() ? "" : " ", "--table ", table);
  if (!filter.empty()) absl::StrAppend(&flags, " --filter ", ShellWord(filter));
  return absl::StrCat(called.takes_signals
                          ? ""
                          : "set signal.data.collection, or read.only=true and "
                            "signal.enabled.channels=file (docs/snapshots.md), and restart the "
                            "connector; then ",
                      Command(called, "signal execute-snapshot", flags));
}

}  // namespace walduct::names
