#include "security/pem_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace walduct::security {
namespace {

constexpr absl::string_view kBegin = "-----BEGIN ";
constexpr absl::string_view kDashes = "-----";
constexpr size_t kLineLength = 64;

// A header (Proc-Type: …) has its own lines; nothing but line breaks can tell them apart.
std::string Body(absl::string_view body) {
  if (body.find(':') != absl::string_view::npos)
    return absl::StrCat(absl::StripAsciiWhitespace(body), "\n");
  std::string base64(body);
  base64.erase(
      std::remove_if(base64.begin(), base64.end(),
                     [](char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }),
      base64.end());
  std::string out;
  for (size_t at = 0; at < base64.size(); at += kLineLength)
    absl::StrAppend(&out, base64.substr(at, kLineLength), "\n");
  return out;
}

}  // namespace

std::string NormalizePem(absl::string_view text) {
  const std::string unescaped = absl::StrReplaceAll(text, {{"\\r", ""}, {"\\n", "\n"}});
  const absl::string_view plain = unescaped;
  std::string out;
  size_t at = 0;
  while ((at = plain.find(kBegin, at)) != absl::string_view::npos) {
    const size_t label_begin = at + kBegin.size();
    const size_t label_end = plain.find(kDashes, label_begin);
    if (label_end == absl::string_view::npos) break;
    const absl::string_view label = plain.substr(label_begin, label_end - label_begin);
    const std::string end = absl::StrCat("-----END ", label, kDashes);
    const size_t body_begin = label_end + kDashes.size();
    const size_t body_end = plain.find(end, body_begin);
    if (body_end == absl::string_view::npos) break;
    absl::StrAppend(&out, kBegin, label, kDashes, "\n",
                    Body(plain.substr(body_begin, body_end - body_begin)), end, "\n");
    at = body_end + end.size();
  }
  return out.empty() ? std::string(text) : out;
}

}  // namespace walduct::security
