#include "loader/session_properties.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "java/text/text_lists.h"

namespace walduct::loader {
namespace {

constexpr absl::string_view kKeyAlgorithm = "inter.worker.key.generation.algorithm";
constexpr absl::string_view kKeySize = "inter.worker.key.size";
constexpr absl::string_view kTtl = "inter.worker.key.ttl.ms";
constexpr absl::string_view kSignsWith = "inter.worker.signature.algorithm";
constexpr absl::string_view kTakes = "inter.worker.verification.algorithms";

constexpr int64_t kLeastBits = 40;
constexpr int64_t kMostBits = 8192;

std::string UseOneOf() {
  return absl::StrCat("use one of ", absl::StrJoin(access::MacNames(), ", "));
}

bool IsMac(absl::string_view name) { return absl::c_linear_search(access::MacNames(), name); }

// Keeps what is there where nothing is set, or it is wrong.
void ReadMac(const config::PropertySet& properties, absl::string_view name, std::string* algorithm,
             config::Findings* findings) {
  if (!properties.IsSet(name)) return;
  const config::Property& property = *properties.Find(name);
  if (IsMac(property.value)) {
    *algorithm = property.value;
  } else {
    findings->Error(property, "is no algorithm of signatures that is known", UseOneOf());
  }
}

// Absent: the same.
std::optional<int64_t> ReadBetween(const config::PropertySet& properties, absl::string_view name,
                                   int64_t least, int64_t most, config::Findings* findings) {
  if (!properties.IsSet(name)) return std::nullopt;
  const config::Property& property = *properties.Find(name);
  int64_t number = 0;
  if (absl::SimpleAtoi(property.value, &number) && number >= least && number <= most) return number;
  findings->Error(property, absl::StrCat("must be a number from ", least, " to ", most),
                  "use one, or remove it");
  return std::nullopt;
}

}  // namespace

access::SessionOptions BuildSession(const config::PropertySet& properties,
                                    config::Findings* findings) {
  access::SessionOptions options;
  ReadMac(properties, kKeyAlgorithm, &options.key_algorithm, findings);
  options.key_bytes = access::KeyBytes(options.key_algorithm);
  if (const auto bits = ReadBetween(properties, kKeySize, kLeastBits, kMostBits, findings))
    options.key_bytes = static_cast<size_t>(*bits + 7) / 8;
  if (const auto ttl =
          ReadBetween(properties, kTtl, 0, std::numeric_limits<int32_t>::max(), findings))
    options.ttl = absl::Milliseconds(*ttl);
  ReadMac(properties, kSignsWith, &options.signs_with, findings);
  if (properties.IsSet(kTakes)) {
    const config::Property& property = *properties.Find(kTakes);
    options.takes = java::SplitCommaList(property.value);
    if (options.takes.empty() || !absl::c_all_of(options.takes, IsMac))
      findings->Error(property, "names an algorithm of signatures that is not known", UseOneOf());
  }
  if (!absl::c_linear_search(options.takes, options.signs_with)) {
    findings->Error(
        kTakes,
        absl::StrCat("does not name ", options.signs_with, ", which '", kSignsWith, "' signs with"),
        absl::StrCat("set ", kTakes, "=", options.signs_with));
  }
  return options;
}

}  // namespace walduct::loader
