// What NatsSink knows of streams: before the first record, and by what it is told.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "nats/error.h"
#include "nats/subject.h"
#include "sink/nats/nats_sink.h"

namespace walduct::sink {
namespace {

// Subjects that are asked for one by one; the others are found out by their first record.
constexpr size_t kMostAsked = 64;

}  // namespace

absl::Status NatsSink::PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
  ASSIGN_OR_RETURN(const auto admin, nats::Admin::Connect(options_.server, environment_, stopping));
  max_payload_ = admin->max_payload();
  if (options_.create_stream) {
    ASSIGN_OR_RETURN(const nats::StreamInfo info, admin->Create({.name = options_.stream,
                                                                 .subjects = options_.subjects,
                                                                 .file = options_.file}));
    RETURN_IF_ERROR(Know(info));
  }
  const absl::Status found = FindStreams(*admin, topics);
  if (!absl::IsPermissionDenied(found)) return found;
  log::Info("streams cannot be asked for: their limits are learnt by what they refuse",
            {{"error", found.message()}});
  return absl::OkStatus();
}

absl::Status NatsSink::FindStreams(nats::Admin& admin, absl::Span<const std::string> topics) {
  for (const std::string& topic : topics.first(std::min(topics.size(), kMostAsked))) {
    if (!nats::CheckSubject(topic).empty() || StreamFor(topic) != nullptr) continue;
    ASSIGN_OR_RETURN(const auto names, admin.NamesFor(topic));
    if (names.empty()) {
      log::Warn("no stream takes the subject: its records will wait",
                {{"subject", topic},
                 {"hint",
                  "nats stream add NAME --subjects=…, or sink.nats-jetstream.subjects with "
                  "create-stream=true"}});
      continue;
    }
    ASSIGN_OR_RETURN(const nats::StreamInfo info, admin.Find(names.front()));
    RETURN_IF_ERROR(Know(info));
  }
  return absl::OkStatus();
}

absl::Status NatsSink::Know(const nats::StreamInfo& info) {
  Stream& stream = streams_[info.name];
  stream.info = info;
  stream.known = true;
  learnt_->erase(info.name);
  if (!info.acknowledges)
    return Error(
        absl::StatusCode::kFailedPrecondition, "nats_no_acknowledgements",
        absl::StrCat("stream ", info.name,
                     " acknowledges nothing (no_ack): whether it has a record nobody knows"),
        absl::StrCat("nats stream edit ", info.name, " --ack"));
  const std::string inbox = absl::StrCat(nats::InboxPrefix(), ".1.1");
  for (const std::string& pattern : info.subjects) {
    if (nats::Takes(pattern, inbox))
      log::Warn("the stream stores its own acknowledgements, too",
                {{"stream", info.name},
                 {"subject", pattern},
                 {"hint", "give it narrower subjects, such as the topics' prefix and .>"}});
  }
  if (info.drops_oldest())
    log::Warn("the stream drops its oldest records where it is full (discard=old)",
              {{"stream", info.name}, {"hint", nats::DiscardHint(info)}});
  if (info.max_age_ns > 0)
    log::Info("the stream drops records by their age",
              {{"stream", info.name},
               {"max_age", absl::FormatDuration(absl::Nanoseconds(info.max_age_ns))}});
  return absl::OkStatus();
}

// By what is known of streams.
NatsSink::Stream* NatsSink::StreamFor(absl::string_view subject) {
  for (auto& [name, stream] : streams_) {
    for (const std::string& pattern : stream.info.subjects) {
      if (nats::Takes(pattern, subject)) return &stream;
    }
  }
  return nullptr;
}

absl::Status NatsSink::CheckSize(const Message& message, const Stream* stream) const {
  const auto refuse = [&](size_t most, absl::string_view who, absl::string_view hint) {
    return Error(absl::StatusCode::kInvalidArgument, "record_too_large",
                 absl::StrCat("a record of ", message.size(), " bytes with its headers; ", who,
                              " takes ", most),
                 hint);
  };
  if (max_payload_ > 0 && message.size() > max_payload_)
    return refuse(max_payload_, absl::StrCat("NATS at ", client_->address()), nats::kPayloadHint);
  if (stream == nullptr) return absl::OkStatus();
  const std::string& name = stream->info.name;
  const std::string who = absl::StrCat("stream ", name);
  const std::string hint =
      absl::StrCat("raise the stream's limit: nats stream edit ", name, " --max-msg-size=N");
  const int64_t most = stream->info.max_message_bytes;
  if (most > 0 && message.size() > static_cast<size_t>(most))
    return refuse(static_cast<size_t>(most), who, hint);
  const auto learnt = learnt_->find(name);
  // It was known to refuse so much, and what it takes has not been told since.
  if (learnt != learnt_->end() && !stream->known && message.size() >= learnt->second)
    return refuse(learnt->second - 1, who, hint);
  return absl::OkStatus();
}

}  // namespace walduct::sink
