#include "rabbitmq/error.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::rabbitmq {
namespace {

using Code = absl::StatusCode;

struct Row {
  int code;  // AMQP's
  Code status;
  absl::string_view reason, hint;
};

constexpr absl::string_view kPassing = "it goes on by itself once RabbitMQ takes messages again";

constexpr Row kRows[] = {
    {403, Code::kPermissionDenied, "rabbitmq_permission_denied",
     "grant it, as in rabbitmqctl set_permissions -p VHOST USER '' 'EXCHANGE' ''; to publish takes "
     "write on the exchange, to declare a queue configure on it, to bind one also write on it and "
     "read on the exchange"},
    {404, Code::kUnavailable, "rabbitmq_no_exchange",
     "declare it (rabbitmqadmin declare exchange name=EXCHANGE type=topic), or correct "
     "sink.rabbitmq.exchange; without one a topic's name is its exchange, and "
     "walduct.sink.rabbitmq.default.exchange=true sends to the queue that the routing key names"},
    {406, Code::kFailedPrecondition, "rabbitmq_precondition_failed",
     "it is there with other properties (rabbitmqctl list_queues name durable type): set "
     "sink.rabbitmq.routingKeyDurable and walduct.sink.rabbitmq.queue.type as it has them, or "
     "delete it"},
    {320, Code::kUnavailable, "rabbitmq_unavailable", kPassing},
    {311, Code::kUnavailable, "rabbitmq_unavailable", kPassing},
    {405, Code::kUnavailable, "rabbitmq_unavailable",
     "another connection holds the queue for itself (exclusive)"},
    {506, Code::kUnavailable, "rabbitmq_unavailable", kPassing},
    {541, Code::kUnavailable, "rabbitmq_unavailable", "see RabbitMQ's log"},
    {530, Code::kPermissionDenied, "rabbitmq_virtual_host",
     "correct sink.rabbitmq.connection.virtual.host, or make it (rabbitmqctl add_vhost VHOST) and "
     "let the user into it: rabbitmqctl set_permissions -p VHOST USER '.*' '.*' '.*'"},
};
constexpr Row kLogin = {403, Code::kUnauthenticated, "rabbitmq_authentication_failed",
                        "correct sink.rabbitmq.connection.username and .password, or set it: "
                        "rabbitmqctl change_password USER PASSWORD; guest may log in from the same "
                        "machine alone"};
constexpr Row kOther = {0, Code::kFailedPrecondition, "rabbitmq_refused", "see RabbitMQ's log"};

}  // namespace

absl::Status CloseError(int code, absl::string_view text, absl::string_view address, While when) {
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [code](const Row& known) { return known.code == code; });
  if (row == std::end(kRows)) row = &kOther;
  if (when == While::kLoggingIn && code == 403) row = &kLogin;
  return Error(row->status, row->reason,
               absl::StrCat("RabbitMQ at ", address, ": ", text, " (", code, ")"), row->hint);
}

absl::Status Unreachable(absl::string_view address, absl::string_view why) {
  return Error(
      Code::kUnavailable, "rabbitmq_unavailable", absl::StrCat("RabbitMQ at ", address, ": ", why),
      "check that it runs, and sink.rabbitmq.connection.host and .port; a port that speaks "
      "TLS takes sink.rabbitmq.connection.ssl.enabled=true");
}

absl::Status AtStart(const absl::Status& error) {
  if (ErrorReason(error) != "rabbitmq_no_exchange") return error;
  return Error(Code::kFailedPrecondition, ErrorReason(error), error.message(), ErrorHint(error));
}

}  // namespace walduct::rabbitmq
