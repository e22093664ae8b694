#include "java/time/connect_time.h"

#include <utility>

#include "base/check.h"
#include "java/time/simple_date_format.h"

namespace walduct::java {
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
  const bool days = schema_name == kConnectDate;
  if (!days && schema_name != kConnectTimestamp && schema_name != kConnectTime) return false;
  const int64_t millis = days ? value * kDayMillis : value;
  const SimpleDateFormat* const whole = millis % kDayMillis == 0 ? date : timestamp;
  (millis < kDayMillis ? time : whole)->Append(millis, out);
  return true;
}

}  // namespace walduct::java
