#include "sink/http/answers.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::sink {
namespace {

absl::string_view PassingHint(int status) {
  if (status >= 300 && status < 400)
    return "redirects are not followed: name the address that it leads to in sink.http.url";
  if (status == 401)
    return "check sink.http.authentication.…: the receiver does not know who is asking; of signed "
           "webhooks it has another secret than sink.http.authentication.webhook.secret, or a "
           "clock that is minutes off";
  if (status == 429) return "it is sent again when the receiver allows: see Retry-After";
  return "see the receiver's log; what it does not take is sent again until it does";
}

}  // namespace

Answer JudgeAnswer(int status, absl::string_view where) {
  Answer answer;
  if (status >= 200 && status < 300) return answer;
  const std::string said = absl::StrCat(where, " answers with HTTP status ", status);
  const bool passing = status < 400 || status >= 500 || status == 401 || status == 408 ||
                       status == 425 || status == 429;
  if (passing) {
    answer.kind = Answer::Kind::kPassing;
    answer.of_server = status == 401 || status == 429 || status == 503;
    answer.status =
        Error(absl::StatusCode::kUnavailable, "http_not_taken", said, PassingHint(status));
    return answer;
  }
  answer.kind = Answer::Kind::kRefused;
  answer.certain = status == 410 || status == 413;
  if (status == 410) {
    answer.status = Error(absl::StatusCode::kInvalidArgument, "receiver_gone", said,
                          "name another receiver in sink.http.url; walduct.errors.gone says what "
                          "becomes of the records");
  } else if (status == 413) {
    answer.status = Error(absl::StatusCode::kInvalidArgument, "record_too_large", said,
                          "let the receiver take larger bodies (nginx: client_max_body_size)");
  } else if (status == 403 || status == 404 || status == 405) {
    answer.status = Error(absl::StatusCode::kInvalidArgument, "receiver_refuses", said,
                          status == 403 ? "check sink.http.authentication.… and what the receiver "
                                          "allows who asks"
                                        : "check sink.http.url: nobody takes a POST there");
  } else {
    answer.status = Error(absl::StatusCode::kInvalidArgument, "record_refused", said,
                          "see the receiver's log for what it does not like; dead letters of this "
                          "sink need walduct.sink.http.deadletter.url or .file, too");
  }
  return answer;
}

}  // namespace walduct::sink
