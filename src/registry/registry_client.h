// RegistryClient: a schema registry behind event::SchemaIds. It is asked on a thread of its own,
// one question after the other; while it is away, it is asked again and again, at every address in
// turn.
//
// Thread-safety: Find, WaitingFor and ready_fd by one thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "base/worker_thread.h"
#include "event/schema_ids.h"
#include "registry/http_client.h"
#include "registry/options.h"
#include "registry/registry_api.h"

namespace walduct::registry {

class RegistryClient final : public event::SchemaIds {
 public:
  // connector: its name, for the log. clock: borrowed. FailedPrecondition: see HttpClient::Create.
  static absl::StatusOr<std::unique_ptr<RegistryClient>> Create(const RegistryOptions& options,
                                                                std::string connector,
                                                                Clock& clock);
  // Gives up what is asked.
  ~RegistryClient() override { http_->Interrupt(); }

  absl::StatusOr<int64_t> Find(absl::string_view subject, absl::string_view schema) override;
  std::shared_ptr<const event::ValueRewriter> RewriterOf(absl::string_view subject,
                                                         absl::string_view schema) override;
  void Foresee(absl::string_view subject, absl::string_view schema) override;
  int ready_fd() const override { return ready_->fd(); }
  std::string WaitingFor() const override;

 private:
  // A refusal may be taken back: it is asked for again after a while.
  struct Answer {
    absl::StatusOr<int64_t> id;
    absl::Duration at;
    std::shared_ptr<const event::ValueRewriter> rewriter = nullptr;
  };
  struct Found {
    int64_t id = 0;
    StandIn stand_in = {};
  };
  static constexpr absl::Duration kRefusalHolds = absl::Seconds(10);
  // Encoders keep the ids of the schemas that they use; this is for the next plan of a table.
  static constexpr size_t kMostBytes = 32 << 20;

  RegistryClient(const RegistryOptions& options, std::string connector, Clock& clock,
                 std::unique_ptr<HttpClient> http, std::unique_ptr<Wake> ready);

  // By what an answer is remembered: Apicurio's converters do not look at the subject again.
  SchemaQuestion KeyOf(const SchemaQuestion& question) const;
  void Run();
  absl::StatusOr<Found> Ask(const SchemaQuestion& question);
  absl::StatusOr<Found> AskAt(const std::string& url, const SchemaQuestion& question);
  absl::StatusOr<Found> AskEachAddress(const SchemaQuestion& question);
  // The difference that made it refuse.
  absl::Status Explain(const absl::Status& refusal, const std::string& url,
                       const SchemaQuestion& question);
  // Whether it will be taken; says so where not.
  void LookAhead(const SchemaQuestion& question);
  absl::Status AskWhether(const std::string& url, const SchemaQuestion& question);
  void Keep(const SchemaQuestion& question, absl::StatusOr<Found> found);
  // Once for each subject.
  void TellLeftOut(const SchemaQuestion& question, const StandIn& stand_in);
  // FailedPrecondition schema_id_reused: the id is another schema's.
  absl::Status CheckId(const SchemaQuestion& question, int64_t id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ShowFailure(const absl::Status& failure);

  const RegistryOptions options_;
  const std::string connector_;
  Clock& clock_;
  const std::unique_ptr<HttpClient> http_;
  const std::unique_ptr<Wake> ready_;

  mutable Mutex mutex_;
  std::optional<SchemaQuestion> question_ ABSL_GUARDED_BY(mutex_);  // that is being asked
  // Not looked at yet; after question_.
  std::deque<SchemaQuestion> foreseen_ ABSL_GUARDED_BY(mutex_);
  std::string failure_ ABSL_GUARDED_BY(mutex_);  // of the last attempt; empty: none
  std::map<SchemaQuestion, Answer> answers_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // of answers_, about
  // Hash of the schema that was registered by the id.
  std::map<int64_t, uint64_t> schema_of_ ABSL_GUARDED_BY(mutex_);

  // Of the thread alone.
  size_t address_ = 0;
  std::set<std::string> told_;  // subjects of TellLeftOut
  bool told_away_ = false;      // that it cannot be asked ahead
  WorkerThread thread_;         // last: uses all of the above
};

}  // namespace walduct::registry
