// Kafka Connect's own types of time as Connect prints them: Timestamp (int64, milliseconds), Date
// (int32, days), Time (int32, milliseconds). Pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::java {

inline constexpr absl::string_view kConnectTimestamp = "org.apache.kafka.connect.data.Timestamp";
inline constexpr absl::string_view kConnectDate = "org.apache.kafka.connect.data.Date";
inline constexpr absl::string_view kConnectTime = "org.apache.kafka.connect.data.Time";

// The text that Connect's Values gives such a value, as in "2020-01-02T03:04:05.678Z": whatever the
// type, what lies before the second day of 1970 is printed as a time, and midnight as a date.
// False: the schema is not one of them.
bool AppendConnectTime(absl::string_view schema_name, int64_t value, std::string* out);

}  // namespace walduct::java
