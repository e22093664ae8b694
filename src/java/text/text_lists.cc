#include "java/text/text_lists.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace walduct::java {

std::vector<std::string> SplitCommaList(absl::string_view list) {
  std::vector<std::string> items;
  for (absl::string_view item : absl::StrSplit(list, ',')) {
    item = absl::StripAsciiWhitespace(item);
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

bool ListContains(absl::string_view list, absl::string_view item) {
  const std::vector<std::string> items = SplitCommaList(list);
  return std::find(items.begin(), items.end(), item) != items.end();
}

absl::string_view SimpleClassName(absl::string_view class_name) {
  return class_name.substr(class_name.rfind('.') + 1);  // npos + 1 is 0
}

}  // namespace walduct::java
