#include "sink/aws/aws_properties.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace walduct::sink {

std::string CheckAwsRegion(absl::string_view value) {
  for (const char c : value) {
    if (!absl::ascii_islower(static_cast<unsigned char>(c)) &&
        !absl::ascii_isdigit(static_cast<unsigned char>(c)) && c != '-')
      return "is no region of AWS";
  }
  return "";
}

std::string CheckAwsEndpoint(absl::string_view value) {
  absl::string_view place = value;
  if (!absl::ConsumePrefix(&place, "https://") && !absl::ConsumePrefix(&place, "http://"))
    return "is no URL: it begins with neither https:// nor http://";
  absl::ConsumeSuffix(&place, "/");
  if (place.empty()) return "names no host";
  if (absl::StrContains(place, "/")) return "has a path, and services of AWS have none";
  return "";
}

void RequireForAws(absl::string_view sink, absl::string_view name, absl::string_view fix,
                   const config::PropertySet& properties, config::Findings* findings) {
  if (!properties.IsSet(name))
    findings->Error(name, absl::StrCat("A value is required when sink=", sink), fix);
}

void CheckAwsLetters(absl::string_view place, absl::string_view topic,
                     const config::PropertySet& properties, config::Findings* findings) {
  const config::Property* const found = properties.Find(topic);
  const bool letters = found != nullptr && !absl::StripAsciiWhitespace(found->value).empty();
  if (letters && !properties.IsSet(place))
    findings->Error(topic, "dead letters would go where records go",
                    absl::StrCat("name their place in ", place));
  if (!letters && properties.IsSet(place))
    findings->Warn(place, absl::StrCat("has no effect without ", topic));
}

aws::AwsOptions BuildAws(absl::string_view service, const config::PropertySet& properties) {
  const auto text = [&](absl::string_view name) {
    return properties.Text(absl::StrCat("sink.", service, ".", name));
  };
  aws::AwsOptions options;
  options.service = std::string(service);
  options.region = text("region");
  options.endpoint = text("endpoint");
  options.profile = text("credentials.profile");
  options.ca_file = properties.Text(absl::StrCat("walduct.sink.", service, ".ssl.ca"));
  return options;
}

std::optional<int> AwsAttempts(absl::string_view service, const config::PropertySet& properties) {
  const std::string name = absl::StrCat("sink.", service, ".default.retries");
  if (!properties.IsSet(name)) return std::nullopt;
  return static_cast<int>(properties.Integer(name));
}

}  // namespace walduct::sink
