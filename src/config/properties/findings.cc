#include "config/properties/findings.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace walduct::config {
namespace {

// "is not a port" continues the sentence; "An integer is expected" is one of its own.
std::string Sentence(absl::string_view what) {
  const bool continues = !what.empty() && absl::ascii_islower(static_cast<unsigned char>(what[0]));
  return absl::StrCat(continues ? " " : " is invalid: ", what);
}

std::string WithFix(std::string line, absl::string_view fix) {
  if (!fix.empty()) absl::StrAppend(&line, "; ", fix);
  return line;
}

}  // namespace

void Findings::Error(const Property& property, absl::string_view what, absl::string_view fix) {
  const std::string shown = masking_.Shown(property, std::string(what));
  errors_.push_back(WithFix(absl::StrCat("property '", property.written_as, "': value '",
                                         masking_.Shown(property), "'", Sentence(shown)),
                            fix));
}

void Findings::Error(absl::string_view name, absl::string_view what, absl::string_view fix) {
  if (const Property* property = properties_.Find(name)) return Error(*property, what, fix);
  errors_.push_back(WithFix(absl::StrCat("property '", name, "': ", what), fix));
}

void Findings::Warn(absl::string_view name, absl::string_view what) {
  warnings_.push_back(absl::StrCat("property '", name, "': ", what));
}

}  // namespace walduct::config
