#include "admin/reasons/alerts.h"

#include "absl/strings/str_cat.h"
#include "admin/reasons/alerts_text.h"

namespace walduct::admin {

std::string ExplainAlert(absl::string_view name) {
  const std::string page = absl::StrCat(AlertsPage(), "\n## ");
  const std::string head = absl::StrCat("\n## ", name, "\n");
  const size_t begin = page.find(head);
  if (name.empty() || begin == std::string::npos) return "";
  const size_t text = begin + head.size();
  std::string section = page.substr(text, page.find("\n## ", text) - text);
  while (!section.empty() && section.front() == '\n') section.erase(0, 1);
  while (!section.empty() && section.back() == '\n') section.pop_back();
  return absl::StrCat(name, "\n\n", section, "\n");
}

}  // namespace walduct::admin
