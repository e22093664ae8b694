// GroupModel: workers that share a group, its coordinator and its topics in simulated time. Workers
// are stopped, cut off, killed and told to end; what they write may arrive late. A connector's
// reader is what nobody may have two of, and clients change configurations (group_requests.h).
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kafka/group/group_timing.h"
#include "serve/assignment/shared_group.h"
#include "serve/topics/topic_formats.h"
#include "tests/serve/group_requests.h"
#include "tests/support/simulated_time.h"

namespace walduct::test {

class GroupModel {
 public:
  static constexpr absl::Duration kStep = absl::Milliseconds(100);
  static constexpr int kWorkers = 4, kConnectors = 7;

  GroupModel(uint64_t seed, Defect defect)
      : random_(seed),
        defect_(defect),
        asked_random_(seed),
        requests_({.look = [this](int worker) { return Seen(worker); },
                   .find = [this](const std::string& url) { return Find(url); },
                   .kill = [this](int worker) { Kill(*workers_[static_cast<size_t>(worker)]); },
                   .workers = kWorkers,
                   .connectors = kConnectors},
                  defect, asked_random_) {
    for (int i = 0; i < kConnectors; ++i) weights_[absl::StrCat("c", i)] = i == 0 ? 2 : 1;
    for (int i = 0; i < kWorkers; ++i) {
      workers_.push_back(std::make_unique<One>());
      workers_.back()->url = absl::StrCat("http://w", i, ":1");
      workers_.back()->life_begins = now() + Seconds(i);
    }
  }

  // Faults for that long, then none.
  void Run(absl::Duration faults, absl::Duration quiet) {
    faults += now();
    for (const absl::Duration end = faults + quiet; now() < end;) {
      time_.Advance(kStep);
      Coordinate();
      for (auto& one : workers_) {
        if (now() < faults) Hurt(*one);
        Step(*one);
      }
      requests_.Step(now(), now() < faults);
      Check();
    }
  }

  // How often a connector came to have two readers, and for how long at the most.
  int conflicts() const { return conflicts_; }
  absl::Duration longest() const { return longest_; }
  // The same of two that follow one plan: none has to wait for the other one's end then.
  int of_one_plan() const { return of_one_plan_; }
  const GroupRequests::Seen& requests() const { return requests_.seen(); }

  // Once nothing has happened for a while: who runs what, told alike by everybody.
  std::string Unsettled() {
    std::map<std::string, std::string> readers;
    std::map<std::string, int> loads;
    for (const auto& one : workers_) {
      if (one->group) loads[one->url] = 0;
      for (const auto& [name, reader] : one->readers) readers[name] = one->url;
    }
    for (const auto& [name, url] : readers) loads[url] += weights_.at(name);
    if (readers.size() != weights_.size())
      return absl::StrCat(readers.size(), " of ", weights_.size(), " connectors run");
    const auto [least, most] = std::minmax_element(
        loads.begin(), loads.end(), [](auto& a, auto& b) { return a.second < b.second; });
    if (requests_.open() > 0) return absl::StrCat(requests_.open(), " requests are not answered");
    if (most->second - least->second > 1)
      return absl::StrCat(most->first, " has ", most->second, ", ", least->first, " ",
                          least->second);
    for (const auto& one : workers_) {
      if (!one->group) continue;
      for (const auto& [name, url] : readers) {
        const auto where = one->group->WhereIs(name);
        if (where ? !where->runs || where->url != url : url != one->url)
          return absl::StrCat(one->url, " does not know that ", name, " runs on ", url);
      }
    }
    return "";
  }

 private:
  struct Record {
    serve::InternalTopic topic;
    serve::TopicEntry entry;
  };
  struct Reader {
    absl::Duration ends = absl::InfiniteDuration();  // it was told to
    bool said = false;                               // that it runs
  };
  struct One;

  // Of one worker; the records are everybody's.
  class Topics final : public serve::InternalTopics {
   public:
    Topics(GroupModel& model, One& one) : model_(model), one_(one) {}
    absl::Status Write(serve::InternalTopic topic,
                       const std::vector<serve::TopicEntry>& entries) override {
      const bool late = model_.Chance(30);
      const auto append = [&model = model_, topic, entries] {
        for (const auto& entry : entries) model.records_.push_back({topic, entry});
      };
      if (one_.cut) return absl::UnavailableError("cut off");
      if (!late) return append(), absl::OkStatus();
      // Others may lead by then. What comes later than a session the slots alone keep apart.
      model_.time_.After(model_.Seconds(static_cast<int>(model_.random_() % 4)), append);
      return absl::UnavailableError("no answer yet");
    }
    absl::Status Read(serve::InternalTopic, const Handler&) override { return absl::OkStatus(); }

   private:
    GroupModel& model_;
    One& one_;
  };

  struct One {
    std::string url;
    int life = 0;
    std::unique_ptr<Topics> topics;
    std::unique_ptr<serve::SharedGroup> group;  // null: the process is not there
    std::map<std::string, Reader> readers;
    size_t read = 0;  // records
    bool caught_up = false, serves = false, cut = false;
    absl::Duration stopped_at = {}, stopped_until = {}, cut_until = {}, life_begins = {};
    absl::Duration next_beat = {}, last_beat = -absl::InfiniteDuration(), next_question = {};
    std::optional<absl::Duration> asked;  // not answered yet
    kafka::SeatView view;
  };

  static absl::Duration Seconds(int seconds) { return absl::Seconds(seconds); }
  absl::Duration now() { return time_.Monotonic(); }
  bool Chance(unsigned one_in) { return random_() % one_in == 0; }

  GroupRequests::Worker Seen(int worker) {
    const One& one = *workers_[static_cast<size_t>(worker)];
    return {.life = one.life,
            .group = one.group.get(),
            .stands = now() < one.stopped_until,
            .cut = one.cut};
  }
  int Find(const std::string& url) const {
    for (int i = 0; i < kWorkers; ++i)
      if (workers_[static_cast<size_t>(i)]->url == url) return i;
    return -1;
  }

  void Begin(One& one) {
    ++one.life;
    one.topics = std::make_unique<Topics>(*this, one);
    one.view = {};
    one.group = std::make_unique<serve::SharedGroup>(
        serve::SharedGroup::Parts{.topics = one.topics.get(),
                                  .environment = time_.environment(),
                                  .group = "g",
                                  .url = one.url,
                                  .view = [&one] { return one.view; },
                                  .confirmed = [this, &one] { return Confirmed(one); },
                                  .weights = [this] { return std::optional(weights_); }});
    one.read = 0;
    one.caught_up = one.serves = false;
    one.next_beat = one.next_question = now();
    one.last_beat = -absl::InfiniteDuration();
    one.asked.reset();
  }

  void Kill(One& one) {
    one.readers.clear();
    one.group.reset();
    one.stopped_until = one.cut_until = {};
    one.life_begins = now() + Seconds(1 + static_cast<int>(random_() % 20));
  }

  void Hurt(One& one) {
    if (!one.group || !Chance(400)) return;
    const absl::Duration lasts = Seconds(1 + static_cast<int>(random_() % 40));
    switch (random_() % 4) {
      case 0:
        one.stopped_at = now();
        one.stopped_until = now() + lasts;
        break;
      case 1:
        one.cut_until = now() + lasts;
        break;
      case 2:
        Kill(one);
        break;
      default:  // it leaves the group
        Leave(one);
        members_.erase(Member(one));
        if (seat_ == Member(one)) seat_.clear();
        Kill(one);
    }
  }

  // In order: what it ran has ended, which it says.
  void Leave(One& one) {
    one.readers.clear();
    if (!Confirmed(one).ok()) return;
    for (const auto& [name, weight] : weights_)
      if (one.group->Owns(name)) Say(one, name, "UNASSIGNED", one.group->GenerationOf(name));
    one.group->HandOver();
  }

  static std::string Member(const One& one) { return absl::StrCat(one.url, "#", one.life); }

  kafka::SeatVerdict Judge(One& one) {
    return kafka::JudgeShare(one.view, now(), kafka::GroupTiming().lease(), one.serves);
  }
  absl::Status Confirmed(One& one) {
    return Judge(one) == kafka::SeatVerdict::kOurs ? absl::OkStatus()
                                                   : absl::AbortedError("not a member");
  }

  // Members that were not heard of for a session are none any more.
  void Coordinate() {
    for (auto member = members_.begin(); member != members_.end();) {
      if (now() - member->second < kafka::GroupTiming().session) {
        ++member;
        continue;
      }
      if (seat_ == member->first) seat_.clear();
      member = members_.erase(member);
    }
    if (seat_.empty() && !members_.empty()) {
      auto next = members_.begin();
      std::advance(next, random_() % members_.size());
      seat_ = next->first;
    }
  }

  void AskBrokers(One& one) {
    one.cut = now() < one.cut_until;
    if (one.cut) {
      if (one.view.answered && now() - one.last_beat > Seconds(1)) {
        one.view.answered = false;
        one.view.silent_since = now();
      }
      if (defect_ == Defect::kStaysAfterTheLease) one.view.listed_at = now();
      // By its own clock.
      if (now() - one.last_beat >= kafka::GroupTiming().session) one.view.held = false;
      one.asked.reset();
      return;
    }
    if (now() >= one.next_beat) {
      members_[Member(one)] = one.last_beat = now();
      one.view.held = seat_ == Member(one);
      one.next_beat = now() + kafka::GroupTiming().heartbeat;
    }
    if (one.asked && Chance(3)) Answer(one);
    if (!one.asked && now() >= one.next_question) {
      one.asked = now();
      one.next_question = now() + absl::Milliseconds(500);
    }
  }

  void Answer(One& one) {
    kafka::SeatView& view = one.view;
    view.answered = true;
    view.members.clear();
    view.others = 0;
    view.holder.clear();
    for (const auto& [member, beat] : members_) {
      const std::string url = member.substr(0, member.find('#'));
      const bool self = member == Member(one);
      view.members.push_back({.client = url, .self = self, .host = url});
      if (self) view.listed_at = *one.asked;
      if (self) continue;
      ++view.others;
      if (member == seat_) view.holder = url + " at 10.0.0.1";
    }
    one.asked.reset();
  }

  void Follow(One& one) {
    const bool news = one.caught_up;
    for (size_t some = random_() % 8; some > 0 && one.read < records_.size(); --some) {
      const Record record = records_[one.read++];
      if (record.topic == serve::InternalTopic::kStatus) {
        std::optional<absl::string_view> value;
        if (record.entry.value) value = *record.entry.value;
        one.group->TakeStatus(record.entry.key, value);
      } else if (record.entry.value) {
        one.group->TakePlan(*record.entry.value, news);
      }
    }
    if (one.read == records_.size() && !std::exchange(one.caught_up, true)) one.group->BeCaughtUp();
  }

  void Step(One& one) {
    if (!one.group && now() >= one.life_begins) Begin(one);
    if (!one.group || now() < one.stopped_until) return;
    // Before all else: what the data thread may not send any more, and sessions of slots, which the
    // server has ended by its sender's timeout; the client's own clock.
    if (std::exchange(one.stopped_until, absl::ZeroDuration()) > absl::ZeroDuration()) {
      const bool long_ago = now() - one.stopped_at >= kafka::GroupTiming().lease();
      std::erase_if(one.readers,
                    [&](const auto& reader) { return long_ago || !one.group->Owns(reader.first); });
    }
    if (now() - one.last_beat >= kafka::GroupTiming().session) one.view.held = false;
    AskBrokers(one);
    if (!one.cut) Follow(one);
    const kafka::SeatVerdict verdict = Judge(one);
    if (!one.serves) {
      one.serves = one.caught_up && verdict == kafka::SeatVerdict::kOurs;
    } else if (verdict == kafka::SeatVerdict::kTaken ||
               verdict == kafka::SeatVerdict::kMayBeTaken) {
      // It waits for its turn anew, and reads the topics to their ends before.
      one.serves = one.caught_up = false;
      one.read = 0;
    }
    one.group->Turn(one.serves);
    Read(one);
  }

  void Say(One& one, const std::string& name, const std::string& state, int64_t generation) {
    static_cast<void>(one.topics->Write(
        serve::InternalTopic::kStatus,
        {{.key = serve::ConnectorStatusKey(name),
          .value = serve::StatusValue({.state = state, .trace = {}, .version = {}},
                                      serve::WorkerOfUrl(one.url), generation)}}));
  }

  // As a worker's thread: ends what is not owned, begins what is, says both.
  void Read(One& one) {
    for (auto reader = one.readers.begin(); reader != one.readers.end();) {
      const bool owned = one.group->Owns(reader->first);
      if (!owned && reader->second.ends == absl::InfiniteDuration())
        reader->second.ends = now() + absl::Milliseconds(static_cast<int64_t>(random_() % 300));
      reader = now() >= reader->second.ends ? one.readers.erase(reader) : std::next(reader);
    }
    if (!Confirmed(one).ok()) return;
    for (const auto& [name, weight] : weights_) {
      if (!one.group->Owns(name)) continue;
      Reader& reader = one.readers[name];
      if (reader.said && !Chance(50)) continue;
      reader.said = true;
      Say(one, name, "RUNNING", one.group->GenerationOf(name));
    }
    for (const auto& [name, generation] : one.group->Leaving())
      if (!one.readers.contains(name) || defect_ == Defect::kSaysEndedBeforeItHas)
        Say(one, name, "UNASSIGNED", generation);
  }

  // A process that stands still is no reader: its slot's session ends within the sender's timeout,
  // and what it does first when it goes on is to look at its clock.
  void Check() {
    std::map<std::string, int> readers;
    for (const auto& one : workers_) {
      // One that was alone when it was cut off goes on, with its slots.
      const bool goes_on = one->cut && one->view.others == 0;
      if (!one->group || now() < one->stopped_until || goes_on) continue;
      for (const auto& [name, reader] : one->readers) ++readers[name];
    }
    for (const auto& [name, weight] : weights_) {
      absl::Duration& lasts = together_[name];
      if (readers[name] < 2) {
        lasts = {};
        continue;
      }
      if (lasts == absl::ZeroDuration()) {
        ++conflicts_;
        std::set<int64_t> epochs;
        for (const auto& one : workers_)
          if (now() >= one->stopped_until && one->readers.contains(name))
            epochs.insert(one->group->View().epoch);
        of_one_plan_ += epochs.size() == 1 ? 1 : 0;
      }
      lasts += kStep;
      longest_ = std::max(longest_, lasts);
    }
  }

  std::mt19937_64 random_;
  const Defect defect_;
  SimulatedTime time_;
  std::map<std::string, int> weights_;
  std::vector<std::unique_ptr<One>> workers_;
  std::vector<Record> records_;
  std::map<std::string, absl::Duration> members_;  // of the coordinator: last beats
  std::string seat_;
  std::map<std::string, absl::Duration> together_;
  int conflicts_ = 0, of_one_plan_ = 0;
  absl::Duration longest_ = {};
  std::mt19937_64 asked_random_;
  GroupRequests requests_;
};

}  // namespace walduct::test
