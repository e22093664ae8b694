// What RabbitMQ says when it closes a channel or a connection, as a status with reason and hint.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::rabbitmq {

enum class While { kLoggingIn, kWorking };

// code: AMQP's. text: RabbitMQ's.
//   Unavailable         rabbitmq_unavailable: it is being shut down, or has no room
//                       rabbitmq_no_exchange: and no queue, in the end
//   Unauthenticated     rabbitmq_authentication_failed
//   PermissionDenied    rabbitmq_permission_denied, rabbitmq_virtual_host
//   FailedPrecondition  rabbitmq_precondition_failed, rabbitmq_refused
absl::Status CloseError(int code, absl::string_view text, absl::string_view address, While when);

absl::Status Unreachable(absl::string_view address, absl::string_view why);

// The same for a start: what is missing stops it.
absl::Status AtStart(const absl::Status& error);

}  // namespace walduct::rabbitmq
