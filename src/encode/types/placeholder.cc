#include "encode/types/placeholder.h"

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "encode/values/appenders.h"
#include "encode/values/md5.h"

namespace walduct::encode {
namespace {

// Quoted as array_out and hstore_out quote.
std::string Quoted(absl::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

std::string Bytea(absl::string_view bytes) {
  return absl::StrCat("\\x", absl::BytesToHexString(bytes));
}

}  // namespace

std::optional<std::string> PlaceholderText(const TypeMapping& mapping,
                                           absl::string_view placeholder) {
  std::string text;
  switch (mapping.placeholder) {
    case Placeholder::kNone:
    case Placeholder::kNumbers:
    case Placeholder::kKeptText:
      return std::nullopt;
    case Placeholder::kText:
    case Placeholder::kRawText:
      text = ReplaceInvalidUtf8(placeholder);
      break;
    case Placeholder::kBytes:
      text = Bytea(placeholder);
      break;
    case Placeholder::kHstore:
      text = Quoted(ReplaceInvalidUtf8(placeholder));
      return absl::StrCat(text, "=>", text);
    case Placeholder::kUuid:
      text = NameBasedUuid(placeholder);
      break;
  }
  return mapping.array ? absl::StrCat("{", Quoted(text), "}") : text;
}

ValuePlan PlaceholderPlan(const TypeMapping& mapping) {
  ValuePlan plan = mapping.plan;
  if (mapping.placeholder == Placeholder::kRawText) plan.append = AppendString;
  return plan;
}

std::optional<std::string> PlaceholderNumbers(const TypeMapping& mapping,
                                              absl::string_view placeholder) {
  if (!mapping.array || mapping.placeholder != Placeholder::kNumbers) return std::nullopt;
  std::string numbers = "[";
  for (char c : placeholder) {
    absl::StrAppend(&numbers, numbers.size() > 1 ? "," : "",
                    static_cast<int>(static_cast<signed char>(c)));
  }
  return numbers + "]";
}

std::string NameBasedUuid(absl::string_view name) {
  std::array<uint8_t, 16> digest = Md5(name);
  digest[6] = static_cast<uint8_t>((digest[6] & 0x0F) | 0x30);
  digest[8] = static_cast<uint8_t>((digest[8] & 0x3F) | 0x80);
  std::string uuid = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
  for (const size_t dash : {8u, 13u, 18u, 23u}) uuid.insert(dash, "-");
  return uuid;
}

}  // namespace walduct::encode
