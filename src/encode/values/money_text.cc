#include "encode/values/money_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace walduct::encode {
namespace {

// The digits of the whole without their separators.
bool TakeWhole(absl::string_view whole, std::string* plain) {
  size_t group = 0;  // digits since the last comma
  bool grouped = false;
  for (char c : whole) {
    if (c == ',') {
      if (grouped ? group != 3 : group == 0 || group > 3) return false;
      grouped = true;
      group = 0;
      continue;
    }
    plain->push_back(c);
    ++group;
  }
  return !whole.empty() && (!grouped || group == 3);
}

// text is the plain number. One digit more of the whole when all are nines.
void Round(size_t scale, std::string* text) {
  const size_t point = text->find('.');
  const bool up = (*text)[point + 1 + scale] >= '5';
  text->resize(point + (scale == 0 ? 0 : 1 + scale));
  if (!up) return;
  for (size_t i = text->size(); i-- > 0 && (*text)[i] != '-';) {
    if ((*text)[i] == '.') continue;
    if ((*text)[i] != '9') {
      ++(*text)[i];
      return;
    }
    (*text)[i] = '0';
  }
  text->insert((*text)[0] == '-' ? 1 : 0, "1");
}

}  // namespace

bool ParseMoney(absl::string_view text, Scratch* scratch, DecimalText* decimal) {
  std::string* plain = &scratch->entry_text;
  plain->clear();
  if (!text.empty() && text[0] == '-') {
    plain->push_back('-');
    text.remove_prefix(1);
  }
  while (!text.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(text[0])))
    text.remove_prefix(1);
  const size_t point = text.find('.');
  if (!TakeWhole(text.substr(0, point), plain)) return false;
  if (point != absl::string_view::npos) absl::StrAppend(plain, text.substr(point));
  return ParseDecimal(*plain, decimal) == Outcome::kOk;
}

bool RoundMoney(int32_t scale, Scratch* scratch, DecimalText* decimal) {
  if (decimal->fraction.size() <= static_cast<size_t>(scale)) return true;
  Round(static_cast<size_t>(scale), &scratch->entry_text);
  *decimal = {};
  return ParseDecimal(scratch->entry_text, decimal) == Outcome::kOk;
}

}  // namespace walduct::encode
