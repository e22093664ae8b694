// GroupRequests: changes of configurations that clients ask the workers of a simulated group for.
// A client asks any worker; who does not lead sends the request on, at most twice. Workers end or
// stand still with a request, answers get lost, and a client that hears nothing asks again.
//
// A configuration is the set of changes that were made to it: who writes one from what he knows
// undoes the changes that he does not know.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "serve/assignment/forwarding.h"
#include "serve/assignment/shared_group.h"

namespace walduct::test {

// What a test plants, to see that it is found.
enum class Defect {
  kNone,
  kSaysEndedBeforeItHas,
  kStaysAfterTheLease,
  kWritesOnceItHasLed,        // who led once writes configurations as long as it lives
  kWritesWithoutReading,      // a new leader does not read what the one before it wrote
  kTakesNoAnswerForAnAnswer,  // of who was sent a request, and did not answer
};

class GroupRequests {
 public:
  // A worker as it is now.
  struct Worker {
    int life = 0;
    const serve::SharedGroup* group = nullptr;  // null: the process is not there
    bool stands = false;                        // still
    bool cut = false;                           // from the brokers
  };
  struct World {
    std::function<Worker(int worker)> look;
    std::function<int(const std::string& url)> find;
    std::function<void(int worker)> kill;
    int workers = 0, connectors = 0;
  };
  struct Seen {
    int two_leaders = 0;  // moments in which two workers would have written
    int undone = 0;       // changes that were answered, by who did not know them
    int lost = 0;         // changes that were answered, and are in no record
    int done = 0;
    int overtaken = 0;  // by a write of an earlier leader that had been held up
  };

  GroupRequests(World world, Defect defect, std::mt19937_64& random)
      : world_(std::move(world)),
        defect_(defect),
        random_(random),
        readers_(static_cast<size_t>(world_.workers)),
        acknowledged_(static_cast<size_t>(world_.connectors)) {}

  // asks: clients have new wishes; and workers die of writing.
  void Step(absl::Duration now, bool asks) {
    now_ = now;
    faults_ = asks;
    Land([now](const UnderWay& one) { return one.lands <= now; });
    for (int i = 0; i < world_.workers; ++i) Follow(i);
    LookWhoLeads();
    if (asks && Chance(3)) Ask(++last_, Random(world_.connectors));
    // What a step makes has its turn in the next one.
    for (size_t i = 0, open = requests_.size(); i < open; ++i) Serve(i);
    std::erase_if(requests_, [](const Request& one) { return one.over; });
  }

  const Seen& seen() const { return seen_; }
  // Requests that clients still wait for.
  int open() const {
    return static_cast<int>(std::count_if(requests_.begin(), requests_.end(),
                                          [](const Request& one) { return !one.forgotten; }));
  }

 private:
  using Changes = std::set<int>;
  static constexpr absl::Duration kPatience = absl::Seconds(10);

  struct Place {
    int worker = 0, life = 0;
  };
  struct Request {
    int change = 0, connector = 0;
    std::vector<Place> path;  // the client's worker, and whom it was sent on to
    absl::Duration arrives = {}, until = {};
    std::optional<bool> answer = {};
    bool forgotten = false;  // the client has asked again
    bool over = false;
  };
  struct Record {
    int connector = 0;
    Changes changes;
  };
  struct UnderWay {
    Place of;
    absl::Duration lands;
    Record record;
  };
  // What a worker knows of the topic.
  struct Reader {
    int life = 0;
    uint64_t reading = 0;
    size_t read = 0, told = 0;  // records
    bool stale = true, led = false;
    std::map<int, Changes> known = {};
  };

  bool Chance(unsigned one_in) { return random_() % one_in == 0; }
  int Random(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  absl::Duration Soon() { return now_ + absl::Milliseconds(Random(300)); }

  Reader& ReaderOf(int worker, const Worker& one) {
    Reader& reader = readers_[static_cast<size_t>(worker)];
    if (reader.life != one.life) {
      reader = {.life = one.life};
      ReadAll(reader);  // as every worker does when it begins
    }
    return reader;
  }

  void Follow(int worker) {
    const Worker one = world_.look(worker);
    if (one.group != nullptr && !one.stands && !one.cut && Chance(3))
      ReaderOf(worker, one).told = topic_.size();
  }

  bool MayWrite(int worker, const Worker& one) {
    const bool leads = serve::CheckLeads(*one.group, "g").ok();
    Reader& reader = ReaderOf(worker, one);
    reader.led = reader.led || leads;
    return leads || (defect_ == Defect::kWritesOnceItHasLed && reader.led);
  }

  void LookWhoLeads() {
    int leaders = 0;
    for (int i = 0; i < world_.workers; ++i) {
      const Worker one = world_.look(i);
      if (one.group != nullptr && !one.stands && !one.cut && MayWrite(i, one)) ++leaders;
    }
    if (leaders > 1) ++seen_.two_leaders;
  }

  void Ask(int change, int connector, absl::Duration wait = {}) {
    const int worker = Random(world_.workers);
    requests_.push_back({.change = change,
                         .connector = connector,
                         .path = {{.worker = worker, .life = world_.look(worker).life}},
                         .arrives = Soon() + wait,
                         .until = now_ + wait + kPatience});
  }

  void AskAgain(size_t i) {
    const bool again = !std::exchange(requests_[i].forgotten, true);
    const int change = requests_[i].change, connector = requests_[i].connector;
    if (again) Ask(change, connector, absl::Milliseconds(500));
  }

  void Serve(size_t i) {
    if (now_ >= requests_[i].until) AskAgain(i);
    Request& request = requests_[i];
    if (now_ < request.arrives) return;
    const Place at = request.path.back();
    const Worker one = world_.look(at.worker);
    if (one.group == nullptr || one.life != at.life) return NoAnswer(i);
    if (one.stands) return;
    if (request.answer) return GoBack(i);
    if (MayWrite(at.worker, one)) return Answer(i, Change(at, one, request));
    const int leader = world_.find(one.group->leader().url);
    if (leader < 0 || leader == at.worker || request.path.size() > 2) return Answer(i, false);
    request.path.push_back({.worker = leader, .life = world_.look(leader).life});
    request.arrives = Soon();
  }

  // By the worker that has it; it may end before.
  void Answer(size_t i, bool done) {
    const int worker = requests_[i].path.back().worker;
    if (done && faults_ && Chance(300)) world_.kill(worker);
    if (Chance(20)) return NoAnswer(i);
    requests_[i].answer = done;
    GoBack(i);
  }

  void GoBack(size_t i) {
    Request& request = requests_[i];
    request.path.pop_back();
    request.arrives = Soon();
    if (!request.path.empty()) return;
    request.over = true;
    if (!*request.answer) return AskAgain(i);
    if (request.forgotten) return;
    ++seen_.done;
    if (!written_.contains(request.change)) ++seen_.lost;
    if (overtaken_.contains(request.change)) {
      ++seen_.overtaken;
      return;
    }
    acknowledged_[static_cast<size_t>(request.connector)].insert(request.change);
  }

  // Its connection broke.
  void NoAnswer(size_t i) {
    Request& request = requests_[i];
    request.path.pop_back();
    request.arrives = Soon();
    if (!request.path.empty()) {
      request.answer = defect_ == Defect::kTakesNoAnswerForAnAnswer;
    } else {
      request.over = true;
      AskAgain(i);
    }
  }

  bool Change(Place at, const Worker& one, const Request& request) {
    if (one.cut) return false;
    Reader& reader = ReaderOf(at.worker, one);
    // What was under way is there before what the same process writes next.
    Land([at](const UnderWay& late) {
      return late.of.worker == at.worker && late.of.life == at.life;
    });
    ReadAgain(reader, *one.group);
    Record record{.connector = request.connector, .changes = reader.known[request.connector]};
    record.changes.insert(request.change);
    const Changes& acknowledged = acknowledged_[static_cast<size_t>(request.connector)];
    if (!std::ranges::includes(record.changes, acknowledged)) ++seen_.undone;
    if (Chance(30)) {
      under_way_.push_back(
          {.of = at, .lands = now_ + absl::Seconds(Random(4)), .record = std::move(record)});
      reader.stale = true;
      return false;
    }
    reader.known[record.connector] = record.changes;
    const bool all = reader.read == topic_.size();
    Append(std::move(record));
    if (all) reader.read = topic_.size();
    return true;
  }

  void ReadAgain(Reader& reader, const serve::SharedGroup& group) {
    const bool leads_anew = std::exchange(reader.reading, group.reading()) != group.reading();
    if (defect_ == Defect::kWritesWithoutReading) return;
    if (leads_anew || reader.stale || reader.told > reader.read) ReadAll(reader);
  }

  void ReadAll(Reader& reader) {
    for (reader.known.clear(), reader.read = 0; reader.read < topic_.size(); ++reader.read)
      reader.known[topic_[reader.read].connector] = topic_[reader.read].changes;
    reader.stale = false;
  }

  void Append(Record record) {
    written_.insert(record.changes.begin(), record.changes.end());
    topic_.push_back(std::move(record));
  }

  // Whoever leads meanwhile may have made changes that this record does not have, and may have
  // answered them.
  void Land(const std::function<bool(const UnderWay&)>& lands) {
    for (UnderWay& one : under_way_) {
      if (!lands(one)) continue;
      const auto before = std::find_if(topic_.rbegin(), topic_.rend(), [&](const Record& record) {
        return record.connector == one.record.connector;
      });
      if (before != topic_.rend()) Overtake(before->changes, one.record);
      Append(one.record);
    }
    std::erase_if(under_way_, lands);
  }

  void Overtake(const Changes& before, const Record& by) {
    Changes& acknowledged = acknowledged_[static_cast<size_t>(by.connector)];
    for (const int change : before) {
      if (by.changes.contains(change)) continue;
      overtaken_.insert(change);
      seen_.overtaken += static_cast<int>(acknowledged.erase(change));
    }
  }

  const World world_;
  const Defect defect_;
  std::mt19937_64& random_;
  absl::Duration now_ = {};
  bool faults_ = false;
  int last_ = 0;
  std::vector<Request> requests_;
  std::vector<Record> topic_;
  std::vector<UnderWay> under_way_;
  std::vector<Reader> readers_;
  Changes written_;                    // in any record
  Changes overtaken_;                  // by a record that came late
  std::vector<Changes> acknowledged_;  // to clients, by connector
  Seen seen_;
};

}  // namespace walduct::test
