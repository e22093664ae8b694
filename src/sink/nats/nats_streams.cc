// What NatsSink knows of streams before the first record.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "nats/subject.h"
#include "sink/nats/nats_sink.h"

namespace walduct::sink {
namespace {

// Subjects that are asked for one by one; the others are found out by their first record.
constexpr size_t kMostAsked = 64;

}  // namespace

absl::Status NatsSink::PrepareTopics(absl::Span<const std::string> topics) {
  ASSIGN_OR_RETURN(const auto admin, nats::Admin::Connect(options_.server));
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
  if (!info.discards_new && (info.max_bytes > 0 || info.max_messages > 0))
    log::Info("the stream drops its oldest records where it is full (discard=old)",
              {{"stream", info.name}});
  return absl::OkStatus();
}

}  // namespace walduct::sink
