#include "sink/http/webhook.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace walduct::sink {

absl::StatusOr<std::string> WebhookKey(absl::string_view secret) {
  absl::ConsumePrefix(&secret, "whsec_");
  std::string key;
  if (!absl::Base64Unescape(secret, &key))
    return absl::InvalidArgumentError("is not base64, with whsec_ in front or without");
  if (key.size() < 24 || key.size() > 64)
    return absl::InvalidArgumentError(
        absl::StrCat("has ", key.size(), " bytes; a secret has 24 to 64"));
  return key;
}

std::string WebhookSignature(absl::string_view key, absl::string_view id, int64_t seconds,
                             absl::string_view body) {
  const std::string text = absl::StrCat(id, ".", seconds, ".", body);
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash, &size);
  std::string signature;
  absl::Base64Escape(absl::string_view(reinterpret_cast<const char*>(hash), size), &signature);
  return absl::StrCat("v1,", signature);
}

}  // namespace walduct::sink
