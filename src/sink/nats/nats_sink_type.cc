#include "sink/nats/nats_sink_type.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "nats/admin.h"
#include "nats/client.h"
#include "sink/nats/nats_sink_properties.h"

namespace walduct::sink {
namespace {

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  NatsSinkOptions options = BuildNatsSink(properties);
  options.buffer_bytes = buffer_bytes;
  return std::make_shared<NatsDestination>(std::move(options));
}

// Of several slots each counts the changes of a transaction by itself: their ids would be equal.
bool HasOneWriter(const config::PropertySet& properties) {
  static_cast<void>(properties);
  return true;
}

absl::Status CheckStream(nats::Admin& admin, const NatsSinkOptions& options) {
  const auto there = admin.Find(options.stream);
  if (absl::IsNotFound(there.status())) return absl::OkStatus();  // the start creates it
  RETURN_IF_ERROR(there.status());
  return admin.Create({.name = options.stream, .subjects = options.subjects, .file = options.file})
      .status();
}

// Of the first streams. Whether that is a loss only their owner knows: it is told, and no fault.
std::string WhatDrops(nats::Admin& admin, const std::vector<std::string>& names) {
  constexpr size_t kMostLookedAt = 16;
  std::string text;
  for (size_t at = 0; at < std::min(names.size(), kMostLookedAt); ++at) {
    const auto info = admin.Find(names[at]);
    if (!info.ok() || !info->drops_oldest()) continue;
    absl::StrAppend(&text, "; stream ", info->name, " drops its oldest records where it is full (",
                    nats::DiscardHint(*info), ")");
  }
  return text;
}

}  // namespace

constinit const SinkType kNatsSink = {
    .name = "nats-jetstream",
    .traits = {.store = SinkTraits::Store::kBesideOutput},
    .section = "walduct's own",
    .rows = NatsSinkProperties,
    .check = CheckNatsSink,
    .one_writer = HasOneWriter,
    .build = Build,
};

absl::StatusOr<std::unique_ptr<Sink>> NatsDestination::Open(const SinkContext& context) const {
  return NatsSink::Create(options_, context.environment, learnt_);
}

absl::Status NatsDestination::AskServer(const Environment& environment, std::string* asked) const {
  static_cast<void>(environment);
  ASSIGN_OR_RETURN(const auto admin,
                   nats::Admin::Connect(options_.server, environment, NeverStops));
  *asked = absl::StrCat("NATS at ", admin->address(), ", records of up to ", admin->max_payload(),
                        " bytes");
  if (options_.create_stream) return CheckStream(*admin, options_);
  const auto catching = admin->NamesFor(absl::StrCat(nats::InboxPrefix(), ".1.1"));
  if (absl::IsPermissionDenied(catching.status())) {
    absl::StrAppend(asked, "; it does not let this user ask for streams");
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(catching.status());
  if (!catching->empty())
    return Error(absl::StatusCode::kFailedPrecondition, "nats_stores_acknowledgements",
                 absl::StrCat("stream ", absl::StrJoin(*catching, ", "),
                              " stores its own acknowledgements, too: its subjects take "
                              "_INBOX.walduct.…"),
                 "give it narrower subjects (nats stream edit), such as the topics' prefix and .>");
  const auto all = admin->NamesFor(">");
  RETURN_IF_ERROR(all.status());
  if (all->empty())
    return Error(absl::StatusCode::kFailedPrecondition, "nats_no_stream",
                 absl::StrCat("NATS at ", admin->address(), " has no stream: records will wait"),
                 "nats stream add NAME --subjects='PREFIX.>', or "
                 "sink.nats-jetstream.create-stream=true");
  absl::StrAppend(asked, ", streams ", absl::StrJoin(*all, ", "), WhatDrops(*admin, *all));
  return absl::OkStatus();
}

}  // namespace walduct::sink
