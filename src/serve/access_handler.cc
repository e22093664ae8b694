#include "serve/access_handler.h"

namespace walduct::serve {

AccessHandler::AccessHandler(ConnectHandler& connect, Clock& clock,
                             const access::AccessOptions& access, access::Listens listens)
    : connect_(connect), clock_(clock), access_(access), listens_(listens) {}

// A listener of admin.listeners asks for no password and adds no header, as Connect's.
http::Response AccessHandler::Handle(const http::Request& request) {
  if (listens_ == access::Listens::kAdminOnly) return connect_.Answer(request, {.others = false});
  http::Response response = connect_.Answer(
      request, {.admin = listens_ == access::Listens::kAll, .passwords = access_.passwords.get()});
  access_.cross_origin.AddTo(request, &response);
  access_.headers.AddTo(clock_.Now(), &response);
  return response;
}

}  // namespace walduct::serve
