#include "config/text/connect_time.h"

#include "base/check.h"
#include "config/text/simple_date_format.h"

namespace walduct::config {
namespace {

constexpr int64_t kDayMillis = 86'400'000;

const SimpleDateFormat* Format(absl::string_view pattern) {
  absl::StatusOr<SimpleDateFormat> format = SimpleDateFormat::Compile(pattern);
  CHECK(format.ok());
  return new SimpleDateFormat(*std::move(format));  // lives as long as the process
}

}  // namespace

bool AppendConnectTime(absl::string_view schema_name, int64_t value, std::string* out) {
  static const SimpleDateFormat* const timestamp = Format("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");
  static const SimpleDateFormat* const date = Format("yyyy-MM-dd");
  static const SimpleDateFormat* const time = Format("HH:mm:ss.SSS'Z'");
  if (schema_name == kConnectTimestamp) {
    timestamp->Append(value, out);
  } else if (schema_name == kConnectDate) {
    date->Append(value * kDayMillis, out);
  } else if (schema_name == kConnectTime) {
    time->Append(value, out);
  } else {
    return false;
  }
  return true;
}

}  // namespace walduct::config
