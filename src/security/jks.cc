#include "security/jks.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/error.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace walduct::security {
namespace {

constexpr size_t kDigestSize = 20;
constexpr uint32_t kPrivateKey = 1;
constexpr uint32_t kTrustedCertificate = 2;

absl::Status Unreadable(absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_store_unreadable", what, hint);
}

absl::Status Damaged() {
  return Unreadable("the JKS store ends too early or is damaged",
                    "copy the file again, or list it with keytool -list");
}

std::string Sha1(absl::string_view bytes) {
  std::string digest(kDigestSize, '\0');
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
             EVP_sha1(), nullptr);
  return digest;
}

// Two bytes for each of Java's characters.
std::string PasswordBytes(absl::string_view password) {
  std::string bytes;
  ForEachUtf16Unit(password, [&](char16_t unit) {
    bytes.push_back(static_cast<char>(unit >> 8));
    bytes.push_back(static_cast<char>(unit & 0xFF));
  });
  return bytes;
}

std::string ReadCertificate(ByteReader* reader, uint32_t version) {
  if (version == 2) reader->Bytes(reader->U16());  // its type, always X.509
  return std::string(reader->Bytes(reader->U32()));
}

JksKey ReadKey(ByteReader* reader, uint32_t version) {
  JksKey key;
  key.protected_key = std::string(reader->Bytes(reader->U32()));
  const uint32_t count = reader->U32();
  for (uint32_t i = 0; i < count && reader->ok(); ++i)
    key.chain.push_back(ReadCertificate(reader, version));
  return key;
}

absl::Status ReadEntry(ByteReader* reader, uint32_t version, JksStore* store) {
  const uint32_t tag = reader->U32();
  reader->Bytes(reader->U16());  // alias
  reader->U64();                 // when it was made
  switch (tag) {
    case kPrivateKey:
      store->keys.push_back(ReadKey(reader, version));
      break;
    case kTrustedCertificate:
      store->trusted.push_back(ReadCertificate(reader, version));
      break;
    default:
      return Damaged();
  }
  return reader->ok() ? absl::OkStatus() : Damaged();
}

// EncryptedPrivateKeyInfo: the octets; empty when it is not one.
std::string EncryptedOctets(absl::string_view der) {
  const auto* next = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<X509_SIG, FreedBy<X509_SIG_free>> parsed(
      d2i_X509_SIG(nullptr, &next, static_cast<long>(der.size())));
  if (parsed == nullptr) return "";
  const ASN1_OCTET_STRING* octets = nullptr;
  X509_SIG_get0(parsed.get(), nullptr, &octets);
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(octets)),
          static_cast<size_t>(ASN1_STRING_length(octets))};
}

}  // namespace

absl::StatusOr<JksStore> ParseJks(absl::string_view bytes, absl::string_view password) {
  if (bytes.size() < kDigestSize) return Damaged();
  const absl::string_view sealed = bytes.substr(0, bytes.size() - kDigestSize);
  ByteReader reader(sealed);
  if (reader.Bytes(kJksMagic.size()) != kJksMagic) return Damaged();
  const uint32_t version = reader.U32();
  if (version != 1 && version != 2) return Damaged();
  const uint32_t count = reader.U32();
  JksStore store;
  for (uint32_t i = 0; i < count; ++i) RETURN_IF_ERROR(ReadEntry(&reader, version, &store));
  if (!reader.complete()) return Damaged();
  const std::string seal = Sha1(absl::StrCat(PasswordBytes(password), "Mighty Aphrodite", sealed));
  if (!password.empty() && seal != bytes.substr(sealed.size())) {
    return Unreadable("the password is not that of the JKS store, or the file is damaged",
                      "check the store's password with keytool -list");
  }
  return store;
}

std::optional<std::string> UnprotectJksKey(absl::string_view protected_key,
                                           absl::string_view password) {
  const std::string octets = EncryptedOctets(protected_key);
  if (octets.size() < 2 * kDigestSize) return std::nullopt;
  const absl::string_view salt = absl::string_view(octets).substr(0, kDigestSize);
  const absl::string_view check = absl::string_view(octets).substr(octets.size() - kDigestSize);
  std::string key = octets.substr(kDigestSize, octets.size() - 2 * kDigestSize);
  const std::string secret = PasswordBytes(password);
  std::string pad(salt);
  for (size_t i = 0; i < key.size(); ++i) {
    if (i % kDigestSize == 0) pad = Sha1(absl::StrCat(secret, pad));
    key[i] = static_cast<char>(key[i] ^ pad[i % kDigestSize]);
  }
  if (Sha1(secret + key) != check) return std::nullopt;
  return key;
}

}  // namespace walduct::security
