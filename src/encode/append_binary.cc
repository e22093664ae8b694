#include "encode/appenders.h"
#include "encode/base64.h"

namespace walduct::encode {
namespace {

void AppendQuote(const ValueContext& context) {
  if (context.format != TextFormat::kStruct) context.out->push_back('"');
}

bool IsBitString(absl::string_view text) {
  return text.find_first_not_of("01") == absl::string_view::npos;
}

}  // namespace

Outcome AppendBytea(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (text.size() < 2 || text[0] != '\\' || text[1] != 'x') return Outcome::kMalformed;
  AppendQuote(*context);
  if (!AppendBase64OfHex(text.substr(2), context->out)) return Outcome::kMalformed;
  AppendQuote(*context);
  return Outcome::kOk;
}

Outcome AppendBit(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (text.size() > 1 || !IsBitString(text)) return Outcome::kMalformed;
  context->out->append(text == "1" ? "true" : "false");
  return Outcome::kOk;
}

// Least significant bit first: the rightmost bit is bit 0 of byte 0; zero bytes at the end are cut (java.util.BitSet).
Outcome AppendBits(absl::string_view text, const ValuePlan&, ValueContext* context) {
  if (!IsBitString(text)) return Outcome::kMalformed;
  std::string* bytes = &context->scratch->bytes;
  bytes->assign((text.size() + 7) / 8, '\0');
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[text.size() - 1 - i] == '1')
      (*bytes)[i / 8] = static_cast<char>((*bytes)[i / 8] | 1 << i % 8);
  }
  while (!bytes->empty() && bytes->back() == '\0') bytes->pop_back();
  AppendQuote(*context);
  AppendBase64(*bytes, context->out);
  AppendQuote(*context);
  return Outcome::kOk;
}

}  // namespace walduct::encode
