#include "access/passwords.h"

#include <cstdint>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "java/text/properties_text.h"
#include "security/jaas.h"

namespace walduct::access {
namespace {

// Takes as long for a wrong password as for the right one.
bool Same(absl::string_view given, absl::string_view expected) {
  uint8_t difference = given.size() == expected.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char other = expected.empty() ? '\0' : expected[i % expected.size()];
    difference |= static_cast<uint8_t>(given[i] ^ other);
  }
  return difference == 0;
}

// Quoted texts stay as they are.
std::string WithoutComments(absl::string_view text) {
  std::string kept;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const absl::string_view rest = text.substr(i);
    if (quote == '\0' && absl::StartsWith(rest, "//")) {
      i += rest.substr(0, rest.find('\n')).size() - 1;
      continue;
    }
    if (quote == '\0' && absl::StartsWith(rest, "/*")) {
      const size_t end = rest.find("*/", 2);
      i += (end == absl::string_view::npos ? rest.size() : end + 2) - 1;
      continue;
    }
    const char c = text[i];
    if (quote == '\0' ? c == '"' || c == '\'' : c == quote) quote = quote == '\0' ? c : '\0';
    kept.push_back(c);
  }
  return kept;
}

}  // namespace

absl::StatusOr<Passwords> Passwords::Parse(absl::string_view text) {
  const absl::StatusOr<java::Properties> properties = java::ParseProperties(text);
  if (!properties.ok()) return absl::InvalidArgumentError(properties.status().message());
  Passwords passwords;
  for (const auto& [name, password] : properties->values) passwords.users_[name] = password;
  if (passwords.users_.empty())
    return absl::InvalidArgumentError("is empty: it would let everybody in");
  return passwords;
}

bool Passwords::Admits(absl::string_view authorization) const {
  const size_t blank = authorization.find(' ');
  if (!absl::EqualsIgnoreCase(authorization.substr(0, blank), "basic")) return false;
  std::string both;
  if (blank == absl::string_view::npos ||
      !absl::Base64Unescape(authorization.substr(blank + 1), &both))
    return false;
  const size_t colon = both.find(':');
  if (colon == std::string::npos || colon == 0) return false;
  const auto user = users_.find(both.substr(0, colon));
  return user != users_.end() && Same(absl::string_view(both).substr(colon + 1), user->second);
}

absl::StatusOr<std::string> CredentialsFile(absl::string_view login_file) {
  const std::string plain = WithoutComments(login_file);
  constexpr absl::string_view kEntry = "KafkaConnect";
  absl::string_view entry = plain;
  const size_t begin = entry.find(kEntry);
  if (begin == absl::string_view::npos)
    return absl::InvalidArgumentError("has no entry KafkaConnect");
  entry = absl::StripLeadingAsciiWhitespace(entry.substr(begin + kEntry.size()));
  if (!absl::ConsumePrefix(&entry, "{"))
    return absl::InvalidArgumentError("has no '{' after KafkaConnect");
  const absl::StatusOr<security::JaasEntry> module =
      security::ParseJaas(entry.substr(0, entry.find('}')));
  if (!module.ok()) return absl::InvalidArgumentError("its entry KafkaConnect is malformed");
  if (module->module != "PropertyFileLoginModule") {
    return absl::InvalidArgumentError(
        absl::StrCat("asks for the login module ", module->module,
                     ", and PropertyFileLoginModule is the only one that is known"));
  }
  const auto file = module->options.find("file");
  if (file == module->options.end() || file->second.empty())
    return absl::InvalidArgumentError("its login module has no option file=\"…\"");
  return file->second;
}

}  // namespace walduct::access
