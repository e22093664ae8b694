#include "security/listener_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <string>

#include "base/error.h"

namespace walduct::security {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string Text(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  std::string copy(text, static_cast<size_t>(size));
  BIO_free(bio);
  return copy;
}

struct Identity {
  std::string key;  // encrypted with "secret"
  std::string certificate;
};

Identity MakeIdentity() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  BIO* key_text = BIO_new(BIO_s_mem());
  char password[] = "secret";
  PEM_write_bio_PKCS8PrivateKey(key_text, key, EVP_aes_256_cbc(), password, 6, nullptr, nullptr);
  BIO* certificate_text = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(certificate_text, certificate);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return {Text(key_text), Text(certificate_text)};
}

TEST(ListenerTlsTest, AnEncryptedKeyComesOutInTheClear) {
  const Identity own = MakeIdentity();
  NamedValues java = {{"ssl.keystore.key", own.key},
                      {"ssl.keystore.certificate.chain", own.certificate},
                      {"ssl.key.password", "secret"}};
  const auto tls = ReadListenerTls(java);
  ASSERT_TRUE(tls.ok()) << tls.status();
  EXPECT_THAT(tls->key_pem, StartsWith("-----BEGIN PRIVATE KEY-----"));
  EXPECT_EQ(tls->chain_pem, own.certificate);
  EXPECT_TRUE(tls->tls12 && tls->tls13);
  EXPECT_EQ(tls->clients, http::ClientCertificates::kNone);
  java["ssl.key.password"] = "wrong";
  EXPECT_EQ(ErrorReason(ReadListenerTls(java).status()), "kafka_store_unreadable");
  java.erase("ssl.key.password");
  EXPECT_EQ(ErrorReason(ReadListenerTls(java).status()), "kafka_store_unreadable");
}

TEST(ListenerTlsTest, ProtocolsAndClients) {
  const Identity own = MakeIdentity();
  NamedValues java = {{"ssl.keystore.key", own.key},
                      {"ssl.keystore.certificate.chain", own.certificate},
                      {"ssl.key.password", "secret"},
                      {"ssl.enabled.protocols", "TLSv1.2"},
                      {"ssl.client.auth", "required"}};
  EXPECT_THAT(std::string(ReadListenerTls(java).status().message()),
              HasSubstr("ssl.truststore.location"));
  java["ssl.truststore.certificates"] = own.certificate;
  const auto tls = ReadListenerTls(java);
  ASSERT_TRUE(tls.ok()) << tls.status();
  EXPECT_TRUE(tls->tls12 && !tls->tls13);
  EXPECT_EQ(tls->clients, http::ClientCertificates::kRequired);
  EXPECT_EQ(tls->trust_pem, own.certificate);
}

TEST(ListenerTlsTest, WhatIsRefused) {
  EXPECT_THAT(std::string(ReadListenerTls({}).status().message()),
              HasSubstr("ssl.keystore.location"));
  const Identity own = MakeIdentity();
  const NamedValues good = {{"ssl.keystore.key", own.key},
                            {"ssl.keystore.certificate.chain", own.certificate},
                            {"ssl.key.password", "secret"}};
  for (const auto& [name, value] :
       NamedValues{{"ssl.cipher.suites", "TLS_AES_128_GCM_SHA256"},
                   {"ssl.client.auth", "maybe"},
                   {"ssl.enabled.protocols", "TLSv1"},
                   {"ssl.keystore.certificate.chain", "no certificate"}}) {
    NamedValues java = good;
    java[name] = value;
    EXPECT_THAT(std::string(ReadListenerTls(java).status().message()), StartsWith("ssl.")) << name;
  }
}

}  // namespace
}  // namespace walduct::security
