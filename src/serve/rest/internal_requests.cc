#include "serve/rest/internal_requests.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/percent.h"
#include "serve/rest/answers.h"

namespace walduct::serve {
namespace {

constexpr absl::Duration kTellAgain = absl::Minutes(1);

}  // namespace

std::string TargetOf(const std::string& path,
                     const std::multimap<std::string, std::string>& query) {
  std::string target = path;
  absl::string_view separator = "?";
  for (const auto& [name, value] : query) {
    absl::StrAppend(&target, separator, EncodePercent(name, "-._~"), "=",
                    EncodePercent(value, "-._~"));
    separator = "&";
  }
  return target;
}

std::string ForwardedText(const http::Request& request) {
  return absl::StrCat(request.method, "\n", TargetOf(request.path, request.query), "\n",
                      request.body);
}

std::optional<http::Response> InternalRequests::Refused(const http::Request& request,
                                                        absl::string_view text) {
  using enum access::SignatureVerdict;
  const access::Signature given{.algorithm = request.signature_algorithm,
                                .value = request.signature};
  const bool none = given.value.empty() || given.algorithm.empty();
  const access::SignatureVerdict verdict = keys_ != nullptr ? keys_->Check(text, given)
                                           : none           ? kMissing
                                                            : kNoKey;
  std::string answer;
  int status = 400;
  absl::string_view why;
  switch (verdict) {
    case kRight:
      return std::nullopt;
    case kMissing:
      why = "unsigned";
      answer = "Internal request missing required signature";
      break;
    case kUnknownAlgorithm:
      why = "algorithm";
      answer = absl::StrCat(
          "This worker does not support the '", given.algorithm,
          "' key signing algorithm used by other workers. This worker is currently configured to "
          "use: [",
          absl::StrJoin(keys_->options().takes, ", "),
          "]. Check that all workers' configuration files permit the same set of signature "
          "algorithms, and correct any misconfigured worker and restart it.");
      break;
    case kNoKey:
      why = "no_key";
      status = 503;
      answer =
          "This worker is still starting up and has not been able to read a session key from the "
          "config topic yet";
      break;
    case kWrong:
      why = "signature";
      status = 403;
      answer = "Internal request contained invalid signature.";
      break;
  }
  Tell(request, why, answer);
  return ErrorAnswer(status, answer);
}

void InternalRequests::Tell(const http::Request& request, absl::string_view why,
                            absl::string_view answer) {
  if (board_ != nullptr) board_->CountRefused(why);
  const absl::Duration now = clock_->Monotonic();
  uint64_t others = 0;
  {
    const MutexLock lock(mutex_);
    if (now - told_ < kTellAgain) {
      ++untold_;
      return;
    }
    told_ = now;
    others = std::exchange(untold_, 0);
  }
  log::Warn(absl::StrCat("a request of another worker was refused: ", answer),
            {{"reason", "request_signature"},
             {"method", request.method},
             {"path", request.path},
             {"others", others},
             {"hint",
              "see that no worker of another group has this one's address (`walduct status` lists "
              "the workers), and that inter.worker.* is the same in all files; nobody else signs "
              "requests"}});
}

}  // namespace walduct::serve
