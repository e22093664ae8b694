#include "config/documentation.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/plain_text.h"
#include "base/utf8.h"

namespace walduct::config {
namespace {

constexpr absl::string_view kIntroduction =
    R"(# Configuration

<!-- Written by `walduct validate --print-reference > docs/configuration.md`. Do not edit: change the *_properties.cc of the rooms. -->

walduct reads the files that Kafka Connect and Debezium read: a connector as JSON (`{"name": …, "config": {…}}` or a flat
map), Java properties, YAML or Debezium Server's `application.properties` with `-f` (see [forms.md](forms.md)), a worker's
properties with `-w`, and single properties with `-o name=value`, which win over both. `walduct validate -f FILE` checks all of them without touching a server.

| status | meaning |
|---|---|
| honoured | has the effect described |
| no effect | accepted for ever, the note says why it is not needed |
| no effect (warned) | accepted, as Debezium does; whoever writes it expects something that the note says |
| not yet (warned) | not supported yet; it changes no records, so a value other than the default is only warned about |
| not yet (refused) | not supported yet; a value other than the default would change the records, so walduct does not start |

A name with `<word>` or `*` stands for any text there. `${file:/path:key}`, `${directory:/path:name}` and `${env:NAME}` in
values are replaced at start. Values of secret properties are never shown.
)";

// A '|' would end the cell, line breaks the row; '<' and '*' in a name stay text inside backquotes.
std::string Cell(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}});
}

std::string Code(absl::string_view text) {
  return text.empty() ? "" : absl::StrCat("`", Cell(text), "`");
}

std::string Meaning(const PropertyDefinition& definition) {
  std::string text(definition.doc);
  if (!definition.allowed.empty()) absl::StrAppend(&text, " One of: ", definition.allowed, ".");
  if (!definition.refused.empty())
    absl::StrAppend(&text, " Not supported yet: ", definition.refused, ".");
  if (!definition.note.empty()) absl::StrAppend(&text, " Note: ", definition.note, ".");
  if (!definition.aliases.empty()) absl::StrAppend(&text, " Older name: ", definition.aliases, ".");
  if (!definition.value_aliases.empty())
    absl::StrAppend(&text, " Older values: ", definition.value_aliases, ".");
  if (definition.required) absl::StrAppend(&text, " Required.");
  return Cell(text);
}

std::string Row(const PropertyDefinition& definition) {
  return absl::StrCat("| ", Code(definition.name), " | ", TypeName(definition.type), " | ",
                      Code(definition.default_value.value_or("")), " | ",
                      SupportName(definition.support), " | ", Meaning(definition), " |\n");
}

absl::string_view StatusWord(PropertyStatus status) {
  switch (status) {
    case PropertyStatus::kHonoured:
      return "honoured";
    case PropertyStatus::kDefault:
      return "default";
    case PropertyStatus::kIgnored:
      return "no effect";
    case PropertyStatus::kNotYet:
      return "not yet";
    case PropertyStatus::kUnknown:
      return "unknown";
    case PropertyStatus::kRenamed:
      return "renamed";
  }
  return "";
}

using Line = std::array<std::string, 4>;

// One line however long the value is: a table of twenty properties should fit a screen.
std::string Shortened(std::string value) {
  constexpr size_t kLimit = 48;
  for (char& c : value) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  value = PlainText(value);
  if (value.size() <= kLimit) return value;
  return absl::StrCat(Utf8Prefix(value, kLimit - 1), "…");
}

// Characters, not bytes.
size_t Width(absl::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsUtf8Continuation(c); }));
}

std::string Align(const std::vector<Line>& lines) {
  std::array<size_t, 4> widths = {};
  for (const Line& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], Width(line[i]));
  }
  std::string out;
  for (const Line& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      absl::StrAppend(&text, line[i], std::string(widths[i] - Width(line[i]) + 2, ' '));
    }
    absl::StrAppend(&out, text.substr(0, text.find_last_not_of(' ') + 1), "\n");
  }
  return out;
}

void AppendList(absl::string_view word, const std::vector<std::string>& lines, std::string* out) {
  for (const std::string& line : lines) absl::StrAppend(out, word, ": ", PlainText(line), "\n");
}

}  // namespace

std::string ConfigurationMarkdown(const PropertyTable& table) {
  std::string out(kIntroduction);
  absl::string_view chapter;
  for (const PropertySection& section : table.sections()) {
    if (section.title != chapter) {
      absl::StrAppend(
          &out, "\n## ", section.title,
          "\n\n| property | type | default | status | meaning |\n|---|---|---|---|---|\n");
    }
    chapter = section.title;
    for (const PropertyDefinition& definition : section.rows)
      absl::StrAppend(&out, Row(definition));
  }
  return out;
}

std::string RenderReport(const LoadReport& report) {
  std::vector<Line> lines = {{"PROPERTY", "VALUE", "STATUS", "NOTE"}};
  for (const PropertyReport& property : report.properties) {
    lines.push_back({PlainText(property.name), Shortened(property.value),
                     std::string(StatusWord(property.status)), PlainText(property.note)});
  }
  std::string out = Align(lines);
  if (!report.errors.empty() || !report.warnings.empty()) absl::StrAppend(&out, "\n");
  AppendList("error", report.errors, &out);
  AppendList("warning", report.warnings, &out);
  absl::StrAppend(&out, report.errors.empty() ? "accepted" : "refused", ": ", report.errors.size(),
                  " errors, ", report.warnings.size(), " warnings\n");
  return out;
}

}  // namespace walduct::config
