#include "rest/gate.h"

namespace walduct::rest {

Gate::Gate(Interface& interface, Clock& clock, const AccessOptions& access, Listens listens)
    : interface_(interface), clock_(clock), access_(access), listens_(listens) {}

// A listener of admin.listeners asks for no password and adds no header, as Connect's.
http::Response Gate::Handle(const http::Request& request) {
  if (listens_ == Listens::kAdminOnly) return interface_.Answer(request, {.others = false});
  http::Response response = interface_.Answer(
      request, {.admin = listens_ == Listens::kAll, .passwords = access_.passwords.get()});
  access_.cross_origin.AddTo(request, &response);
  access_.headers.AddTo(clock_.Now(), &response);
  return response;
}

}  // namespace walduct::rest
