#include "redis/error.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::redis {
namespace {

using Code = absl::StatusCode;

struct Row {
  absl::string_view word;  // the answer's first
  Code code;
  absl::string_view reason, hint;
};

constexpr absl::string_view kBusyHint = "it goes on by itself";
constexpr absl::string_view kClusterHint =
    "walduct does not follow a cluster: name a Redis server without cluster mode, or a proxy that "
    "hides it";
constexpr absl::string_view kLoginHint =
    "check sink.redis.user and sink.redis.password (of the position: offset.storage.redis.…); a "
    "provider such as ${file:…} is read again";

constexpr Row kRows[] = {
    {"OOM", Code::kUnavailable, "redis_out_of_memory",
     "raise maxmemory, or trim streams: XTRIM NAME MAXLEN ~ N, walduct.sink.redis.maxlen"},
    {"READONLY", Code::kUnavailable, "redis_read_only",
     "the server is a replica, as after a failover: let sink.redis.address lead to the primary"},
    {"NOREPLICAS", Code::kUnavailable, "redis_too_few_replicas",
     "bring the replicas back, or lower min-replicas-to-write"},
    {"MISCONF", Code::kUnavailable, "redis_cannot_persist",
     "the server cannot write to its disk: see its log, free space and rights of its folder"},
    {"LOADING", Code::kUnavailable, "redis_busy", kBusyHint},
    {"BUSY", Code::kUnavailable, "redis_busy", "a script blocks the server: SCRIPT KILL"},
    {"MASTERDOWN", Code::kUnavailable, "redis_busy", kBusyHint},
    {"CLUSTERDOWN", Code::kUnavailable, "redis_busy", kBusyHint},
    {"TRYAGAIN", Code::kUnavailable, "redis_busy", kBusyHint},
    {"NOPERM", Code::kPermissionDenied, "redis_permission_denied",
     "ACL SETUSER NAME ~* +xadd +multi +exec +discard +ping +type (with ids=position also +xrange "
     "+xrevrange, for "
     "the position +hgetall +hset +hdel +watch)"},
    {"NOAUTH", Code::kUnauthenticated, "redis_authentication_failed", kLoginHint},
    {"WRONGPASS", Code::kUnauthenticated, "redis_authentication_failed", kLoginHint},
    {"WRONGTYPE", Code::kFailedPrecondition, "redis_wrong_type",
     "rename or delete that key (TYPE NAME says what it holds), or let the records go elsewhere "
     "(topic.prefix, a transform)"},
    {"MOVED", Code::kFailedPrecondition, "redis_cluster", kClusterHint},
    {"ASK", Code::kFailedPrecondition, "redis_cluster", kClusterHint},
    {"CROSSSLOT", Code::kFailedPrecondition, "redis_cluster", kClusterHint},
};

constexpr Row kOther{"", Code::kFailedPrecondition, "redis_refused",
                     "see the server's log; Redis 5 or later has streams"};

// An unknown command is told with its arguments, which are values of rows.
absl::string_view WithoutArguments(absl::string_view answer) {
  for (const absl::string_view mark : {", with args", " with args"}) {
    if (const size_t at = answer.find(mark); at != absl::string_view::npos)
      return answer.substr(0, at);
  }
  return answer.substr(0, 300);
}

}  // namespace

absl::Status AnswerError(absl::string_view answer, absl::string_view address) {
  // EXEC tells why it was refused behind its own word.
  constexpr absl::string_view kBecause = "because of: ";
  if (const size_t at = answer.find(kBecause);
      absl::StartsWith(answer, "EXECABORT") && at != absl::string_view::npos)
    answer.remove_prefix(at + kBecause.size());
  const absl::string_view word = answer.substr(0, answer.find(' '));
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [word](const Row& known) { return known.word == word; });
  if (row == std::end(kRows)) row = &kOther;
  // A password where none is set, or none where one is.
  if (row == &kOther && absl::StrContains(answer, "AUTH")) row = &kRows[10];
  return Error(row->code, row->reason,
               absl::StrCat("Redis at ", address, ": ", WithoutArguments(answer)), row->hint);
}

bool IsOtherServer(const absl::Status& error) { return ErrorReason(error) == "redis_read_only"; }

}  // namespace walduct::redis
