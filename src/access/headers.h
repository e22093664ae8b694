// Headers that a worker adds to its answers: access.control.allow.* and
// response.http.headers.config. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "http/message.h"

namespace walduct::access {

// Which pages of other origins may ask. As Jetty's handler in front of Connect answers.
class CrossOrigin {
 public:
  CrossOrigin() = default;  // none, and no header
  // Lists with commas; "*" is any origin. methods may be empty: GET,POST,HEAD. InvalidArgument: an
  // origin is a pattern.
  static absl::StatusOr<CrossOrigin> Parse(absl::string_view origins, absl::string_view methods);

  void AddTo(const http::Request& request, http::Response* response) const;
  bool Allows(absl::string_view origin) const;

 private:
  bool any_ = false;
  std::vector<std::string> origins_;
  std::string methods_;
};

// "[action] name: value", with commas between; one that has commas stands in double quotes.
// Actions: set, add, setDate, addDate (the value is so many milliseconds from now).
class HeaderRules {
 public:
  HeaderRules() = default;
  static absl::StatusOr<HeaderRules> Parse(absl::string_view text);

  void AddTo(absl::Time now, http::Response* response) const;

 private:
  struct Rule {
    bool replaces = false;
    bool date = false;
    std::string name, value;
    absl::Duration from_now;
  };
  static absl::StatusOr<Rule> ParseRule(absl::string_view text);

  std::vector<Rule> rules_;
};

}  // namespace walduct::access
