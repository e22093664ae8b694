#include "loader/worker_listeners.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/whole_file.h"
#include "http/listen_properties.h"
#include "java/text/text_lists.h"
#include "security/listener_tls.h"

namespace walduct::loader {
namespace {

constexpr absl::string_view kDefaultListener = "http://:8083";
constexpr absl::string_view kForm = "use http://HOST:PORT or https://HOST:PORT";
constexpr absl::string_view kBasicAuthentication = "BasicAuthSecurityRestExtension";
constexpr absl::string_view kLoginFile = "walduct.rest.login.config";

using Tls = std::shared_ptr<const http::ServerTls>;

std::string TextOf(const config::PropertySet& properties, absl::string_view name) {
  return properties.IsSet(name) ? properties.Find(name)->value : "";
}

// Those with the prefix if there are any, else the ones without, as in Kafka Connect.
security::NamedValues TlsProperties(const config::PropertySet& properties,
                                    absl::string_view prefix) {
  security::NamedValues own, common;
  for (const config::Property& property : properties.all()) {
    absl::string_view name = property.name;
    if (absl::StartsWith(name, "ssl.")) common[property.name] = property.value;
    if (absl::ConsumePrefix(&name, prefix) && absl::StartsWith(name, "ssl."))
      own[std::string(name)] = property.value;
  }
  return own.empty() ? common : own;
}

// Null: an error was found.
Tls ReadTls(const config::PropertySet& properties, absl::string_view prefix,
            config::Findings* findings) {
  absl::StatusOr<http::ServerTls> tls =
      security::ReadListenerTls(TlsProperties(properties, prefix));
  if (tls.ok()) return std::make_shared<const http::ServerTls>(*std::move(tls));
  findings->AddError(absl::StrCat("property '", prefix, "ssl.*': ", tls.status().message(), "; ",
                                  ErrorHint(tls.status())));
  return nullptr;
}

class ListenerList {
 public:
  ListenerList(const config::PropertySet& properties, config::Findings* findings)
      : properties_(properties), findings_(*findings) {}

  void Add(const std::string& property, const std::string& text, access::Listens listens) {
    const std::string prefix = absl::StrCat(
        listens == access::Listens::kAdminOnly ? "admin.listeners" : "listeners", ".https.");
    Tls tls;
    for (const std::string& one : java::SplitCommaList(text)) {
      absl::string_view rest = one;
      const bool https = absl::StartsWithIgnoreCase(rest, "https://");
      if (!https && !absl::StartsWithIgnoreCase(rest, "http://")) {
        findings_.Error(property, "is neither an http:// nor an https:// listener", kForm);
        continue;
      }
      rest.remove_prefix(https ? 8 : 7);
      absl::StatusOr<http::Address> address = http::ParseAddress(absl::StripSuffix(rest, "/"));
      if (!address.ok()) {
        findings_.Error(property, address.status().message(), kForm);
        continue;
      }
      if (https && tls == nullptr && (tls = ReadTls(properties_, prefix, &findings_)) == nullptr)
        continue;
      listeners.push_back(
          {.address = *std::move(address), .tls = https ? tls : nullptr, .listens = listens});
    }
  }

  std::vector<access::ListenerOptions> listeners;

 private:
  const config::PropertySet& properties_;
  config::Findings& findings_;
};

absl::StatusOr<access::Passwords> ReadPasswords(const std::string& login_file) {
  const std::optional<std::string> login = ReadWholeFile(login_file);
  if (!login) return absl::InvalidArgumentError(absl::StrCat("cannot read ", login_file));
  const absl::StatusOr<std::string> file = access::CredentialsFile(*login);
  if (!file.ok()) return WithContext(file.status(), login_file);
  const std::optional<std::string> text = ReadWholeFile(*file);
  if (!text) return absl::InvalidArgumentError(absl::StrCat("cannot read ", *file));
  absl::StatusOr<access::Passwords> passwords = access::Passwords::Parse(*text);
  return passwords.ok() ? std::move(passwords) : WithContext(passwords.status(), *file);
}

std::shared_ptr<const access::Passwords> BuildPasswords(const config::PropertySet& properties,
                                                        std::string login_file,
                                                        config::Findings* findings) {
  const std::vector<std::string> classes =
      java::SplitCommaList(TextOf(properties, "rest.extension.classes"));
  if (classes.empty()) return nullptr;
  if (classes.size() > 1 || !absl::EndsWith(classes[0], kBasicAuthentication)) {
    findings->Error(*properties.Find("rest.extension.classes"), "names Java classes",
                    "org.apache.kafka.connect.rest.basic.auth.extension."
                    "BasicAuthSecurityRestExtension is the only one that is known");
    return nullptr;
  }
  if (properties.IsSet(kLoginFile)) login_file = TextOf(properties, kLoginFile);
  if (login_file.empty()) {
    findings->Error(kLoginFile, "is required by 'rest.extension.classes'",
                    "name the file that -Djava.security.auth.login.config names for Kafka Connect");
    return nullptr;
  }
  absl::StatusOr<access::Passwords> passwords = ReadPasswords(login_file);
  if (passwords.ok()) return std::make_shared<const access::Passwords>(*std::move(passwords));
  findings->Error(kLoginFile, passwords.status().message(),
                  "see `Passwords` in docs/serve.md for what the files hold");
  return nullptr;
}

}  // namespace

std::vector<access::ListenerOptions> BuildListeners(const config::PropertySet& properties,
                                                    config::Findings* findings) {
  // Set and empty: /admin is nowhere.
  const bool apart = properties.Find("admin.listeners") != nullptr;
  const std::string text = TextOf(properties, "listeners");
  ListenerList list(properties, findings);
  list.Add("listeners", text.empty() ? std::string(kDefaultListener) : text,
           apart ? access::Listens::kAllButAdmin : access::Listens::kAll);
  if (list.listeners.empty() && !findings->refused())
    findings->Error("listeners", "names no listener", kForm);
  if (apart)
    list.Add("admin.listeners", TextOf(properties, "admin.listeners"), access::Listens::kAdminOnly);
  return std::move(list.listeners);
}

http::ClientTls BuildBetween(const config::PropertySet& properties,
                             const std::vector<access::ListenerOptions>& listeners) {
  http::ClientTls tls;
  for (const access::ListenerOptions& one : listeners) {
    if (one.tls == nullptr || one.listens == access::Listens::kAdminOnly) continue;
    tls.ca_pem = one.tls->trust_pem;
    tls.certificate_pem = one.tls->chain_pem;
    tls.key_pem = one.tls->key_pem;
    // Set and empty.
    const security::NamedValues named = TlsProperties(properties, "listeners.https.");
    const auto checks = named.find("ssl.endpoint.identification.algorithm");
    tls.any_name = checks != named.end() && checks->second.empty();
    break;
  }
  return tls;
}

std::optional<access::ListenerOptions> BuildListen(const config::PropertySet& properties,
                                                   config::Findings* findings) {
  http::ListenOptions listen = http::BuildListen(properties);
  if (!listen.address) return std::nullopt;
  access::ListenerOptions listener{.address = *std::move(listen.address)};
  if (!listen.encrypted) return listener;
  listener.tls = ReadTls(properties, "listeners.https.", findings);
  if (listener.tls == nullptr) return std::nullopt;
  return listener;
}

access::AccessOptions BuildAccess(const config::PropertySet& properties,
                                  const std::string& login_file, config::Findings* findings) {
  access::AccessOptions access;
  access.passwords = BuildPasswords(properties, login_file, findings);
  absl::StatusOr<access::CrossOrigin> cross_origin =
      access::CrossOrigin::Parse(TextOf(properties, "access.control.allow.origin"),
                                 TextOf(properties, "access.control.allow.methods"));
  if (cross_origin.ok()) {
    access.cross_origin = *std::move(cross_origin);
  } else {
    findings->Error(*properties.Find("access.control.allow.origin"),
                    cross_origin.status().message(), "name each origin: https://ui.example.com");
  }
  absl::StatusOr<access::HeaderRules> headers =
      access::HeaderRules::Parse(TextOf(properties, "response.http.headers.config"));
  if (headers.ok()) {
    access.headers = *std::move(headers);
  } else {
    findings->Error("response.http.headers.config", headers.status().message(),
                    "write set X-Frame-Options: DENY");
  }
  return access;
}

}  // namespace walduct::loader
