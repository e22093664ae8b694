#include "registry/registry_client.h"

#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "registry/compatibility.h"

namespace walduct::registry {

absl::StatusOr<std::unique_ptr<RegistryClient>> RegistryClient::Create(
    const RegistryOptions& options, std::string connector, Clock& clock) {
  ASSIGN_OR_RETURN(std::unique_ptr<HttpClient> http, HttpClient::Create(options.http));
  std::unique_ptr<Wake> ready = Wake::TryMake();
  if (ready == nullptr)
    return Error(absl::StatusCode::kUnavailable, "no_file_descriptor",
                 "no file descriptor is left for the schema registry", "raise ulimit -n");
  return std::unique_ptr<RegistryClient>(
      new RegistryClient(options, std::move(connector), clock, std::move(http), std::move(ready)));
}

RegistryClient::RegistryClient(const RegistryOptions& options, std::string connector, Clock& clock,
                               std::unique_ptr<HttpClient> http, std::unique_ptr<Wake> ready)
    : options_(options),
      connector_(std::move(connector)),
      clock_(clock),
      http_(std::move(http)),
      ready_(std::move(ready)),
      thread_(mutex_, [this] { Run(); }) {}

absl::StatusOr<int64_t> RegistryClient::Find(absl::string_view subject, absl::string_view schema) {
  ready_->Drain();
  SchemaQuestion question{std::string(subject), std::string(schema)};
  {
    const MutexLock lock(mutex_);
    const auto known = answers_.find(KeyOf(question));
    if (known != answers_.end()) {
      const Answer& answer = known->second;
      if (answer.id.ok() || clock_.Monotonic() - answer.at < kRefusalHolds) return answer.id;
      answers_.erase(known);
    }
    // One at a time, in the order in which they come: the asker waits for its answer.
    if (!question_) question_ = std::move(question);
  }
  thread_.Notify();
  return absl::ResourceExhaustedError("the schema registry is asked");
}

void RegistryClient::Foresee(absl::string_view subject, absl::string_view schema) {
  {
    const MutexLock lock(mutex_);
    foreseen_.push_back({std::string(subject), std::string(schema)});
  }
  thread_.Notify();
}

std::shared_ptr<const event::ValueRewriter> RegistryClient::RewriterOf(absl::string_view subject,
                                                                       absl::string_view schema) {
  const MutexLock lock(mutex_);
  const auto known = answers_.find(KeyOf({std::string(subject), std::string(schema)}));
  return known == answers_.end() ? nullptr : known->second.rewriter;
}

SchemaQuestion RegistryClient::KeyOf(const SchemaQuestion& question) const {
  return {options_.api == RegistryApi::kApicurio ? "" : question.subject, question.schema};
}

std::string RegistryClient::WaitingFor() const {
  const MutexLock lock(mutex_);
  if (!question_) return "";
  const std::string where =
      absl::StrCat("the schema registry at ", absl::StrJoin(options_.urls, ", "), ", subject ",
                   question_->subject);
  return failure_.empty() ? absl::StrCat(where, ", to answer")
                          : absl::StrCat(where, ": ", failure_);
}

void RegistryClient::Run() {
  log::SetConnector(connector_);
  while (true) {
    SchemaQuestion question;
    bool ahead = false;
    {
      MutexLock lock(mutex_);
      const bool goes_on = thread_.Await(lock, [this] {
        mutex_.AssertHeld();
        return question_ || !foreseen_.empty();
      });
      if (!goes_on) return;
      ahead = !question_;
      if (ahead) {
        question = std::move(foreseen_.front());
        foreseen_.pop_front();
      } else {
        question = *question_;
      }
    }
    if (ahead) {
      LookAhead(question);
      continue;
    }
    absl::StatusOr<Found> found = Ask(question);
    if (absl::IsCancelled(found.status())) return;
    if (found.ok()) TellLeftOut(question, found->stand_in);
    Keep(question, std::move(found));
    ready_->Signal();
  }
}

// Until there is an answer.
absl::StatusOr<RegistryClient::Found> RegistryClient::Ask(const SchemaQuestion& question) {
  Backoff backoff(options_.retry_wait, options_.retry_wait_max,
                  static_cast<uint64_t>(absl::ToUnixNanos(clock_.Now())));
  bool failed = false;
  while (true) {
    absl::StatusOr<Found> found = AskEachAddress(question);
    if (!absl::IsUnavailable(found.status())) {
      if (failed) log::Info("the schema registry answers", {{"subject", question.subject}});
      ShowFailure(absl::OkStatus());
      return found;
    }
    if (!std::exchange(failed, true)) {
      log::Warn("waiting for the schema registry",
                {{"url", absl::StrJoin(options_.urls, ",")},
                 {"subject", question.subject},
                 {"error", std::string(found.status().message())}});
    }
    ShowFailure(found.status());
    thread_.Pause(backoff.Next());
  }
}

absl::StatusOr<RegistryClient::Found> RegistryClient::AskAt(const std::string& url,
                                                            const SchemaQuestion& question) {
  SchemaQuestion asked = question;
  StandIn stand_in;
  if (HasStandIn(options_)) {
    ASSIGN_OR_RETURN(const HttpResponse response,
                     http_->Send(AskForStandIn(url, question, options_)));
    ASSIGN_OR_RETURN(stand_in, StandInOf(response, question, options_));
    asked.schema = stand_in.schema;
  }
  ASSIGN_OR_RETURN(const HttpResponse response, http_->Send(AskForId(url, asked, options_)));
  const absl::StatusOr<int64_t> id = IdOf(response, asked, options_);
  if (!id.ok()) return Explain(id.status(), url, question);
  return Found{*id, std::move(stand_in)};
}

absl::Status RegistryClient::Explain(const absl::Status& refusal, const std::string& url,
                                     const SchemaQuestion& question) {
  if (ErrorReason(refusal) != "schema_incompatible") return refusal;
  const absl::StatusOr<HttpResponse> latest = http_->Send(AskForLatest(url, question, options_));
  if (!latest.ok()) return refusal;
  return WithDifference(refusal, DifferenceFromLatest(*latest, question, options_));
}

absl::Status RegistryClient::AskWhether(const std::string& url, const SchemaQuestion& question) {
  if (!options_.register_schemas) return AskAt(url, question).status();
  ASSIGN_OR_RETURN(const HttpResponse response,
                   http_->Send(AskWhetherTaken(url, question, options_)));
  return Explain(WouldTake(response, question, options_), url, question);
}

// Who has a record to publish waits for an answer; this does not.
void RegistryClient::LookAhead(const SchemaQuestion& question) {
  const absl::Status asked = AskWhether(options_.urls[address_ % options_.urls.size()], question);
  if (absl::IsUnavailable(asked) && !std::exchange(told_away_, true)) {
    log::Warn(
        "the schema registry cannot be asked yet whether it will take the tables' schemas",
        {{"url", absl::StrJoin(options_.urls, ",")}, {"error", std::string(asked.message())}});
  }
  if (!absl::IsInvalidArgument(asked)) return;
  log::Warn("the next row of this table will be refused by the schema registry",
            {{"subject", question.subject},
             {"reason", ErrorReason(asked)},
             {"error", std::string(asked.message())},
             {"hint", ErrorHint(asked)}});
}

absl::StatusOr<RegistryClient::Found> RegistryClient::AskEachAddress(
    const SchemaQuestion& question) {
  absl::Status failure;
  for (size_t tried = 0; tried < options_.urls.size(); ++tried) {
    const std::string& url = options_.urls[address_ % options_.urls.size()];
    absl::StatusOr<Found> found = AskAt(url, question);
    // Who is not trusted is left for the next.
    const bool untrusted = absl::IsFailedPrecondition(found.status());
    if (!untrusted && !absl::IsUnavailable(found.status())) return found;
    // One that is only away may come back; what none trusts will not.
    if (failure.ok() || absl::IsUnavailable(found.status()))
      failure = options_.urls.size() > 1 ? WithContext(found.status(), url) : found.status();
    ++address_;
  }
  return failure;
}

void RegistryClient::ShowFailure(const absl::Status& failure) {
  const MutexLock lock(mutex_);
  failure_ = std::string(failure.message());
}

absl::Status RegistryClient::CheckId(const SchemaQuestion& question, int64_t id) {
  // Else one schema of the registry may stand for several.
  if (!options_.register_schemas || options_.normalize) return absl::OkStatus();
  const uint64_t hash = absl::Hash<std::string>()(question.schema);
  const auto [known, fresh] = schema_of_.try_emplace(id, hash);
  if (fresh || known->second == hash) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "schema_id_reused",
               absl::StrCat("the schema registry at ", absl::StrJoin(options_.urls, ", "),
                            " gave the schema of subject ", question.subject, " the id ", id,
                            ", which was another schema's since this start: it may have lost what "
                            "it held, and records that are written already could be misread"),
               "restore the registry's schemas; else start the connector again, which registers "
               "its schemas anew, and let consumers forget what they remember by id");
}

void RegistryClient::TellLeftOut(const SchemaQuestion& question, const StandIn& stand_in) {
  if (stand_in.left_out.empty() || !told_.insert(question.subject).second) return;
  log::Warn("the registry's schema lacks fields of the table, which are not written",
            {{"subject", question.subject}, {"fields", absl::StrJoin(stand_in.left_out, ", ")}});
}

void RegistryClient::Keep(const SchemaQuestion& question, absl::StatusOr<Found> found) {
  const MutexLock lock(mutex_);
  bytes_ += question.subject.size() + question.schema.size();
  if (bytes_ > kMostBytes) {
    answers_.clear();
    schema_of_.clear();
    bytes_ = question.subject.size() + question.schema.size();
  }
  if (found.ok()) {
    if (absl::Status fine = CheckId(question, found->id); !fine.ok()) found = std::move(fine);
  }
  const absl::Duration now = clock_.Monotonic();
  Answer answer = found.ok() ? Answer{found->id, now, std::move(found->stand_in.rewriter)}
                             : Answer{found.status(), now};
  answers_.insert_or_assign(KeyOf(question), std::move(answer));
  question_.reset();
}

}  // namespace walduct::registry
