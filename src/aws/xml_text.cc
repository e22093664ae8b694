#include "aws/xml_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace walduct::aws {

std::vector<absl::string_view> ElementsIn(absl::string_view xml, absl::string_view name) {
  const std::string open = absl::StrCat("<", name, ">"), close = absl::StrCat("</", name, ">");
  std::vector<absl::string_view> found;
  size_t at = 0;
  while ((at = xml.find(open, at)) != absl::string_view::npos) {
    at += open.size();
    const size_t end = xml.find(close, at);
    if (end == absl::string_view::npos) break;
    found.push_back(xml.substr(at, end - at));
    at = end + close.size();
  }
  return found;
}

absl::string_view ElementIn(absl::string_view xml, absl::string_view name) {
  const std::vector<absl::string_view> all = ElementsIn(xml, name);
  return all.empty() ? absl::string_view() : all.front();
}

std::string TextIn(absl::string_view xml, absl::string_view name) {
  // One pass: what an entity becomes is not looked at again.
  return absl::StrReplaceAll(
      ElementIn(xml, name),
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}});
}

}  // namespace walduct::aws
