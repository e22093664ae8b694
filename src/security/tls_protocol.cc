#include "security/tls_protocol.h"

#include <openssl/ssl.h>

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/error.h"

namespace walduct::security {
namespace {

absl::Status Invalid(absl::string_view property, absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_property_invalid",
               absl::StrCat(property, ": ", what), hint);
}

std::vector<absl::string_view> Items(absl::string_view list) {
  std::vector<absl::string_view> items;
  for (absl::string_view item : absl::StrSplit(list, absl::ByAnyChar(",:"))) {
    item = absl::StripAsciiWhitespace(item);
    if (!item.empty()) items.push_back(item);
  }
  return items;
}

bool IsTls13(absl::string_view suite) {
  return absl::StartsWith(suite, "TLS_") && !absl::StrContains(suite, "_WITH_");
}

}  // namespace

absl::StatusOr<std::string> OpenSslCiphers(absl::string_view java) {
  std::vector<std::string> names;
  for (const absl::string_view suite : Items(java)) {
    if (IsTls13(suite)) continue;
    if (!absl::StrContains(suite, "_WITH_")) {
      names.emplace_back(suite);
      continue;
    }
    // The JDK's older names differ from the standard's in their first letters alone.
    const std::string standard = absl::StrCat("TLS_", suite.substr(suite.find('_') + 1));
    const absl::string_view name = OPENSSL_cipher_name(standard.c_str());
    if (name == "(NONE)") {
      return Invalid("ssl.cipher.suites", absl::StrCat("OpenSSL has no cipher suite ", suite),
                     "remove it; without the property OpenSSL's own choice is offered");
    }
    names.emplace_back(name);
  }
  return absl::StrJoin(names, ":");
}

absl::StatusOr<std::string> CheckProtocols(absl::string_view java) {
  bool tls12 = false, tls13 = false;
  for (const absl::string_view protocol : Items(java)) {
    tls12 = tls12 || protocol == "TLSv1.2";
    tls13 = tls13 || protocol == "TLSv1.3";
  }
  if (tls12 && tls13) return std::string();
  if (tls12) return std::string("TLSv1.3 is offered, too, and cannot be switched off");
  if (tls13) {
    return std::string(
        "TLSv1.2 is offered, too, and cannot be switched off; let the broker refuse it "
        "(ssl.enabled.protocols=TLSv1.3 in its server.properties)");
  }
  return Invalid("ssl.enabled.protocols", "only TLSv1.2 and TLSv1.3 are supported",
                 "let the broker enable TLSv1.2 or TLSv1.3, and remove the property");
}

}  // namespace walduct::security
