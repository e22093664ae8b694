// GuardedPages: pages for those who say a password where one is asked for, and the headers that a
// worker adds to its answers.
//
// Thread-safety: that of the pages.
#pragma once

#include "access/access_options.h"
#include "base/clock.h"
#include "http/message.h"

namespace walduct::access {

class GuardedPages final : public http::Handler {
 public:
  // All are borrowed.
  GuardedPages(http::Handler& pages, Clock& clock, const AccessOptions& access);

  http::Response Handle(const http::Request& request) override;

 private:
  http::Handler& pages_;
  Clock& clock_;
  const AccessOptions& access_;
};

// What Connect answers who may not ask; it names no scheme (WWW-Authenticate) either.
http::Response Unauthorized(absl::string_view content_type);

}  // namespace walduct::access
