// Kafka's error codes as statuses with a reason and a hint. The table is in error.cc.
//
//   Unavailable         broker_unavailable, not_enough_replicas, producer_fatal, kafka_error:
//                       retry, or begin anew
//   Unauthenticated     kafka_authentication_failed
//   PermissionDenied    topic_authorization_failed, cluster_authorization_failed,
//                       topic_policy_violation
//   FailedPrecondition  topic_missing, partition_missing, kafka_tls_failed, broker_too_old,
//                       topic_settings_invalid
//   InvalidArgument     record_too_large, record_refused, topic_name_invalid
//   AlreadyExists       topic_exists
//   ResourceExhausted   producer_queue_full
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::kafka {

// code: a rd_kafka_resp_err_t, not 0. what: what was tried, e.g. "topic srv.public.t". detail: the
// broker's words, may be empty.
absl::Status KafkaError(int code, absl::string_view what, absl::string_view detail = "");

// True for broken connections: the client reconnects by itself.
bool IsConnectionError(int code);
// True when the broker refused who we are or how we speak: it will do so again.
bool IsIdentityError(int code);

}  // namespace walduct::kafka
