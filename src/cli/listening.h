// What `run --listen` and walduct.listen open: a listener with the pages of the connectors.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "admin/surface.h"
#include "base/clock.h"
#include "cli/arguments.h"
#include "http/address.h"
#include "http/listener.h"

namespace walduct::loader {
struct LoadResult;
}

namespace walduct::cli {

// *address: where to listen, absent: nowhere. False: refused, with the error printed.
bool ChooseListenAddress(const Arguments& arguments, const std::vector<loader::LoadResult>& results,
                         std::optional<http::Address>* address);

class Listening {
 public:
  // connectors and clock are borrowed. An error is printed; null then.
  static std::unique_ptr<Listening> Open(const http::Address& address,
                                         const std::vector<loader::LoadResult>& results,
                                         const engine::Connectors& connectors, Clock& clock);

 private:
  explicit Listening(admin::Surface::Options options) : surface_(std::move(options)) {}

  admin::Surface surface_;
  std::unique_ptr<http::Listener> listener_;  // last: uses the surface
};

}  // namespace walduct::cli
