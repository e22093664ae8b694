#include "aws/error.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"

namespace walduct::aws {
namespace {

using Code = absl::StatusCode;

struct Kind {
  Code status;
  absl::string_view reason, hint;
};

constexpr Kind kThrottled{
    Code::kUnavailable, "aws_throttled",
    "it is sent again in growing pauses; more shards, or a larger quota of the account, let more "
    "through"};
constexpr Kind kFault{Code::kUnavailable, "aws_not_taken",
                      "it is sent again until it is taken; https://health.aws.amazon.com tells of "
                      "trouble of the service"};
constexpr Kind kUnknown{
    Code::kUnauthenticated, "aws_credentials_refused",
    "check the credentials (aws sts get-caller-identity) and this machine's clock"};
constexpr Kind kExpired{Code::kUnauthenticated, "aws_credentials_expired",
                        "renew them; where a role gives them they are fetched anew"};
constexpr Kind kDenied{
    Code::kPermissionDenied, "aws_denied",
    "allow it in the policy of the user or role (docs/sinks.md lists what is needed)"};
constexpr Kind kMissing{Code::kNotFound, "aws_missing",
                        "create it, or check region, endpoint and name"};
constexpr Kind kTooLarge{Code::kInvalidArgument, "record_too_large",
                         "let a transform make it smaller, or raise the limit where AWS lets you"};
constexpr Kind kRefused{Code::kInvalidArgument, "record_refused",
                        "the message has the service's own words"};

struct Row {
  absl::string_view code;
  const Kind* kind;
};

constexpr absl::string_view kOfSqs = "AWS.SimpleQueueService.";

// Without kOfSqs before and "Exception" behind. Services write KMS and Kms: case does not count.
constexpr Row kRows[] = {
    {"ProvisionedThroughputExceeded", &kThrottled},
    {"Throttling", &kThrottled},
    {"Throttled", &kThrottled},
    {"ThrottlingError", &kThrottled},
    {"RequestThrottled", &kThrottled},
    {"KMSThrottling", &kThrottled},
    {"KMSThrottled", &kThrottled},
    {"LimitExceeded", &kThrottled},
    {"RequestLimitExceeded", &kThrottled},
    {"TooManyRequests", &kThrottled},
    {"TooManyEntries", &kThrottled},
    {"OverLimit", &kThrottled},
    {"SlowDown", &kThrottled},
    {"InternalFailure", &kFault},
    {"InternalError", &kFault},
    {"InternalServerError", &kFault},
    {"ServiceUnavailable", &kFault},
    {"RequestTimeout", &kFault},
    {"UnrecognizedClient", &kUnknown},
    {"InvalidClientTokenId", &kUnknown},
    {"InvalidAccessKeyId", &kUnknown},
    {"InvalidSignature", &kUnknown},
    {"SignatureDoesNotMatch", &kUnknown},
    {"IncompleteSignature", &kUnknown},
    {"MissingAuthenticationToken", &kUnknown},
    {"InvalidSecurity", &kUnknown},
    {"ExpiredToken", &kExpired},
    {"RequestExpired", &kExpired},
    {"AccessDenied", &kDenied},
    {"AuthorizationError", &kDenied},
    {"NotAuthorized", &kDenied},
    {"OptInRequired", &kDenied},
    {"KMSAccessDenied", &kDenied},
    {"KMSDisabled", &kDenied},
    {"KMSInvalidState", &kDenied},
    {"KMSInvalidKeyUsage", &kDenied},
    {"KMSNotFound", &kDenied},
    {"KMSOptInRequired", &kDenied},
    {"ResourceNotFound", &kMissing},
    {"NotFound", &kMissing},
    {"QueueDoesNotExist", &kMissing},
    {"NonExistentQueue", &kMissing},
    {"BatchRequestTooLong", &kTooLarge},
    {"MessageTooLong", &kTooLarge},
};

const Kind* KnownKind(absl::string_view code) {
  const absl::string_view name = absl::StripPrefix(absl::StripSuffix(code, "Exception"), kOfSqs);
  const Row* const row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& known) {
    return absl::EqualsIgnoreCase(known.code, name);
  });
  return row == std::end(kRows) ? nullptr : row->kind;
}

const Kind& KindOf(int http_status, absl::string_view code) {
  if (const Kind* const known = KnownKind(code); known != nullptr) return *known;
  if (http_status >= 500 || http_status == 408 || (http_status > 0 && http_status < 400))
    return kFault;
  if (http_status == 429) return kThrottled;
  if (http_status == 413) return kTooLarge;
  if (http_status == 403 || http_status == 401) return kDenied;
  return kRefused;
}

}  // namespace

absl::Status AnswerError(int http_status, absl::string_view code, absl::string_view message,
                         absl::string_view where) {
  const Kind& kind = KindOf(http_status, code);
  std::string said = absl::StrCat(where, " answers ", code.empty() ? "with" : code);
  if (http_status > 0 && code.empty()) absl::StrAppend(&said, " HTTP status ", http_status);
  if (!message.empty() && message != code) absl::StrAppend(&said, ": ", message);
  return Error(kind.status, kind.reason, said, kind.hint);
}

absl::Status EntryError(std::optional<bool> sender_fault, absl::string_view code,
                        absl::string_view message, absl::string_view where) {
  const Kind* const known = KnownKind(code);
  const bool refused = sender_fault.value_or(!code.empty());
  const Kind& kind = known != nullptr ? *known : refused ? kRefused : kFault;
  std::string said =
      absl::StrCat(where, " does not take one of several: ", code.empty() ? "no code" : code);
  if (!message.empty() && message != code) absl::StrAppend(&said, ": ", message);
  return Error(kind.status, kind.reason, said, kind.hint);
}

absl::Status Unreachable(absl::string_view where, absl::string_view why) {
  return Error(Code::kUnavailable, "aws_unreachable", absl::StrCat(where, ": ", why),
               "check region and endpoint, and the way out of this network; what was not answered "
               "is sent again");
}

bool IsExpired(const absl::Status& error) {
  return ErrorReason(error) == "aws_credentials_expired";
}

}  // namespace walduct::aws
