#include "kafka/tls_store.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

#include <cstdio>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::kafka {
namespace {

constexpr absl::string_view kJksMagic("\xFE\xED\xFE\xED", 4);
constexpr char kAsn1Sequence = 0x30;

template <auto kFree>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using FilePtr = std::unique_ptr<std::FILE, Deleter<std::fclose>>;
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using Pkcs12Ptr = std::unique_ptr<PKCS12, Deleter<PKCS12_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Deleter<X509_free>>;

void FreeStack(STACK_OF(X509) * stack) { sk_X509_pop_free(stack, X509_free); }
using StackPtr = std::unique_ptr<STACK_OF(X509), Deleter<FreeStack>>;

absl::Status Unreadable(absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_store_unreadable", what, hint);
}

absl::StatusOr<FilePtr> Open(absl::string_view property, const std::string& path) {
  FilePtr file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) {
    return Unreadable(absl::StrCat(property, ": cannot open ", path),
                      "check the path and that this user may read the file");
  }
  return file;
}

std::string DrainText(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return std::string(text, static_cast<size_t>(size));
}

}  // namespace

absl::StatusOr<StoreFormat> DetectStore(absl::string_view property, const std::string& path) {
  ASSIGN_OR_RETURN(const FilePtr file, Open(property, path));
  char head[4096];
  const absl::string_view start(head, std::fread(head, 1, sizeof(head), file.get()));
  if (absl::StartsWith(start, kJksMagic)) {
    return Error(absl::StatusCode::kInvalidArgument, "kafka_store_jks",
                 absl::StrCat(property, ": ", path, " is a JKS store, which only a JVM can read"),
                 absl::StrCat("keytool -importkeystore -srckeystore ", path, " -destkeystore ",
                              path, ".p12 -deststoretype PKCS12"));
  }
  if (!start.empty() && start.front() == kAsn1Sequence) return StoreFormat::kPkcs12;
  if (absl::StrContains(start, "-----BEGIN ")) return StoreFormat::kPem;
  return Unreadable(absl::StrCat(property, ": ", path, " is neither PEM nor PKCS12"),
                    "use a PEM file or a PKCS12 store");
}

absl::StatusOr<std::string> Pkcs12Certificates(const std::string& path,
                                               const std::string& password) {
  ASSIGN_OR_RETURN(const FilePtr file, Open("ssl.truststore.location", path));
  const Pkcs12Ptr store(d2i_PKCS12_fp(file.get(), nullptr));
  EVP_PKEY* key = nullptr;
  X509* own = nullptr;
  STACK_OF(X509)* others = nullptr;
  const bool parsed =
      store != nullptr && PKCS12_parse(store.get(), password.c_str(), &key, &own, &others) == 1;
  const KeyPtr owned_key(key);
  const CertificatePtr owned_certificate(own);
  const StackPtr owned_others(others);
  if (!parsed) {
    return Unreadable(absl::StrCat("ssl.truststore.location: cannot read ", path),
                      "check ssl.truststore.password; re-create stores of old JDKs with a current "
                      "keytool, or use a PEM file");
  }
  const BioPtr pem(BIO_new(BIO_s_mem()));
  if (own != nullptr) PEM_write_bio_X509(pem.get(), own);
  const int count = others == nullptr ? 0 : sk_X509_num(others);
  for (int i = 0; i < count; ++i) PEM_write_bio_X509(pem.get(), sk_X509_value(others, i));
  std::string text = DrainText(pem.get());
  if (text.empty()) {
    return Unreadable(absl::StrCat("ssl.truststore.location: no certificate in ", path),
                      "import the broker's CA with keytool -importcert");
  }
  return text;
}

}  // namespace walduct::kafka
