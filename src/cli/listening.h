// What `run --listen` and walduct.listen open: a listener with the pages of the connectors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "access/guarded_pages.h"
#include "admin/status_handler.h"
#include "base/clock.h"
#include "cli/console/console_side.h"
#include "console/console.h"
#include "http/listener.h"

namespace walduct::loader {
struct LoadResult;
}

namespace walduct::cli {

// *chosen: the result whose listener the process opens, null: nothing listens. False: refused, with
// the error printed.
bool ChooseListener(const std::vector<loader::LoadResult>& results,
                    const loader::LoadResult** chosen);

// The console in front of a listener's pages; status_handler: of the connectors that run here,
// side: what is kept for the console. All but options are borrowed.
console::Console::Parts ConsoleBefore(http::Handler& pages,
                                      const admin::StatusHandler& status_handler,
                                      const ConsoleSide& side, const access::AccessOptions& access,
                                      const console::ConsoleOptions& options, bool worker);

// That the end of this process cannot be noted, for its status.
std::optional<admin::ProcessNotice> NoticeOfNotes();

class Listening {
 public:
  using Notice = std::function<std::optional<admin::ProcessNotice>()>;
  // chosen, connectors and clock are borrowed. notice: what comes before that of the notes.
  static absl::StatusOr<std::unique_ptr<Listening>> Open(
      const loader::LoadResult& chosen, const std::vector<loader::LoadResult>& results,
      const engine::Connectors& connectors, Clock& clock, const Notice& notice = nullptr);

  // With the port that was free, where any was asked for.
  http::Address address() const { return listener_->address(); }

 private:
  Listening(const admin::StatusHandler::Options& options, Clock& clock,
            const loader::LoadResult& chosen);

  admin::StatusHandler status_handler_;
  const ConsoleSide side_;
  access::GuardedPages guard_;
  console::Console console_;
  std::unique_ptr<http::Listener> listener_;  // last: uses the console
};

}  // namespace walduct::cli
