#include "encode/values/text_hash.h"

#include "base/check.h"
#include "encode/options/column_options.h"
#include "java/serial/modified_utf8.h"

namespace walduct::encode {
namespace {

constexpr size_t kShortString = 0xFFFF;
constexpr char kTcString = 0x74;
constexpr char kTcLongString = 0x7C;
constexpr absl::string_view kStreamHeader("\xAC\xED\x00\x05", 4);

}  // namespace

void AppendJavaString(absl::string_view text, std::string* out) {
  const size_t size = java::ModifiedUtf8Size(text);
  out->append(kStreamHeader.data(), kStreamHeader.size());
  const bool is_short = size <= kShortString;
  out->push_back(is_short ? kTcString : kTcLongString);
  for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8)
    out->push_back(static_cast<char>(size >> shift & 0xFF));
  java::AppendModifiedUtf8(text, out);
}

TextHash::TextHash(const ColumnMask& mask)
    : digest_(EVP_MD_fetch(nullptr, mask.algorithm.c_str(), nullptr)),
      context_(EVP_MD_CTX_new()),
      salt_(mask.salt),
      java_(mask.kind == ColumnMaskKind::kHash) {
  CHECK(digest_ != nullptr && context_ != nullptr);
}

void TextHash::Compute(absl::string_view text, std::string* buffer, std::string* hex) {
  if (java_) {
    buffer->clear();
    AppendJavaString(text, buffer);
    text = *buffer;
  }
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  CHECK(EVP_DigestInit_ex2(context_.get(), digest_.get(), nullptr) == 1);
  CHECK(EVP_DigestUpdate(context_.get(), salt_.data(), salt_.size()) == 1);
  CHECK(EVP_DigestUpdate(context_.get(), text.data(), text.size()) == 1);
  CHECK(EVP_DigestFinal_ex(context_.get(), bytes, &size) == 1);
  constexpr char kDigits[] = "0123456789abcdef";
  hex->clear();
  for (unsigned int i = 0; i < size; ++i) {
    hex->push_back(kDigits[bytes[i] >> 4]);
    hex->push_back(kDigits[bytes[i] & 0x0F]);
  }
}

}  // namespace walduct::encode
