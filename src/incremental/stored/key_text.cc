#include "incremental/stored/key_text.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "incremental/stored/decimal_bytes.h"
#include "incremental/stored/interval_fields.h"
#include "incremental/stored/plain_money.h"
#include "java/text/number_text.h"

namespace walduct::incremental {
namespace {

std::string RealText(const std::string& text, bool single) {
  std::string printed;
  float narrow = 0;
  double wide = 0;
  if (single && absl::SimpleAtof(text, &narrow)) {
    java::AppendFloat(narrow, &printed);
  } else if (!single && absl::SimpleAtod(text, &wide)) {
    java::AppendDouble(wide, &printed);
  }
  return printed.empty() ? text : printed;
}

std::string DecimalText(const std::string& plain, const std::string& text) {
  if (!ParseDecimal(plain)) return text;
  std::string printed;
  java::AppendDecimal(plain, &printed);
  return printed;
}

std::string ValueText(const std::string& text, absl::string_view type) {
  if (type == "bool") return text == "t" ? "true" : "false";
  if (type == "float4" || type == "float8") return RealText(text, type == "float4");
  if (type == "numeric") return DecimalText(text, text);
  if (type == "money") return DecimalText(PlainMoney(text), text);
  if (type != "interval") return text;
  const std::optional<IntervalFields> interval = ParseInterval(text);
  return interval ? PrintInterval(*interval) : text;
}

}  // namespace

std::string KeyText(const Key& key, size_t columns,
                    const std::vector<std::shared_ptr<const event::Type>>& types) {
  std::string text;
  for (size_t i = 0; i < std::min(columns, key.size()); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",");
    if (!key[i]) {
      absl::StrAppend(&text, "<null>");
      continue;
    }
    const event::Type* type = i < types.size() ? &event::BaseType(*types[i]) : nullptr;
    const bool built_in = type != nullptr && (type->schema.empty() || type->schema == "pg_catalog");
    absl::StrAppend(&text, built_in ? ValueText(*key[i], type->name) : *key[i]);
  }
  return text;
}

}  // namespace walduct::incremental
