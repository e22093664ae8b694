// The tables behind ReasonGroups(). Used by reasons.cc only.
#pragma once

#include "absl/types/span.h"
#include "admin/reasons/reasons.h"

namespace walduct::admin {

absl::Span<const Reason> DatabaseReasons();
absl::Span<const Reason> PositionReasons();
absl::Span<const Reason> KafkaReasons();
absl::Span<const Reason> RedisReasons();
absl::Span<const Reason> NatsReasons();
absl::Span<const Reason> RabbitMqReasons();
absl::Span<const Reason> HttpReasons();
absl::Span<const Reason> AwsReasons();
absl::Span<const Reason> RecordReasons();
absl::Span<const Reason> ConfigurationReasons();
absl::Span<const Reason> DoctorReasons();

}  // namespace walduct::admin
