#include "access/headers.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "java/text/text_lists.h"

namespace walduct::access {
namespace {

constexpr absl::string_view kDefaultMethods = "GET,POST,HEAD";

// The parts between commas outside double quotes, without the quotes.
std::vector<std::string> SplitQuoted(absl::string_view text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

bool IsToken(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  });
}

}  // namespace

absl::StatusOr<CrossOrigin> CrossOrigin::Parse(absl::string_view origins,
                                               absl::string_view methods) {
  CrossOrigin rules;
  for (const std::string& origin : java::SplitCommaList(origins)) {
    if (origin == "*") {
      rules.any_ = true;
    } else if (origin.find_first_of("*?[](){}|^$+\\") != std::string::npos) {
      return absl::InvalidArgumentError("holds a pattern");
    } else {
      rules.origins_.push_back(origin);
    }
  }
  const std::vector<std::string> listed = java::SplitCommaList(methods);
  rules.methods_ = listed.empty() ? std::string(kDefaultMethods) : absl::StrJoin(listed, ",");
  return rules;
}

bool CrossOrigin::Allows(absl::string_view origin) const {
  return any_ || std::any_of(origins_.begin(), origins_.end(), [&](const std::string& one) {
           return absl::EqualsIgnoreCase(one, origin);
         });
}

void CrossOrigin::AddTo(const http::Request& request, http::Response* response) const {
  if (!any_ && origins_.empty()) return;
  auto& headers = response->headers;
  headers.emplace_back("Vary", "Origin");
  if (request.origin.empty() || !Allows(request.origin)) return;
  headers.emplace_back("Access-Control-Allow-Origin", request.origin);
  if (request.method != "OPTIONS" || request.asked_method.empty()) return;
  headers.emplace_back("Access-Control-Allow-Methods", methods_);
  headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
  headers.emplace_back("Access-Control-Max-Age", "60");
}

absl::StatusOr<HeaderRules::Rule> HeaderRules::ParseRule(absl::string_view text) {
  const auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' ", what));
  };
  text = absl::StripAsciiWhitespace(text);
  const size_t blank = text.find(' ');
  const size_t colon = text.find(':');
  if (blank == absl::string_view::npos || colon == absl::string_view::npos || colon < blank)
    return wrong("is not of the form `action name: value`");
  const absl::string_view action = text.substr(0, blank);
  Rule rule;
  rule.replaces = action == "set" || action == "setDate";
  rule.date = action == "setDate" || action == "addDate";
  if (!rule.replaces && action != "add" && action != "addDate")
    return wrong("has another action than set, add, setDate or addDate");
  rule.name = std::string(absl::StripAsciiWhitespace(text.substr(blank + 1, colon - blank - 1)));
  rule.value = std::string(absl::StripAsciiWhitespace(text.substr(colon + 1)));
  if (!IsToken(rule.name)) return wrong("has no name of a header");
  if (absl::EqualsIgnoreCase(rule.name, "Content-Type") ||
      absl::EqualsIgnoreCase(rule.name, "Content-Length"))
    return wrong("names a header that each answer sets itself");
  if (rule.value.find_first_of("\r\n") != std::string::npos) return wrong("has a line break");
  int64_t milliseconds = 0;
  if (rule.date && !absl::SimpleAtoi(rule.value, &milliseconds))
    return wrong("is a date without a number of milliseconds");
  rule.from_now = absl::Milliseconds(milliseconds);
  return rule;
}

absl::StatusOr<HeaderRules> HeaderRules::Parse(absl::string_view text) {
  HeaderRules rules;
  for (const std::string& part : SplitQuoted(text)) {
    if (absl::StripAsciiWhitespace(part).empty()) continue;
    absl::StatusOr<Rule> rule = ParseRule(part);
    if (!rule.ok()) return rule.status();
    rules.rules_.push_back(*std::move(rule));
  }
  return rules;
}

void HeaderRules::AddTo(absl::Time now, http::Response* response) const {
  auto& headers = response->headers;
  for (const Rule& rule : rules_) {
    const auto same = [&](const auto& header) {
      return absl::EqualsIgnoreCase(header.first, rule.name);
    };
    if (rule.replaces)
      headers.erase(std::remove_if(headers.begin(), headers.end(), same), headers.end());
    headers.emplace_back(rule.name, rule.date
                                        ? absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT",
                                                           now + rule.from_now, absl::UTCTimeZone())
                                        : rule.value);
  }
}

}  // namespace walduct::access
