// Money as lc_monetary of C and the English locales print it: [-]symbol digits[,ddd…][.digits].
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "encode/values/appenders.h"
#include "encode/values/decimal_text.h"

namespace walduct::encode {
namespace {

// The digits of the whole without their separators; false: in another locale these would be
// separators of other things.
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

// Plain decimal text in scratch->entry_text, and its parts, which borrow from there.
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

// Half up to `scale` digits of the fraction; text is the plain number. One digit more of the whole
// when all are nines.
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

Outcome AppendMoney(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  DecimalText decimal;
  if (!ParseMoney(text, context->scratch, &decimal)) return Outcome::kForeignMoney;
  if (decimal.fraction.size() > static_cast<size_t>(plan.scale)) {
    Round(static_cast<size_t>(plan.scale), &context->scratch->entry_text);
    decimal = {};
    if (ParseDecimal(context->scratch->entry_text, &decimal) != Outcome::kOk)
      return Outcome::kForeignMoney;
  }
  return AppendScaledDecimal(decimal, plan.scale, context);
}

Outcome AppendMoneyDouble(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  DecimalText decimal;
  if (!ParseMoney(text, context->scratch, &decimal)) return Outcome::kForeignMoney;
  return AppendDecimalDouble(context->scratch->entry_text, plan, context);
}

Outcome AppendMoneyString(absl::string_view text, const ValuePlan&, ValueContext* context) {
  DecimalText decimal;
  if (!ParseMoney(text, context->scratch, &decimal)) return Outcome::kForeignMoney;
  AppendText(context->scratch->entry_text, context);
  return Outcome::kOk;
}

}  // namespace walduct::encode
