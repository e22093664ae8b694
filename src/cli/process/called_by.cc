#include "cli/process/called_by.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/shell_word.h"
#include "config/files/config_file.h"

namespace walduct::cli {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string SettingName(absl::string_view setting) {
  return std::string(setting.substr(0, setting.find('=')));
}

// The value counts, and may be printed.
bool IsShown(const std::string& setting, const config::LoadReport& report) {
  return std::any_of(report.properties.begin(), report.properties.end(),
                     [&](const config::PropertyReport& of) {
                       return absl::StrCat(of.name, "=", of.value) == setting;
                     });
}

// Values that were typed beside the files; those of secrets are not shown.
std::string Overrides(const TypedFiles& typed, const config::LoadReport& report) {
  std::string text;
  for (const std::string& one : typed.overrides) {
    if (SettingName(one) != "snapshot.mode" && IsShown(one, report))
      absl::StrAppend(&text, " -o ", ShellWord(one));
  }
  return text;
}

std::string Absolute(const std::string& file) {
  if (file.empty() || IsReadOnce(file)) return file;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  return error ? file : whole.string();
}

}  // namespace

bool IsReadOnce(const std::string& file) {
  std::error_code error;
  return file == "-" || file == "/dev/stdin" || absl::StartsWith(file, "/dev/fd/") ||
         absl::StartsWith(file, "/proc/self/fd/") || std::filesystem::is_fifo(file, error);
}

std::map<std::string, std::string> TextsReadOnce(const std::string& worker,
                                                 const std::vector<std::string>& connectors) {
  static Mutex mutex;
  static std::map<std::string, std::string>& read = *new std::map<std::string, std::string>();
  const MutexLock lock(mutex);
  const auto add = [](const std::string& file) {
    if (!IsReadOnce(file) || read.contains(file)) return;
    // What cannot be read is told by who needs it.
    if (absl::StatusOr<std::string> text = config::ReadTextFile(file); text.ok())
      read.emplace(file, *std::move(text));
  };
  add(worker);
  for (const std::string& file : connectors) add(file);
  return read;
}

std::string WorkerWords(const std::string& worker) {
  if (worker.empty()) return "";
  return absl::StrCat(" -w ", IsReadOnce(worker) ? std::string(kPipedWorker) : ShellWord(worker));
}

names::Called CalledByFiles(const TypedFiles& typed, const config::LoadReport& report) {
  if (IsReadOnce(typed.connector)) return {};
  std::string connector = typed.connector, worker = typed.worker;
  const std::string credentials = Variable("CREDENTIALS_DIRECTORY");
  std::string unit = credentials.empty() ? "" : Variable("WALDUCT_UNIT");
  if (!unit.empty() && connector == credentials + "/connector.json") {
    connector = absl::StrCat("/etc/walduct/", unit, ".json");
    if (worker == credentials + "/worker.properties") worker = "/etc/walduct/worker.properties";
  } else {
    unit.clear();
  }
  return {.who = absl::StrCat("-f ", ShellWord(connector), WorkerWords(worker),
                              Overrides(typed, report)),
          .unit = unit};
}

TypedOverrides OverridesAgain(const std::vector<std::string>& overrides,
                              const config::LoadReport& report) {
  TypedOverrides again;
  for (auto one = overrides.begin(); one != overrides.end(); ++one) {
    const std::string name = SettingName(*one);
    const auto is_it = [&name](const std::string& other) { return SettingName(other) == name; };
    if (std::any_of(one + 1, overrides.end(), is_it)) continue;  // the last one counts
    const bool shown = IsShown(*one, report);
    if (!shown) again.hidden.push_back(name);
    absl::StrAppend(&again.text, " -o ", ShellWord(shown ? *one : absl::StrCat(name, "=<VALUE>")));
  }
  return again;
}

std::string DoctorByFiles(const TypedFiles& typed, const config::LoadReport& report) {
  const names::Called called = CalledByFiles({.connector = Absolute(typed.connector),
                                              .worker = Absolute(typed.worker),
                                              .overrides = typed.overrides},
                                             report);
  return called.who.empty() ? "" : names::Command(called, "doctor");
}

std::string KeptWorkerFile(const std::string& typed) {
  const std::string credentials = Variable("CREDENTIALS_DIRECTORY");
  const bool copied = !credentials.empty() && typed == credentials + "/worker.properties";
  if (IsReadOnce(typed)) return "";
  return copied ? "/etc/walduct/worker.properties" : Absolute(typed);
}

}  // namespace walduct::cli
