#include "security/tls_store.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "base/whole_file.h"
#include "security/jks.h"

namespace walduct::security {
namespace {

constexpr absl::string_view kJceksMagic("\xCE\xCE\xCE\xCE", 4);
constexpr absl::string_view kTrustStore = "ssl.truststore.location";
constexpr absl::string_view kKeyStore = "ssl.keystore.location";
constexpr char kAsn1Sequence = 0x30;

using BioPtr = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;
using Pkcs12Ptr = std::unique_ptr<PKCS12, FreedBy<PKCS12_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, FreedBy<X509_free>>;

void FreeStack(STACK_OF(X509) * stack) { sk_X509_pop_free(stack, X509_free); }
using StackPtr = std::unique_ptr<STACK_OF(X509), FreedBy<FreeStack>>;

absl::Status Unreadable(absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_store_unreadable", what, hint);
}

std::string DrainText(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return std::string(text, static_cast<size_t>(size));
}

absl::Status NoCertificate(const std::string& path) {
  return Unreadable(absl::StrCat(kTrustStore, ": no certificate in ", path),
                    "import the broker's CA with keytool -importcert");
}

absl::Status NoKey(const std::string& path) {
  return Unreadable(absl::StrCat(kKeyStore, ": no private key in ", path),
                    "list the store with keytool -list; it needs a PrivateKeyEntry");
}

absl::StatusOr<JksStore> OpenJks(absl::string_view property, const std::string& path,
                                 const std::string& password) {
  ASSIGN_OR_RETURN(const std::string content, ReadStore(property, path));
  absl::StatusOr<JksStore> store = ParseJks(content, password);
  if (!store.ok()) return WithContext(store.status(), absl::StrCat(property, ": ", path));
  return store;
}

std::string CertificatesAsPem(const std::vector<std::string>& certificates) {
  const BioPtr pem(BIO_new(BIO_s_mem()));
  for (const std::string& der : certificates) {
    const auto* next = reinterpret_cast<const unsigned char*>(der.data());
    const CertificatePtr certificate(d2i_X509(nullptr, &next, static_cast<long>(der.size())));
    if (certificate != nullptr) PEM_write_bio_X509(pem.get(), certificate.get());
  }
  return DrainText(pem.get());
}

std::string KeyText(EVP_PKEY* key) {
  const BioPtr pem(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(pem.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return DrainText(pem.get());
}

struct Pkcs12Content {
  KeyPtr key;
  CertificatePtr own;
  StackPtr others;

  std::string Certificates() const {
    const BioPtr pem(BIO_new(BIO_s_mem()));
    if (own != nullptr) PEM_write_bio_X509(pem.get(), own.get());
    const int count = others == nullptr ? 0 : sk_X509_num(others.get());
    for (int i = 0; i < count; ++i) PEM_write_bio_X509(pem.get(), sk_X509_value(others.get(), i));
    return DrainText(pem.get());
  }
};

absl::StatusOr<Pkcs12Content> OpenPkcs12(absl::string_view property, const std::string& path,
                                         const std::string& password) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadStore(property, path));
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  const Pkcs12Ptr store(d2i_PKCS12(nullptr, &next, static_cast<long>(bytes.size())));
  EVP_PKEY* key = nullptr;
  X509* own = nullptr;
  STACK_OF(X509)* others = nullptr;
  const bool parsed =
      store != nullptr && PKCS12_parse(store.get(), password.c_str(), &key, &own, &others) == 1;
  Pkcs12Content content{KeyPtr(key), CertificatePtr(own), StackPtr(others)};
  if (parsed) return content;
  return Unreadable(absl::StrCat(property, ": cannot read ", path),
                    absl::StrCat("check ", absl::StripSuffix(property, "location"),
                                 "password; re-create stores of old JDKs with a current keytool, "
                                 "or use a PEM file"));
}

// From PKCS 8, DER; empty when it is not one.
std::string KeyAsPem(const std::string& der) {
  const auto* next = reinterpret_cast<const unsigned char*>(der.data());
  const KeyPtr key(d2i_AutoPrivateKey(nullptr, &next, static_cast<long>(der.size())));
  if (key == nullptr) return "";
  return KeyText(key.get());
}

}  // namespace

absl::StatusOr<StoreFormat> DetectStore(absl::string_view property, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string content, ReadStore(property, path));
  const absl::string_view start = absl::string_view(content).substr(0, 4096);
  if (absl::StartsWith(start, kJksMagic)) return StoreFormat::kJks;
  if (absl::StartsWith(start, kJceksMagic)) {
    return Error(
        absl::StatusCode::kInvalidArgument, "kafka_store_jceks",
        absl::StrCat(property, ": ", path, " is a JCEKS store, which only a JVM can read"),
        absl::StrCat("keytool -importkeystore -srckeystore ", path,
                     " -srcstoretype JCEKS -destkeystore ", path, ".p12 -deststoretype PKCS12"));
  }
  if (!start.empty() && start.front() == kAsn1Sequence) return StoreFormat::kPkcs12;
  if (absl::StrContains(start, "-----BEGIN ")) return StoreFormat::kPem;
  return Unreadable(absl::StrCat(property, ": ", path, " is neither PEM nor PKCS12 nor JKS"),
                    "use a PEM file, or a PKCS12 or JKS store");
}

absl::StatusOr<std::string> ReadStore(absl::string_view property, const std::string& path) {
  std::optional<std::string> content = ReadWholeFile(path);
  if (content) return *std::move(content);
  return Unreadable(absl::StrCat(property, ": cannot open ", path),
                    "check the path and that this user may read the file");
}

absl::StatusOr<std::string> Pkcs12Certificates(const std::string& path,
                                               const std::string& password) {
  ASSIGN_OR_RETURN(const Pkcs12Content content, OpenPkcs12(kTrustStore, path, password));
  std::string text = content.Certificates();
  if (text.empty()) return NoCertificate(path);
  return text;
}

absl::StatusOr<KeyAndChain> Pkcs12OwnKey(const std::string& path, const std::string& password) {
  ASSIGN_OR_RETURN(const Pkcs12Content content, OpenPkcs12(kKeyStore, path, password));
  if (content.key == nullptr) return NoKey(path);
  return KeyAndChain{content.Certificates(), KeyText(content.key.get())};
}

absl::StatusOr<std::string> JksCertificates(const std::string& path, const std::string& password) {
  ASSIGN_OR_RETURN(const JksStore store, OpenJks(kTrustStore, path, password));
  std::string text = CertificatesAsPem(store.trusted);
  // Java trusts the own certificate of a key, too.
  for (const JksKey& key : store.keys) {
    if (!key.chain.empty()) text += CertificatesAsPem({key.chain.front()});
  }
  if (text.empty()) return NoCertificate(path);
  return text;
}

absl::StatusOr<KeyAndChain> JksOwnKey(const std::string& path, const std::string& password,
                                      const std::string& key_password) {
  ASSIGN_OR_RETURN(const JksStore store, OpenJks(kKeyStore, path, password));
  if (store.keys.empty()) return NoKey(path);
  const JksKey& own = store.keys.front();
  const std::optional<std::string> key =
      UnprotectJksKey(own.protected_key, key_password.empty() ? password : key_password);
  std::string key_pem = key ? KeyAsPem(*key) : std::string();
  if (key_pem.empty()) {
    return Unreadable(absl::StrCat(kKeyStore, ": cannot read the private key in ", path),
                      "check ssl.key.password (without it ssl.keystore.password is taken)");
  }
  return KeyAndChain{CertificatesAsPem(own.chain), std::move(key_pem)};
}

}  // namespace walduct::security
