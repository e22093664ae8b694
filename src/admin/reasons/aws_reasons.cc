#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "aws_credentials_expired",
     .meaning = "AWS refuses credentials that have run out.",
     .remedy = "Renew them. Where a role gives them (web identity, container, instance) they are "
               "fetched anew; it waits."},
    {.name = "aws_credentials_missing",
     .meaning = "Nowhere are there credentials of AWS.",
     .remedy = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile "
               "(sink.….credentials.profile), or attach a role to the container or instance."},
    {.name = "aws_credentials_refused",
     .meaning = "AWS does not know who asks, or the signature is wrong.",
     .remedy = "Check the credentials (aws sts get-caller-identity) and this machine's clock."},
    {.name = "aws_credentials_unreachable",
     .meaning = "Who gives out credentials (STS, the container's or the instance's endpoint) does "
                "not answer, or answers without any.",
     .remedy = "It asks again. Check the role that is attached; a container on an instance needs a "
               "hop limit of 2."},
    {.name = "aws_denied",
     .meaning = "Who asks may not do that.",
     .remedy = "Allow it in the policy of the user or role: docs/sinks.md lists what is needed. It "
               "waits."},
    {.name = "aws_missing",
     .meaning = "The queue or topic that all records go to is not there.",
     .remedy = "Create it, or check sink.sqs.queue.url, sink.sns.topic.arn, region and endpoint."},
    {.name = "aws_not_taken",
     .meaning = "A service of AWS has trouble of its own.",
     .remedy = "It waits, and sends again what was not taken."},
    {.name = "aws_profile_unsupported",
     .meaning = "The profile gets its credentials in a way that walduct does not know: role_arn, "
                "credential_process, SSO.",
     .remedy = "Give them to the environment: aws configure export-credentials --format env."},
    {.name = "aws_throttled",
     .meaning = "A service of AWS takes no more for a moment.",
     .remedy = "It waits, and sends again what was not taken. More shards, or a larger quota, let "
               "more through."},
    {.name = "aws_tls_failed",
     .meaning = "TLS with the endpoint cannot be set up.",
     .remedy = "Install ca-certificates, or name the authority of a private endpoint in "
               "walduct.sink.….ssl.ca."},
    {.name = "aws_unreachable",
     .meaning = "The endpoint cannot be reached, or does not answer in time.",
     .remedy = "Check region, sink.….endpoint and the way out of this network. It asks again; the "
               "slot keeps the WAL."},
};

}  // namespace

absl::Span<const Reason> AwsReasons() { return kRows; }

}  // namespace walduct::admin
