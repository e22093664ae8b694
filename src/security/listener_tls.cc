#include "security/listener_tls.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "security/tls_properties.h"
#include "security/tls_store.h"

namespace walduct::security {
namespace {

using BioPtr = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;

std::string Get(const NamedValues& properties, const std::string& name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

absl::Status Invalid(absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_property_invalid", what, hint);
}

BioPtr Reading(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string Written(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return {text, static_cast<size_t>(size)};
}

// Only the certificates of a text that may hold a key, too.
std::string Certificates(const std::string& pem) {
  const BioPtr in = Reading(pem);
  const BioPtr out(BIO_new(BIO_s_mem()));
  using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
  while (const Certificate one{PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)})
    PEM_write_bio_X509(out.get(), one.get());
  return Written(out.get());
}

int GivePassword(char* buffer, int size, int /*writing*/, void* password) {
  const auto& text = *static_cast<const std::string*>(password);
  if (text.empty() || text.size() > static_cast<size_t>(size)) return -1;
  text.copy(buffer, text.size());
  return static_cast<int>(text.size());
}

absl::StatusOr<KeyAndChain> PemOwnKey(const std::string& key, const std::string& chain,
                                      std::string password) {
  const BioPtr in = Reading(key);
  const KeyPtr parsed(PEM_read_bio_PrivateKey(in.get(), nullptr, &GivePassword, &password));
  if (parsed == nullptr) {
    return Error(absl::StatusCode::kInvalidArgument, "kafka_store_unreadable",
                 "ssl.keystore.*: cannot read the private key",
                 "check the PEM text, and ssl.key.password when the key is encrypted");
  }
  const BioPtr out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(out.get(), parsed.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return KeyAndChain{.chain_pem = Certificates(chain), .key_pem = Written(out.get())};
}

absl::StatusOr<KeyAndChain> OwnKey(const NamedValues& java, const NamedValues& translated) {
  if (const std::string path = Get(translated, "ssl.keystore.location");
      !path.empty() && Get(translated, "ssl.certificate.pem").empty() &&
      Get(translated, "ssl.certificate.location").empty())
    return Pkcs12OwnKey(path, Get(java, "ssl.keystore.password"));
  const std::string password = Get(translated, "ssl.key.password");
  if (const std::string path = Get(translated, "ssl.certificate.location"); !path.empty()) {
    ASSIGN_OR_RETURN(const std::string pem, ReadStore("ssl.keystore.location", path));
    return PemOwnKey(pem, pem, password);
  }
  const std::string key = Get(translated, "ssl.key.pem");
  if (key.empty())
    return Invalid("ssl.keystore.location: is required for https", "name the listener's key store");
  return PemOwnKey(key, Get(translated, "ssl.certificate.pem"), password);
}

absl::StatusOr<std::string> Trust(const NamedValues& translated) {
  const std::string path = Get(translated, "ssl.ca.location");
  if (path.empty()) return Get(translated, "ssl.ca.pem");
  ASSIGN_OR_RETURN(const std::string pem, ReadStore("ssl.truststore.location", path));
  return Certificates(pem);
}

absl::Status SetClients(const std::string& word, http::ServerTls* tls) {
  using enum http::ClientCertificates;
  if (word == "required") {
    tls->clients = kRequired;
  } else if (word == "requested") {
    tls->clients = kRequested;
  } else if (!word.empty() && word != "none") {
    return Invalid(absl::StrCat("ssl.client.auth: '", word, "' is not one of its values"),
                   "use none, requested or required");
  }
  if (tls->clients != kNone && tls->trust_pem.empty()) {
    return Invalid("ssl.truststore.location: is required where clients show certificates",
                   "name the store with the authority of the clients' certificates");
  }
  return absl::OkStatus();
}

absl::Status SetProtocols(const std::string& protocols, http::ServerTls* tls) {
  if (protocols.empty()) return absl::OkStatus();
  tls->tls12 = absl::StrContains(protocols, "TLSv1.2");
  tls->tls13 = absl::StrContains(protocols, "TLSv1.3");
  if (tls->tls12 || tls->tls13) return absl::OkStatus();
  return Invalid("ssl.enabled.protocols: names neither TLSv1.2 nor TLSv1.3", "use TLSv1.2,TLSv1.3");
}

}  // namespace

absl::StatusOr<http::ServerTls> ReadListenerTls(const NamedValues& java) {
  for (const char* name : {"ssl.cipher.suites", "ssl.provider", "ssl.engine.factory.class"}) {
    if (!Get(java, name).empty())
      return Invalid(absl::StrCat(name, ": is not supported for a listener"), "remove it");
  }
  NamedValues given = java;
  given.erase("ssl.enabled.protocols");  // a server can offer one alone, unlike librdkafka
  NamedValues translated = given;
  RETURN_IF_ERROR(TranslateTls(given, &translated));
  ASSIGN_OR_RETURN(KeyAndChain own, OwnKey(given, translated));
  http::ServerTls tls;
  tls.key_pem = std::move(own.key_pem);
  tls.chain_pem = std::move(own.chain_pem);
  if (tls.chain_pem.empty())
    return Invalid("ssl.keystore.location: holds no certificate", "add the key's certificate");
  ASSIGN_OR_RETURN(tls.trust_pem, Trust(translated));
  RETURN_IF_ERROR(SetClients(Get(java, "ssl.client.auth"), &tls));
  RETURN_IF_ERROR(SetProtocols(Get(java, "ssl.enabled.protocols"), &tls));
  return tls;
}

}  // namespace walduct::security
