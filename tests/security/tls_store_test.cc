#include "security/tls_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::security {
namespace {

// A store with one certificate of an authority and no key, as keytool -importcert makes it.
std::string WriteTrustStore(const char* password) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  STACK_OF(X509)* authorities = sk_X509_new_null();
  sk_X509_push(authorities, certificate);
  PKCS12* store = PKCS12_create(password, "ca", nullptr, nullptr, authorities, 0, 0, 1000, 1000, 0);
  const std::string path = absl::StrCat(testing::TempDir(), "/truststore.", getpid(), ".p12");
  std::FILE* file = std::fopen(path.c_str(), "wb");
  i2d_PKCS12_fp(file, store);
  std::fclose(file);
  PKCS12_free(store);
  sk_X509_pop_free(authorities, X509_free);
  EVP_PKEY_free(key);
  return path;
}

TEST(TlsStoreTest, CertificatesOfAPkcs12TrustStoreComeOutAsPem) {
  const std::string path = WriteTrustStore("changeit");
  EXPECT_EQ(*DetectStore("ssl.truststore.location", path), StoreFormat::kPkcs12);
  const auto pem = Pkcs12Certificates(path, "changeit");
  ASSERT_TRUE(pem.ok()) << pem.status();
  EXPECT_THAT(*pem, testing::StartsWith("-----BEGIN CERTIFICATE-----"));
}

TEST(TlsStoreTest, AWrongPasswordIsSaid) {
  const std::string path = WriteTrustStore("changeit");
  const absl::Status status = Pkcs12Certificates(path, "wrong").status();
  EXPECT_EQ(ErrorReason(status), "kafka_store_unreadable");
  EXPECT_THAT(ErrorHint(status), testing::HasSubstr("ssl.truststore.password"));
}

}  // namespace
}  // namespace walduct::security
