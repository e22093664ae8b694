#include "admin/reasons/tables.h"

namespace walduct::admin {
namespace {

constexpr Reason kRows[] = {
    {.name = "attempts_used_up",
     .meaning =
         "A record was not taken in as many attempts as sink.http.retries, or default.retries "
         "of kinesis and sns, says.",
     .remedy = "Mend the receiver, or remove that property: then it is waited for without "
               "end. walduct.errors.exhausted says what becomes of the record."},
    {.name = "http_login_refused",
     .meaning = "sink.http.authentication.type=jwt or oauth2: no token is given out.",
     .remedy = "Check the address, the name and the password."},
    {.name = "http_not_taken",
     .meaning = "The receiver answers with a status that may pass: 3xx, 401, 408, 425, 429, 5xx.",
     .remedy = "See its log. It waits, with growing pauses, or as long as Retry-After says."},
    {.name = "http_tls_failed",
     .meaning = "The receiver's certificate is not trusted, or it wants one of ours.",
     .remedy = "walduct.sink.http.ssl.ca, walduct.sink.http.ssl.certificate and ….key."},
    {.name = "receiver_gone",
     .meaning = "The receiver answers with HTTP status 410: it is gone for good.",
     .remedy = "Name another one in sink.http.url. walduct.errors.gone=dead.letter keeps the "
               "records, skip lets them go."},
    {.name = "receiver_refuses",
     .meaning = "The receiver answers with HTTP status 403, 404 or 405: it takes nothing there, "
                "whatever the record is.",
     .remedy = "sink.http.url and sink.http.authentication.…. walduct.errors.refused says what "
               "becomes of the records; a polled outbox table counts no attempt."},
};

}  // namespace

absl::Span<const Reason> HttpReasons() { return kRows; }

}  // namespace walduct::admin
