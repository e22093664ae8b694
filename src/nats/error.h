// What JetStream answers in the place of an acknowledgement, as errors with reasons and hints.
// Pure.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::nats {

// code: JetStream's err_code. Unavailable: it passes, or somebody makes it pass, and the same
// message may be sent again; anything else does not pass by itself.
absl::Status AnswerError(int code, absl::string_view description, absl::string_view stream,
                         absl::string_view address);

// No stream takes the subject, or JetStream is away.
absl::Status NoStream(absl::string_view subject, absl::string_view address);

// Beyond the server's max_payload.
inline constexpr absl::string_view kPayloadHint = "raise max_payload of the server";
absl::Status TooLarge(absl::string_view address, size_t max_payload);

// The message before it, which was named, is not the stream's last.
bool IsOutOfTurn(const absl::Status& error);
bool IsTooLarge(const absl::Status& error);

}  // namespace walduct::nats
