#include "incremental/signals/table_name.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"

namespace walduct::incremental {
namespace {

// Takes a part from the front of *text.
std::optional<std::string> TakeQuoted(absl::string_view* text) {
  std::string part;
  for (size_t i = 1; i < text->size(); ++i) {
    if ((*text)[i] != '"') {
      part.push_back((*text)[i]);
      continue;
    }
    if (i + 1 < text->size() && (*text)[i + 1] == '"') {
      part.push_back('"');
      ++i;
      continue;
    }
    text->remove_prefix(i + 1);
    return part;
  }
  return std::nullopt;
}

std::optional<std::string> TakePlain(absl::string_view* text) {
  const absl::string_view part = text->substr(0, text->find('.'));
  for (const char c : part) {
    if (c == '"' || absl::ascii_isspace(static_cast<unsigned char>(c))) return std::nullopt;
  }
  text->remove_prefix(part.size());
  return std::string(part);
}

}  // namespace

std::optional<TableId> ParseTableId(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  std::vector<std::string> parts;
  while (true) {
    std::optional<std::string> part =
        !text.empty() && text.front() == '"' ? TakeQuoted(&text) : TakePlain(&text);
    if (!part || part->empty()) return std::nullopt;
    parts.push_back(*std::move(part));
    if (text.empty()) break;
    if (text.front() != '.') return std::nullopt;
    text.remove_prefix(1);
  }
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  // Of database.schema.table the database is this one.
  return TableId{parts[parts.size() - 2], parts.back()};
}

std::optional<TableId> ParseAnyTableId(absl::string_view text) {
  if (auto table = ParseTableId(text)) return table;
  absl::string_view left = absl::StripAsciiWhitespace(text);
  const std::optional<std::string> name = TakePlain(&left);
  if (!name || name->empty() || !left.empty()) return std::nullopt;
  return TableId{"", *name};
}

}  // namespace walduct::incremental
