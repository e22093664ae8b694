// The table behind StatusFromSqlState: which error of the server or of libpq means what. The first
// rule that fits wins.
//
// Source: https://www.postgresql.org/docs/current/errcodes-appendix.html. Texts are compared only
// to tell apart what shares a SQLSTATE; a server that speaks another language gets the general rule
// of that SQLSTATE.
#pragma once

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace walduct::postgres {

struct ErrorRule {
  const char* sqlstate;  // code or class (first characters); unused for libpq's own texts
  const char* text;      // must occur in the message; "" fits always
  absl::StatusCode code;
  const char* reason;
  const char* hint;
};

absl::Span<const ErrorRule> SqlStateRules();
// For errors without SQLSTATE: name look-up, refused connections, TLS.
absl::Span<const ErrorRule> ConnectionRules();

}  // namespace walduct::postgres
