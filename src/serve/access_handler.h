// AccessHandler: what one listener of a worker lets through to the REST interface, and what it adds
// to answers.
//
// Thread-safety: any thread.
#pragma once

#include "access/access_options.h"
#include "base/clock.h"
#include "http/message.h"
#include "serve/rest/connect_handler.h"

namespace walduct::serve {

class AccessHandler final : public http::Handler {
 public:
  // All are borrowed.
  AccessHandler(ConnectHandler& connect, Clock& clock, const access::AccessOptions& access,
                access::Listens listens);

  http::Response Handle(const http::Request& request) override;

 private:
  ConnectHandler& connect_;
  Clock& clock_;
  const access::AccessOptions& access_;
  const access::Listens listens_;
};

}  // namespace walduct::serve
