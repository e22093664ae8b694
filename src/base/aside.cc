#include "base/aside.h"

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/wake.h"

namespace walduct {
namespace {

class Answer {
 public:
  void Give(absl::Status answer) {
    {
      const MutexLock lock(mutex_);
      answer_ = std::move(answer);
    }
    given_.Signal();
  }
  std::optional<absl::Status> Take() {
    const MutexLock lock(mutex_);
    return answer_;
  }
  int fd() const { return given_.fd(); }

 private:
  Wake given_;
  Mutex mutex_;
  std::optional<absl::Status> answer_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::Status RunAside(std::function<absl::Status()> work, const Environment& environment,
                      Stopping stopping) {
  const auto answer = std::make_shared<Answer>();
  std::thread([answer, work = std::move(work)] { answer->Give(work()); }).detach();
  while (true) {
    if (const auto given = answer->Take()) return *given;
    if (stopping()) return Interrupted();
    environment.poller->WaitReadable({answer->fd()}, kStoppingLook);
  }
}

}  // namespace walduct
