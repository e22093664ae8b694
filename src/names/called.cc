#include "names/called.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json_text.h"
#include "base/percent.h"
#include "base/shell_word.h"

namespace walduct::names {
namespace {

// http://127.0.0.1:8083/connectors/shop/config
std::string ConfigUrl(const Called& called) {
  return absl::StrCat(called.where, "/connectors/", EncodePercent(called.name), "/config");
}

std::string WorkerFile(const Called& called) {
  return called.worker_file.empty() ? "worker.properties" : ShellWord(called.worker_file);
}

std::string Patch(const Called& called) {
  return absl::StrCat("curl -X PATCH -H 'Content-Type: application/json' ",
                      ShellWord(ConfigUrl(called)));
}

std::string FlagsOf(const std::vector<std::string>& tables) {
  std::string flags;
  for (const std::string& table : tables)
    absl::StrAppend(&flags, flags.empty() ? "" : " ", "--table ", table);
  return flags;
}

std::string SnapshotCommandOf(const Called& called, const std::string& flags) {
  constexpr absl::string_view kSignal = "signal execute-snapshot";
  if (called.signals == Called::Signals::kNever) {
    const bool served = !called.where.empty();
    return absl::StrCat(served ? Command(called, "stop") : "stop it", ", then ",
                        Command(called, "offsets reset", "--accept-loss"), ", then ",
                        served ? Command(called, "resume") : "start it",
                        ": all tables are read anew (signals reach connectors of one slot)");
  }
  if (called.signals == Called::Signals::kAsCalled) return Command(called, kSignal, flags);
  if (!called.listens.empty()) return AskCommand(called, kSignal, flags);
  Called listening = called;
  listening.listens = "http://127.0.0.1:8083";
  return absl::StrCat("start it with walduct.listen=127.0.0.1:8083, and type ",
                      AskCommand(listening, kSignal, flags));
}

}  // namespace

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

std::string AskCommand(const Called& called, absl::string_view verb, absl::string_view flags) {
  if (!called.where.empty() || called.name.empty()) return Command(called, verb, flags);
  return Command({.who = ShellWord(called.name), .where = called.listens}, verb, flags);
}

std::string RestartCommand(const Called& called) {
  if (!called.where.empty()) return Command(called, called.rests ? "resume" : "restart");
  if (called.unit.empty()) return "restart the process";
  return absl::StrCat("sudo systemctl restart ", ShellWord("walduct@" + called.unit));
}

std::string WithConfiguration(const Called& called) {
  if (called.where.empty()) return absl::StrCat("and ", RestartCommand(called));
  return absl::StrCat("by PATCH ", ConfigUrl(called),
                      ", or in the console, which begins the connector again");
}

std::string RunCommand(const Called& called, absl::string_view settings) {
  return absl::StrCat("walduct run ", called.who, " -o ", settings, called.flags.empty() ? "" : " ",
                      called.flags);
}

std::string SetCommand(const Called& called, absl::string_view setting) {
  return SetCommand(called, std::vector<std::string>{std::string(setting)});
}

std::string SetCommand(const Called& called, const std::vector<std::string>& settings) {
  if (called.where.empty()) {
    if (called.unit.empty() && called.who.starts_with("-f ")) {
      std::vector<std::string> words;
      for (const std::string& setting : settings) words.push_back(ShellWord(setting));
      return RunCommand(called, absl::StrJoin(words, " -o "));
    }
    return absl::StrCat("set ", absl::StrJoin(settings, " and "), " and ",
                        called.unit.empty() ? "restart the connector" : RestartCommand(called));
  }
  std::string body = "{";
  for (const std::string& setting : settings) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(setting, absl::MaxSplits('=', 1));
    if (body.size() > 1) body += ',';
    AppendJsonString(parts.first, &body);
    body += ':';
    AppendJsonString(parts.second, &body);
  }
  return absl::StrCat(Patch(called), " -d ", ShellWord(body + "}"));
}

std::string ExtendCommand(const Called& called, absl::string_view property,
                          absl::string_view entry) {
  if (called.where.empty()) return "";
  std::string name, more;
  AppendJsonString(property, &name);
  AppendJsonString(entry, &more);
  return absl::StrCat("curl -s ", ShellWord(ConfigUrl(called)), " | jq ",
                      ShellWord(absl::StrCat("{", name, ": ([.[", name, "] // \"\", ", more,
                                             "] | map(select(. != \"\")) | join(\",\"))}")),
                      " | ", Patch(called), " -d @-");
}

std::string ReplaceCommand(const Called& called, absl::string_view property,
                           absl::string_view entry, absl::string_view by) {
  if (called.where.empty()) return "";
  std::string name, old_one, new_one;
  AppendJsonString(property, &name);
  AppendJsonString(entry, &old_one);
  AppendJsonString(by, &new_one);
  return absl::StrCat(
      "curl -s ", ShellWord(ConfigUrl(called)), " | jq ",
      ShellWord(absl::StrCat("{", name, ": (.[", name,
                             "] | split(\",\") | map(gsub(\"^ +| +$\"; "
                             "\"\") | if . == ",
                             old_one, " then ", new_one, " else . end) | join(\",\"))}")),
      " | ", Patch(called), " -d @-");
}

std::string SnapshotCommand(const Called& called, const std::vector<std::string>& tables,
                            absl::string_view filter) {
  return SnapshotCommandOf(called, absl::StrCat(FlagsOf(tables), filter.empty() ? "" : " --filter ",
                                                filter.empty() ? "" : ShellWord(filter)));
}

std::string BlockingSnapshotCommand(const Called& called, const std::vector<std::string>& tables) {
  return SnapshotCommandOf(called, absl::StrCat("--blocking ", FlagsOf(tables)));
}

ServedFiles FilesOfServed(const Called& called) {
  const std::string file = ShellWord(called.name + ".of-worker.json");
  return {
      .make = absl::StrCat("(umask 077; curl -s ", ShellWord(ConfigUrl(called)), " > ", file, ")"),
      .who = absl::StrCat("-f ", file, " -w ", WorkerFile(called))};
}

std::string DeletesNote(const Called& called) {
  constexpr absl::string_view kNone =
      "a snapshot tells no deletes: rows that were deleted "
      "meanwhile stay in the topic";
  if (called.signals == Called::Signals::kNever || !called.reads_back) return std::string(kNone);
  const bool served = !called.where.empty();
  Called files = called;
  files.where.clear();
  std::string first;  // what makes the files
  if (served && !files.who.starts_with("-f ")) {
    ServedFiles made = FilesOfServed(called);
    first = made.make + "; ";
    files.who = std::move(made.who);
  } else if (!files.who.starts_with("-f ")) {
    files.who = absl::StrCat("-f ", ShellWord(called.name + ".json"), " -w ", WorkerFile(called));
  }
  return absl::StrCat(
      kNone, " until ", first, Command(files, "recover read"), " has compared it with the table (",
      served ? Command(called, "stop") : "stop it", " before, and ",
      served ? Command(called, "resume") : "start it", " after it; docs/recover.md)");
}

}  // namespace walduct::names
