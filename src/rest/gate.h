// Gate: what one listener of a worker lets through to the interface, and what it adds to answers.
//
// Thread-safety: any thread.
#pragma once

#include "base/clock.h"
#include "http/message.h"
#include "rest/access/access_options.h"
#include "rest/interface.h"

namespace walduct::rest {

class Gate final : public http::Handler {
 public:
  // All are borrowed.
  Gate(Interface& interface, Clock& clock, const AccessOptions& access, Listens listens);

  http::Response Handle(const http::Request& request) override;

 private:
  Interface& interface_;
  Clock& clock_;
  const AccessOptions& access_;
  const Listens listens_;
};

}  // namespace walduct::rest
