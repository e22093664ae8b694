#include "access/guarded_pages.h"

#include <string>

namespace walduct::access {

GuardedPages::GuardedPages(http::Handler& pages, Clock& clock, const AccessOptions& access)
    : pages_(pages), clock_(clock), access_(access) {}

http::Response GuardedPages::Handle(const http::Request& request) {
  const bool admitted =
      access_.passwords == nullptr || access_.passwords->Admits(request.authorization);
  http::Response response = admitted ? pages_.Handle(request) : Unauthorized("text/plain");
  access_.cross_origin.AddTo(request, &response);
  access_.headers.AddTo(clock_.Now(), &response);
  return response;
}

http::Response Unauthorized(absl::string_view content_type) {
  return {.status = 401,
          .content_type = std::string(content_type),
          .body = "User cannot access the resource."};
}

}  // namespace walduct::access
