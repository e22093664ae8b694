// HashGroup: the smallest group that shares connectors out: workers of one process, each of which
// owns the names that a hash gives it. When members come and go names move: whoever has one ends it
// first. What it takes to write an assignment, and no more.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/mutex.h"
#include "serve/assignment/assignment.h"

namespace walduct::test {

class HashGroup {
 public:
  class Member final : public serve::Assignment {
   public:
    Member(HashGroup& group, std::string id) : group_(group), id_(std::move(id)) {}

    bool Owns(absl::string_view connector) const override { return group_.Owns(this, connector); }
    absl::Status Confirmed() const override {
      return group_.Has(this) ? absl::OkStatus() : absl::AbortedError("not a member");
    }
    Leader leader() const override {
      const Member* const first = group_.First();
      return {.self = first == this, .worker = first == nullptr || first == this ? "" : first->id_};
    }

   private:
    friend class HashGroup;
    HashGroup& group_;
    const std::string id_;
  };

  // From now on these, the first of which leads. The members that there were are told first; who
  // owns a name next does so when all of them are done.
  void SetMembers(std::vector<Member*> members) {
    std::vector<Member*> before;
    {
      const MutexLock lock(mutex_);
      next_ = std::move(members);
      before = now_;
      waits_for_ = before.size();
    }
    for (Member* const one : before) one->Revoke([this] { OnDone(); });
    if (before.empty()) Complete();
  }
  // Called when names are handed over.
  std::function<void()> on_handed_over;

 private:
  static Member* OwnerIn(const std::vector<Member*>& members, absl::string_view name) {
    return members.empty() ? nullptr
                           : members[static_cast<unsigned char>(name.back()) % members.size()];
  }
  bool Owns(const Member* member, absl::string_view name) const {
    const MutexLock lock(mutex_);
    return OwnerIn(now_, name) == member && OwnerIn(next_, name) == member;
  }
  bool Has(const Member* member) const {
    const MutexLock lock(mutex_);
    return absl::c_linear_search(now_, member);
  }
  const Member* First() const {
    const MutexLock lock(mutex_);
    return now_.empty() ? nullptr : now_.front();
  }
  void OnDone() {
    {
      const MutexLock lock(mutex_);
      if (--waits_for_ > 0) return;
    }
    Complete();
  }
  void Complete() {
    if (on_handed_over) on_handed_over();
    std::vector<Member*> now;
    {
      const MutexLock lock(mutex_);
      now = now_ = next_;
    }
    for (Member* const one : now) one->Changed();
  }

  mutable Mutex mutex_;
  std::vector<Member*> now_ ABSL_GUARDED_BY(mutex_);
  std::vector<Member*> next_ ABSL_GUARDED_BY(mutex_);
  size_t waits_for_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace walduct::test
