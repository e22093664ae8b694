// Finding: something that `walduct doctor` has to say, and the command that puts it right.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/error.h"

namespace walduct::operate {

enum class Severity {
  kNotice,   // worth knowing
  kWarning,  // goes wrong one day
  kError,    // a start fails, or changes are lost
};

absl::string_view SeverityText(Severity severity);

struct Finding {
  Severity severity = Severity::kError;
  std::string reason;
  std::string message;
  std::string hint;
};

// An error that `run` would stop with.
inline Finding FindingOf(const absl::Status& status, Severity severity = Severity::kError) {
  return {.severity = severity,
          .reason = ErrorReason(status),
          .message = std::string(status.message()),
          .hint = ErrorHint(status)};
}

struct Findings {
  std::vector<Finding> all;
  std::vector<std::string> asked;    // "PostgreSQL 17.2 at db:5432"
  std::string host, port, database;  // of PostgreSQL, as they are configured

  void WorstFirst() {
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.severity > b.severity; });
  }
  void Add(Finding finding) { all.push_back(std::move(finding)); }
  // Nothing when it is OK.
  void Add(const absl::Status& status, Severity severity = Severity::kError) {
    if (!status.ok()) all.push_back(FindingOf(status, severity));
  }
};

}  // namespace walduct::operate
