// Bytes, as themselves or as a text of them, and bit strings.
#pragma once

#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "encode/values/base64.h"
#include "encode/values/geometric_text.h"
#include "encode/values/read_context.h"
#include "encode/values/value_plan.h"

namespace walduct::encode {

template <typename Writer>
void WriteBase64Text(absl::string_view bytes, Base64Alphabet alphabet, Writer* out) {
  out->Ascii(Base64Size(bytes.size()), [&](char* to) { return PutBase64(bytes, alphabet, to); });
}

// Bytes in the form that the plan says.
template <typename Writer>
Outcome WriteBytes(absl::string_view bytes, BytesForm form, Writer* out) {
  switch (form) {
    case BytesForm::kBytes:
      out->Bytes(bytes);
      break;
    case BytesForm::kBase64:
      WriteBase64Text(bytes, Base64Alphabet::kStandard, out);
      break;
    case BytesForm::kBase64UrlSafe:
      WriteBase64Text(bytes, Base64Alphabet::kUrlSafe, out);
      break;
    case BytesForm::kHex:
      out->Ascii(2 * bytes.size(), [&](char* to) { return PutHex(bytes, to); });
      break;
  }
  return Outcome::kOk;
}

template <typename Writer>
bool WriteHexBytes(absl::string_view hex, BytesForm form, Writer* out) {
  const auto base64 = [&](Base64Alphabet alphabet) {
    return out->Ascii(Base64Size(hex.size() / 2),
                      [&](char* to) { return PutBase64OfHex(hex, alphabet, to); });
  };
  switch (form) {
    case BytesForm::kBytes:
      return out->HexBytes(hex);
    case BytesForm::kBase64:
      return base64(Base64Alphabet::kStandard);
    case BytesForm::kBase64UrlSafe:
      return base64(Base64Alphabet::kUrlSafe);
    case BytesForm::kHex:
      break;
  }
  return out->Ascii(hex.size(), [&](char* to) { return PutLowerHex(hex, to); });
}

template <typename Writer>
Outcome ReadBytea(absl::string_view text, const ValuePlan& plan, ReadContext*, Writer* out) {
  if (!absl::ConsumePrefix(&text, "\\x")) return Outcome::kMalformed;
  return WriteHexBytes(text, plan.bytes_as, out) ? Outcome::kOk : Outcome::kMalformed;
}

template <typename Writer>
Outcome ReadTextBytes(absl::string_view text, const ValuePlan& plan, ReadContext*, Writer* out) {
  return WriteBytes(text, plan.bytes_as, out);
}

template <typename Writer>
Outcome ReadGeometricBytes(absl::string_view text, const ValuePlan& plan, ReadContext* context,
                           Writer* out) {
  if (!ToJavaNumbers(text, &context->scratch->bytes)) return Outcome::kMalformed;
  return WriteBytes(context->scratch->bytes, plan.bytes_as, out);
}

inline bool IsBitString(absl::string_view text) {
  return text.find_first_not_of("01") == absl::string_view::npos;
}

template <typename Writer>
Outcome ReadBit(absl::string_view text, const ValuePlan&, ReadContext*, Writer* out) {
  if (text.size() > 1 || !IsBitString(text)) return Outcome::kMalformed;
  if (text.empty()) return Outcome::kNoRoom;  // a varbit(1) may be empty
  out->Boolean(text == "1");
  return Outcome::kOk;
}

// Least significant bit first: the rightmost bit is bit 0 of byte 0; zero bytes at the end are cut
// (java.util.BitSet).
template <typename Writer>
Outcome ReadBits(absl::string_view text, const ValuePlan&, ReadContext* context, Writer* out) {
  if (!IsBitString(text)) return Outcome::kMalformed;
  std::string* bytes = &context->scratch->bytes;
  bytes->assign((text.size() + 7) / 8, '\0');
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[text.size() - 1 - i] == '1')
      (*bytes)[i / 8] = static_cast<char>((*bytes)[i / 8] | 1 << i % 8);
  }
  while (!bytes->empty() && bytes->back() == '\0') bytes->pop_back();
  out->Bytes(*bytes);
  return Outcome::kOk;
}

}  // namespace walduct::encode
