// What ClientOptions mean for a handle of libcurl, for whoever drives one by himself.
#pragma once

#include "absl/status/status.h"
#include "http/client.h"
#include "http/curl_library.h"

namespace walduct::http {

// All but headers, logins and what is done with an answer. error: the handle's buffer, or null.
// FailedPrecondition: a certificate cannot be used.
absl::Status SetEasyOptions(const CurlLibrary& curl, CURL* easy, const ClientOptions& options,
                            const char* error);

}  // namespace walduct::http
