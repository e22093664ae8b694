#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "redis_authentication_failed",
     .meaning = "Redis refuses the login, or wants one.",
     .remedy = "Check sink.redis.user and sink.redis.password (of the position: "
               "offset.storage.redis.…); a provider such as ${file:…} is read again."},
    {.name = "redis_busy",
     .meaning = "Redis loads its data, runs a script, or has lost its primary.",
     .remedy = "It waits. A script that hangs ends with SCRIPT KILL."},
    {.name = "redis_cannot_persist",
     .meaning = "Redis cannot write to its disk and takes nothing (MISCONF).",
     .remedy = "See its log, free space and the rights of its folder. It waits."},
    {.name = "redis_cluster",
     .meaning = "The server belongs to a cluster, and another one has the stream.",
     .remedy = "Name a server without cluster mode, or a proxy that hides the cluster."},
    {.name = "redis_evicts",
     .meaning = "doctor: short of memory the server deletes whole streams (maxmemory-policy "
                "allkeys-…).",
     .remedy = "CONFIG SET maxmemory-policy noeviction."},
    {.name = "redis_id_behind",
     .meaning = "walduct.sink.redis.ids=position: the stream ends behind the entry, which is not "
                "there. Somebody else writes to it, or it was written with other ids.",
     .remedy = "Another stream (topic.prefix, a transform), or walduct.sink.redis.ids=auto."},
    {.name = "redis_out_of_memory",
     .meaning = "Redis has no memory left: maxmemory, or sink.redis.memory.limit.mb.",
     .remedy = "Raise it, or trim streams (XTRIM, walduct.sink.redis.maxlen). It waits."},
    {.name = "redis_permission_denied",
     .meaning = "The ACL user lacks a right.",
     .remedy = "ACL SETUSER NAME ~* +xadd +multi +exec +discard +ping +type; the message names the "
               "command."},
    {.name = "redis_read_only",
     .meaning = "The server is a replica, as after a failover.",
     .remedy = "Let the address lead to the primary. It connects again and again."},
    {.name = "redis_refused",
     .meaning = "Redis refused a command for a reason that has no name here.",
     .remedy = "The message has Redis's own words."},
    {.name = "redis_tls_failed",
     .meaning = "TLS with Redis cannot be set up.",
     .remedy = "Check ssl.truststore.path, ssl.keystore.path, and that the port speaks TLS."},
    {.name = "redis_too_few_replicas",
     .meaning = "Fewer replicas than min-replicas-to-write, or none that WAIT has found.",
     .remedy = "Bring replicas back. It waits."},
    {.name = "redis_too_old",
     .meaning = "walduct.sink.redis.ids=position needs Redis 7.",
     .remedy = "Upgrade the server, or walduct.sink.redis.ids=auto."},
    {.name = "redis_unavailable",
     .meaning = "Redis cannot be reached, or does not answer in time.",
     .remedy = "Check that it runs, address, port, ssl.enabled. It connects again and again; the "
               "slot keeps the WAL."},
    {.name = "redis_wrong_type",
     .meaning = "The key of a stream holds something else.",
     .remedy = "Rename or delete that key, or let the records go elsewhere."},
};

}  // namespace

absl::Span<const Reason> RedisReasons() { return kRows; }

}  // namespace walduct::admin
