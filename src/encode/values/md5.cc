#include "encode/values/md5.h"

#include <openssl/evp.h>

#include <memory>

#include "base/error.h"

namespace walduct::encode {

absl::StatusOr<std::array<uint8_t, 16>> Md5(absl::string_view message, const char* provider) {
  const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> md5(EVP_MD_fetch(nullptr, "MD5", provider),
                                                            EVP_MD_free);
  std::array<uint8_t, 16> digest;
  if (md5 != nullptr &&
      EVP_Digest(message.data(), message.size(), digest.data(), nullptr, md5.get(), nullptr) == 1) {
    return digest;
  }
  return Error(absl::StatusCode::kFailedPrecondition, "md5_refused",
               "OpenSSL refuses MD5, which is needed for the placeholder of a uuid[] column",
               "load OpenSSL's default provider beside the FIPS one (openssl.cnf), or leave the "
               "column out with column.exclude.list");
}

}  // namespace walduct::encode
