// TextHash: the salted hash of column.mask.hash.*, as lower-case hexadecimal digits. The first form
// hashes what Java's ObjectOutputStream writes for a String, the second the text in UTF-8.
// Allocates nothing after its creation, beyond the growth of the caller's buffer. Not thread-safe:
// it owns a digest in progress.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::encode {

struct ColumnMask;

class TextHash {
 public:
  // mask: kHash or kHashV2, its algorithm is offered.
  explicit TextHash(const ColumnMask& mask);

  // Replaces *hex. buffer holds Java's form of the text meanwhile.
  void Compute(absl::string_view text, std::string* buffer, std::string* hex);

 private:
  struct Deleter {
    void operator()(EVP_MD* digest) const { EVP_MD_free(digest); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD, Deleter> digest_;
  std::unique_ptr<EVP_MD_CTX, Deleter> context_;
  const std::string salt_;
  const bool java_;
};

// What ObjectOutputStream.writeObject writes for a String, stream header included. Appends.
void AppendJavaString(absl::string_view text, std::string* out);

}  // namespace walduct::encode
