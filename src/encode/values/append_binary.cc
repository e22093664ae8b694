#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "encode/values/appenders.h"
#include "encode/values/base64.h"

namespace walduct::encode {
namespace {

void AppendQuote(const ValueContext& context) {
  if (context.format != TextFormat::kStruct) context.out->push_back('"');
}

bool IsBitString(absl::string_view text) {
  return text.find_first_not_of("01") == absl::string_view::npos;
}

bool TakeByteaPrefix(absl::string_view* text) { return absl::ConsumePrefix(text, "\\x"); }

Outcome AppendByteaBase64(absl::string_view text, Base64Alphabet alphabet, ValueContext* context) {
  if (!TakeByteaPrefix(&text)) return Outcome::kMalformed;
  AppendQuote(*context);
  if (!AppendBase64OfHex(text, context->out, alphabet)) return Outcome::kMalformed;
  AppendQuote(*context);
  return Outcome::kOk;
}

Outcome AppendQuotedBase64(absl::string_view bytes, Base64Alphabet alphabet,
                           ValueContext* context) {
  AppendQuote(*context);
  AppendBase64(bytes, context->out, alphabet);
  AppendQuote(*context);
  return Outcome::kOk;
}

}  // namespace

Outcome AppendBytea(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendByteaBase64(text, Base64Alphabet::kStandard, context);
}

Outcome AppendByteaUrlSafe(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendByteaBase64(text, Base64Alphabet::kUrlSafe, context);
}

Outcome AppendByteaHex(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (!TakeByteaPrefix(&text) || text.size() % 2 != 0) return Outcome::kMalformed;
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c)) && (c < 'a' || c > 'f'))
      return Outcome::kMalformed;
  }
  AppendQuote(*context);
  context->out->append(text.data(), text.size());
  AppendQuote(*context);
  return Outcome::kOk;
}

Outcome AppendTextBase64(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendQuotedBase64(text, Base64Alphabet::kStandard, context);
}

Outcome AppendTextBase64UrlSafe(absl::string_view text, const ValuePlan&, ValueContext* context) {
  return AppendQuotedBase64(text, Base64Alphabet::kUrlSafe, context);
}

Outcome AppendTextHex(absl::string_view text, const ValuePlan&, ValueContext* context) {
  constexpr char kHex[] = "0123456789abcdef";
  AppendQuote(*context);
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    context->out->push_back(kHex[byte >> 4]);
    context->out->push_back(kHex[byte & 15]);
  }
  AppendQuote(*context);
  return Outcome::kOk;
}

Outcome AppendBit(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (text.size() > 1 || !IsBitString(text)) return Outcome::kMalformed;
  if (text.empty()) return Outcome::kNoRoom;  // a varbit(1) may be empty
  context->out->append(text == "1" ? "true" : "false");
  return Outcome::kOk;
}

// Least significant bit first: the rightmost bit is bit 0 of byte 0; zero bytes at the end are cut
// (java.util.BitSet).
Outcome AppendBits(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (!IsBitString(text)) return Outcome::kMalformed;
  std::string* bytes = &context->scratch->bytes;
  bytes->assign((text.size() + 7) / 8, '\0');
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[text.size() - 1 - i] == '1')
      (*bytes)[i / 8] = static_cast<char>((*bytes)[i / 8] | 1 << i % 8);
  }
  while (!bytes->empty() && bytes->back() == '\0') bytes->pop_back();
  return AppendQuotedBase64(*bytes, Base64Alphabet::kStandard, context);
}

}  // namespace walduct::encode
