#include "security/tls_properties.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "security/pem_text.h"
#include "security/tls_protocol.h"
#include "security/tls_store.h"

namespace walduct::security {
namespace {

std::string Get(const NamedValues& properties, const std::string& name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

absl::Status TranslateTrustStore(const NamedValues& java, NamedValues* out) {
  const std::string path = Get(java, "ssl.truststore.location");
  if (path.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const StoreFormat format, DetectStore("ssl.truststore.location", path));
  if (format == StoreFormat::kPem) {
    (*out)["ssl.ca.location"] = path;
    return absl::OkStatus();
  }
  const std::string password = Get(java, "ssl.truststore.password");
  ASSIGN_OR_RETURN((*out)["ssl.ca.pem"], format == StoreFormat::kJks
                                             ? JksCertificates(path, password)
                                             : Pkcs12Certificates(path, password));
  return absl::OkStatus();
}

absl::Status TranslateKeyStore(const NamedValues& java, NamedValues* out) {
  const std::string path = Get(java, "ssl.keystore.location");
  if (path.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const StoreFormat format, DetectStore("ssl.keystore.location", path));
  switch (format) {
    case StoreFormat::kPem:
      (*out)["ssl.certificate.location"] = path;
      (*out)["ssl.key.location"] = path;
      return absl::OkStatus();
    case StoreFormat::kPkcs12:
      (*out)["ssl.keystore.location"] = path;
      (*out)["ssl.keystore.password"] = Get(java, "ssl.keystore.password");
      return absl::OkStatus();
    case StoreFormat::kJks:
      break;
  }
  ASSIGN_OR_RETURN(KeyAndChain own, JksOwnKey(path, Get(java, "ssl.keystore.password"),
                                              Get(java, "ssl.key.password")));
  (*out)["ssl.certificate.pem"] = std::move(own.chain_pem);
  (*out)["ssl.key.pem"] = std::move(own.key_pem);
  out->erase("ssl.key.password");
  return absl::OkStatus();
}

void TranslatePemTexts(const NamedValues& java, NamedValues* out) {
  constexpr std::pair<const char*, const char*> kTexts[] = {
      {"ssl.keystore.certificate.chain", "ssl.certificate.pem"},
      {"ssl.keystore.key", "ssl.key.pem"},
      {"ssl.truststore.certificates", "ssl.ca.pem"}};
  for (const auto& [name, native] : kTexts) {
    if (const std::string text = Get(java, name); !text.empty())
      (*out)[native] = NormalizePem(text);
  }
}

}  // namespace

absl::Status TranslateTls(const NamedValues& java, NamedValues* out) {
  TranslatePemTexts(java, out);
  RETURN_IF_ERROR(TranslateTrustStore(java, out));
  RETURN_IF_ERROR(TranslateKeyStore(java, out));
  if (const std::string suites = Get(java, "ssl.cipher.suites"); !suites.empty()) {
    ASSIGN_OR_RETURN(std::string ciphers, OpenSslCiphers(suites));
    out->erase("ssl.cipher.suites");
    if (!ciphers.empty()) (*out)["ssl.cipher.suites"] = std::move(ciphers);
  }
  if (const std::string protocols = Get(java, "ssl.enabled.protocols"); !protocols.empty())
    RETURN_IF_ERROR(CheckProtocols(protocols).status());
  const auto algorithm = out->find("ssl.endpoint.identification.algorithm");
  if (algorithm != out->end() && algorithm->second.empty()) algorithm->second = "none";
  return absl::OkStatus();
}

}  // namespace walduct::security
