// What the tidy tests stand on: the files of the source tree as lines, and the same text without
// comments and literals, so that a rule about code does not trip over prose. Paths are relative to
// the root of the checkout.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace walduct::tidy {

struct SourceFile {
  std::string path;
  std::string text;
  std::string code;  // text with comments, string and character literals blanked; same lines
};

// "path:line: rule", one per violation.
using Findings = std::vector<std::string>;

inline void AddFinding(const SourceFile& file, size_t line, absl::string_view rule,
                       Findings* findings) {
  findings->push_back(absl::StrCat(file.path, ":", line, ": ", rule));
}

inline std::string Report(const Findings& findings) {
  std::string report;
  for (const std::string& finding : findings) absl::StrAppend(&report, "\n", finding);
  return report;
}

namespace internal {

// Replaces all but line ends by spaces, so that lines and columns stay.
inline void Blank(size_t begin, size_t end, std::string* text) {
  for (size_t i = begin; i < end && i < text->size(); ++i) {
    if ((*text)[i] != '\n') (*text)[i] = ' ';
  }
}

inline size_t EndOf(const std::string& text, const std::string& mark, size_t from) {
  const size_t found = text.find(mark, from);
  return found == std::string::npos ? text.size() : found + mark.size();
}

// First position after the literal whose opening quote is at `quote`.
inline size_t EndOfLiteral(const std::string& text, size_t quote) {
  for (size_t i = quote + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[quote] || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

inline bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// First position after the comment or literal that begins at i; i when none does.
inline size_t SkipFrom(const std::string& text, size_t i) {
  const char c = text[i];
  if (c != '/' && c != 'R' && c != '"' && c != '\'') return i;
  const absl::string_view rest = absl::string_view(text).substr(i);
  const bool in_word = i > 0 && IsWordCharacter(text[i - 1]);
  if (absl::StartsWith(rest, "//")) return std::min(text.find('\n', i), text.size());
  if (absl::StartsWith(rest, "/*")) return EndOf(text, "*/", i + 2);
  if (absl::StartsWith(rest, "R\"") && !in_word) {
    const size_t open = text.find('(', i);
    if (open == std::string::npos) return text.size();
    return EndOf(text, absl::StrCat(")", text.substr(i + 2, open - i - 2), "\""), open);
  }
  if (c == '"') return EndOfLiteral(text, i);
  // Not the separator of 1'000'000.
  if (c == '\'' && !in_word) return EndOfLiteral(text, i);
  return i;
}

}  // namespace internal

inline std::string CodeOnly(std::string text) {
  for (size_t i = 0; i < text.size();) {
    const size_t end = internal::SkipFrom(text, i);
    internal::Blank(i, end, &text);
    i = std::max(end, i + 1);
  }
  return text;
}

inline SourceFile MakeSource(std::string path, std::string text) {
  std::string code = CodeOnly(text);
  return {std::move(path), std::move(text), std::move(code)};
}

inline std::vector<absl::string_view> Lines(const std::string& text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

inline std::filesystem::path Root() { return WALDUCT_SOURCE_DIR; }

inline std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Files under these folders of the root with one of these extensions, sorted by path. Hidden and
// generated folders are left out.
inline std::vector<SourceFile> ReadTree(std::initializer_list<const char*> folders,
                                        std::initializer_list<const char*> extensions) {
  std::vector<SourceFile> files;
  for (const char* folder : folders) {
    auto it = std::filesystem::recursive_directory_iterator(Root() / folder);
    for (; it != std::filesystem::recursive_directory_iterator(); ++it) {
      const std::string name = it->path().filename().string();
      const bool generated = name[0] == '.' || absl::StartsWith(name, "build") || name == "target";
      if (it->is_directory() && generated) it.disable_recursion_pending();
      if (!it->is_regular_file()) continue;
      const bool wanted =
          std::any_of(extensions.begin(), extensions.end(),
                      [&](const char* extension) { return it->path().extension() == extension; });
      const std::string path = std::filesystem::relative(it->path(), Root()).string();
      if (wanted) files.push_back(MakeSource(path, ReadText(it->path())));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

// By path, what a file includes.
using Includes = std::map<std::string, std::vector<std::string>>;

// What file includes, and what that includes, and so on.
inline void Follow(const Includes& includes, const std::string& file,
                   std::set<std::string>* reached) {
  const auto found = includes.find(file);
  if (found == includes.end()) return;
  for (const std::string& named : found->second) {
    if (reached->insert(named).second) Follow(includes, named, reached);
  }
}

// Names of the folders of src/, sorted.
inline std::vector<std::string> Rooms() {
  std::vector<std::string> rooms;
  for (const auto& entry : std::filesystem::directory_iterator(Root() / "src")) {
    if (entry.is_directory()) rooms.push_back(entry.path().filename().string());
  }
  std::sort(rooms.begin(), rooms.end());
  return rooms;
}

// "" for files directly in src/.
inline std::string RoomOf(const SourceFile& file) {
  const std::vector<std::string> parts = absl::StrSplit(file.path, '/');
  return parts.size() > 2 ? parts[1] : "";
}

}  // namespace walduct::tidy
