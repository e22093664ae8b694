#include "nats/error.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "base/error.h"

namespace walduct::nats {
namespace {

using Code = absl::StatusCode;

struct Row {
  int code;  // JetStream's
  Code status;
  absl::string_view reason, hint;  // $0: the stream
};

constexpr absl::string_view kBusyHint = "it goes on by itself";
constexpr absl::string_view kRoomHint =
    "raise the limits of the server or the account (jetstream { max_file, max_mem }), or purge "
    "streams";

constexpr Row kRows[] = {
    {10077, Code::kUnavailable, "nats_stream_full",
     "make room: nats stream purge $0, or raise its limits (nats stream edit $0); discard=old "
     "lets it drop its oldest messages"},
    {10054, Code::kUnavailable, "nats_message_too_large",
     "raise the stream's limit: nats stream edit $0 --max-msg-size=N"},
    {10070, Code::kUnavailable, "nats_out_of_turn", kBusyHint},
    {10002, Code::kUnavailable, "nats_no_resources", kRoomHint},
    {10023, Code::kUnavailable, "nats_no_resources", kRoomHint},
    {10028, Code::kUnavailable, "nats_no_resources", kRoomHint},
    {10047, Code::kUnavailable, "nats_no_resources", kRoomHint},
    {10008, Code::kUnavailable, "nats_busy", kBusyHint},
    {10009, Code::kUnavailable, "nats_busy", kBusyHint},
    {10029, Code::kUnavailable, "nats_busy", kBusyHint},
    {10039, Code::kFailedPrecondition, "nats_no_jetstream",
     "enable JetStream for the account: accounts { NAME { jetstream: enabled } }"},
    {10076, Code::kFailedPrecondition, "nats_no_jetstream",
     "enable JetStream in the server's configuration: jetstream { store_dir: … }"},
    {10058, Code::kFailedPrecondition, "nats_stream_differs",
     "set sink.nats-jetstream.subjects and .storage as the stream has them (nats stream info $0), "
     "or sink.nats-jetstream.create-stream=false"},
    {10065, Code::kFailedPrecondition, "nats_stream_differs",
     "another stream takes some of these subjects (nats stream ls --subjects): name it in "
     "sink.nats-jetstream.stream-name, or other subjects"},
    {10109, Code::kUnavailable, "nats_stream_full",
     "the stream is sealed and takes nothing for good: let another one take the subject"},
};
constexpr Row kOther{0, Code::kFailedPrecondition, "nats_refused", "see the server's log"};

}  // namespace

absl::Status AnswerError(int code, absl::string_view description, absl::string_view stream,
                         absl::string_view address) {
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [code](const Row& known) { return known.code == code; });
  if (row == std::end(kRows)) row = &kOther;
  const std::string name = stream.empty() ? "NAME" : std::string(stream);
  return Error(
      row->status, row->reason,
      absl::StrCat("NATS at ", address, stream.empty() ? "" : absl::StrCat(", stream ", stream),
                   ": ", description, " (", code, ")"),
      absl::Substitute(row->hint, name));
}

absl::Status NoStream(absl::string_view subject, absl::string_view address) {
  return Error(Code::kUnavailable, "nats_no_stream",
               absl::StrCat("NATS at ", address, ": no stream takes the subject ", subject),
               absl::StrCat("make one: nats stream add NAME --subjects='", subject,
                            "', or add the subject to one (nats stream edit); "
                            "sink.nats-jetstream.create-stream makes one at the start"));
}

absl::Status TooLarge(absl::string_view address, size_t max_payload) {
  return Error(Code::kUnavailable, "nats_message_too_large",
               absl::StrCat("NATS at ", address, " takes ", max_payload), kPayloadHint);
}

bool IsOutOfTurn(const absl::Status& error) { return ErrorReason(error) == "nats_out_of_turn"; }
bool IsTooLarge(const absl::Status& error) {
  return ErrorReason(error) == "nats_message_too_large";
}

}  // namespace walduct::nats
