#include "tests/simulation/fibers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace walduct::simulation {
namespace {

constexpr size_t kStackBytes = size_t{1} << 20;
constexpr int kMostSpins = 100'000;

// Stacks are used again: a simulation has thousands.
std::vector<std::unique_ptr<char[]>>& FreeStacks() {
  static thread_local std::vector<std::unique_ptr<char[]>> stacks;
  return stacks;
}

std::unique_ptr<char[]> TakeStack() {
  auto& stacks = FreeStacks();
  // Not cleared: only what is used of it becomes memory.
  if (stacks.empty()) return std::unique_ptr<char[]>(new char[kStackBytes]);
  std::unique_ptr<char[]> stack = std::move(stacks.back());
  stacks.pop_back();
  return stack;
}

}  // namespace

struct Fibers::Fiber {
  std::function<void()> body;
  std::unique_ptr<char[]> stack;
  ucontext_t context{};
  std::vector<int> descriptors;
  absl::Duration wakes;   // at the latest
  absl::Duration stands;  // until then nothing wakes it
  bool poked = true;
  bool ended = false;
#if defined(__SANITIZE_THREAD__)
  void* tsan = __tsan_create_fiber(0);
  void* tsan_main = __tsan_get_current_fiber();
  ~Fiber() { __tsan_destroy_fiber(tsan); }
#endif
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  const void* main_bottom = nullptr;
  size_t main_size = 0;
#endif
};

Fibers::Fibers(test::SimulatedTime* time) : time_(*time) {}

Fibers::~Fibers() {
  for (const auto& fiber : fibers_) CHECK(fiber->ended);
}

Fibers::Id Fibers::Start(std::function<void()> body) {
  auto fiber = std::make_unique<Fiber>();
  fiber->body = std::move(body);
  fiber->stack = TakeStack();
  CHECK(getcontext(&fiber->context) == 0);
  fiber->context.uc_stack.ss_sp = fiber->stack.get();
  fiber->context.uc_stack.ss_size = kStackBytes;
  fiber->context.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&fiber->context, reinterpret_cast<void (*)()>(&Fibers::Enter), 2,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self & 0xffffffff));
  fibers_.push_back(std::move(fiber));
  return fibers_.size() - 1;
}

void Fibers::Enter(unsigned high, unsigned low) {
  auto* self = reinterpret_cast<Fibers*>((static_cast<uintptr_t>(high) << 32) | low);
  Fiber* fiber = self->current_;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &fiber->main_bottom, &fiber->main_size);
#endif
  fiber->body();
  fiber->ended = true;
  self->SwitchBack();
}

bool Fibers::ended(Id id) const { return fibers_[id]->ended; }

bool Fibers::RunUntil(const std::function<bool()>& done, absl::Duration deadline) {
  int spins = 0;
  while (!done() && time_.Monotonic() < deadline) {
    if (Fiber* next = Runnable()) {
      if (++spins > kMostSpins) return false;
      SwitchTo(next);
      continue;
    }
    spins = 0;
    absl::Duration until = deadline;
    for (const auto& fiber : fibers_) {
      if (!fiber->ended) until = std::min(until, std::max(fiber->wakes, fiber->stands));
    }
    time_.WaitReadable({}, until - time_.Monotonic());
  }
  return true;
}

// In turn.
Fibers::Fiber* Fibers::Runnable() {
  const absl::Duration now = time_.Monotonic();
  for (size_t i = 0; i < fibers_.size(); ++i) {
    Fiber* fiber = fibers_[(turn_ + i) % fibers_.size()].get();
    if (fiber->ended || now < fiber->stands) continue;
    const bool readable =
        std::any_of(fiber->descriptors.begin(), fiber->descriptors.end(),
                    [this](int descriptor) { return time_.IsReadable(descriptor); });
    if (!readable && !fiber->poked && now < fiber->wakes) continue;
    turn_ = (turn_ + i + 1) % fibers_.size();
    return fiber;
  }
  return nullptr;
}

void Fibers::Wait(std::initializer_list<int> descriptors, absl::Duration timeout) {
  Fiber* fiber = current_;
  CHECK(fiber != nullptr && timeout < absl::InfiniteDuration());
  fiber->descriptors.assign(descriptors.begin(), descriptors.end());
  fiber->wakes = time_.Monotonic() + std::max(timeout, absl::ZeroDuration());
  SwitchBack();
  fiber->poked = false;
}

void Fibers::Stand(absl::Duration duration) {
  Fiber* fiber = current_;
  CHECK(fiber != nullptr);
  fiber->stands = fiber->wakes = time_.Monotonic() + duration;
  SwitchBack();
}

void Fibers::Poke(Id id) { fibers_[id]->poked = true; }

void Fibers::SwitchTo(Fiber* fiber) {
  current_ = fiber;
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(fiber->tsan, 0);
#endif
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, fiber->stack.get(), kStackBytes);
#endif
  CHECK(swapcontext(&main_, &fiber->context) == 0);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  current_ = nullptr;
  if (fiber->ended && fiber->stack) FreeStacks().push_back(std::move(fiber->stack));
}

void Fibers::SwitchBack() {
  Fiber* fiber = current_;
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(fiber->tsan_main, 0);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fiber->ended ? nullptr : &fiber->fake_stack, fiber->main_bottom,
                                 fiber->main_size);
#endif
  CHECK(swapcontext(&fiber->context, &main_) == 0);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fiber->fake_stack, &fiber->main_bottom, &fiber->main_size);
#endif
}

}  // namespace walduct::simulation
