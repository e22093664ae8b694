#include "encode/formats/avro_names.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace walduct::encode {
namespace {

// A record of such a name is always written with its namespace.
constexpr absl::string_view kTypes[] = {"record", "enum",   "array",   "map", "union",
                                        "fixed",  "string", "bytes",   "int", "long",
                                        "float",  "double", "boolean", "null"};

constexpr char kHex[] = "0123456789ABCDEF";

bool MayBeFirst(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

std::string AvroName::Reference(absl::string_view space) const {
  const bool type = std::find(std::begin(kTypes), std::end(kTypes), name) != std::end(kTypes);
  return space == name_space && !type ? name : full();
}

AvroName SplitAvroName(absl::string_view schema_name) {
  const size_t dot = schema_name.rfind('.');
  if (dot == absl::string_view::npos) return {"", std::string(schema_name)};
  return {std::string(schema_name.substr(0, dot)), std::string(schema_name.substr(dot + 1))};
}

// URLEncoder keeps letters, digits and ".-*_", makes '+' of a blank and %XX of every other byte.
std::string ScrubAvroName(absl::string_view name) {
  std::string scrubbed;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || c == '_') {
      scrubbed.push_back(c);
    } else if (c == '.' || c == '-' || c == '*' || c == ' ') {
      scrubbed.push_back('_');
    } else {
      scrubbed.append({'_', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  if (!name.empty() && !MayBeFirst(name[0])) scrubbed.insert(0, 1, 'x');
  return scrubbed;
}

std::string ScrubAvroFullName(absl::string_view name) {
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(name, '.'))
    parts.push_back(ScrubAvroName(part));
  return absl::StrJoin(parts, ".");
}

}  // namespace walduct::encode
