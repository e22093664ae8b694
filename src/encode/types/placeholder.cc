#include "encode/types/placeholder.h"

#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/utf8.h"
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

// Arrays of integers and dates: the bytes as numbers, beyond the texts of the type itself.
Constant Numbers(const TypeMapping& mapping, absl::string_view placeholder) {
  std::string text = "{";
  for (const char c : placeholder) {
    absl::StrAppend(&text, text.size() > 1 ? "," : "",
                    static_cast<int>(static_cast<signed char>(c)));
  }
  ValuePlan element = *mapping.plan.element;
  element.reads = Reads::kInt64;
  ValuePlan plan = mapping.plan;
  plan.element = std::make_shared<const ValuePlan>(std::move(element));
  return {text + "}", std::move(plan)};
}

}  // namespace

absl::StatusOr<std::optional<Constant>> PlaceholderOf(const TypeMapping& mapping,
                                                      absl::string_view placeholder) {
  Constant constant{"", mapping.plan};
  std::string& text = constant.text;
  switch (mapping.placeholder) {
    case Placeholder::kNone:
    case Placeholder::kKeptText:
      return std::optional<Constant>();
    case Placeholder::kNumbers:
      if (!mapping.array) return std::optional<Constant>();
      return std::optional(Numbers(mapping, placeholder));
    case Placeholder::kRawText:
      constant.plan.reads = Reads::kString;
      text = ReplaceInvalidUtf8(placeholder);
      break;
    case Placeholder::kText:
      text = ReplaceInvalidUtf8(placeholder);
      break;
    case Placeholder::kBytes:
      if (mapping.array || mapping.plan.reads == Reads::kBytea) {
        text = Bytea(placeholder);
        break;
      }
      constant.plan.reads = Reads::kTextBytes;
      text = std::string(placeholder);
      return std::optional(std::move(constant));
    case Placeholder::kHstore:
      text = Quoted(ReplaceInvalidUtf8(placeholder));
      text = absl::StrCat(text, "=>", text);
      return std::optional(constant);
    case Placeholder::kUuid:
      ASSIGN_OR_RETURN(text, NameBasedUuid(placeholder));
      break;
  }
  if (mapping.array) text = absl::StrCat("{", Quoted(text), "}");
  return std::optional(std::move(constant));
}

absl::StatusOr<std::string> NameBasedUuid(absl::string_view name) {
  ASSIGN_OR_RETURN(auto digest, Md5(name));
  digest[6] = static_cast<uint8_t>((digest[6] & 0x0F) | 0x30);
  digest[8] = static_cast<uint8_t>((digest[8] & 0x3F) | 0x80);
  std::string uuid = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
  for (const size_t dash : {8u, 13u, 18u, 23u}) uuid.insert(dash, "-");
  return uuid;
}

}  // namespace walduct::encode
