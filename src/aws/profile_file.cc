#include "aws/profile_file.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace walduct::aws {

Profile ProfileIn(absl::string_view text, absl::string_view name) {
  Profile profile;
  bool ours = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    // What is indented belongs to the property before it.
    if (!line.empty() && absl::ascii_isspace(static_cast<unsigned char>(line[0]))) continue;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      line.remove_prefix(1);
      line = absl::StripAsciiWhitespace(line.substr(0, line.find(']')));
      if (absl::ConsumePrefix(&line, "profile ")) line = absl::StripAsciiWhitespace(line);
      ours = line == name;
      continue;
    }
    const size_t equals = line.find('=');
    if (!ours || equals == absl::string_view::npos) continue;
    profile[absl::AsciiStrToLower(absl::StripAsciiWhitespace(line.substr(0, equals)))] =
        std::string(absl::StripAsciiWhitespace(line.substr(equals + 1)));
  }
  return profile;
}

}  // namespace walduct::aws
