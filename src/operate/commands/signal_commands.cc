#include "operate/commands/signal_commands.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/status_macros.h"
#include "incremental/channels/signal_queue.h"
#include "incremental/channels/signal_text.h"
#include "incremental/options/incremental_options.h"
#include "kafka/options.h"
#include "kafka/producer.h"
#include "operate/commands/signal_check.h"
#include "postgres/connection.h"
#include "postgres/open_session.h"

namespace walduct::operate {
namespace {

using incremental::IncrementalOptions;
using incremental::RawSignal;

constexpr absl::Duration kPatience = absl::Seconds(20);
constexpr size_t kBufferBytes = 1 << 20;

class Delivered final : public kafka::DeliveryHandler {
 public:
  void OnDelivered(uint64_t, uint32_t) override {}
};

bool Reads(const IncrementalOptions& options, SignalVia via) {
  switch (via) {
    case SignalVia::kSource:
      return options.source_channel && !options.signal_table.empty();
    case SignalVia::kFile:
      return options.file_channel;
    case SignalVia::kKafka:
      return options.kafka_channel;
    case SignalVia::kAny:
      return true;
  }
  return false;
}

// Of a connector that writes nothing, nothing is written to its database.
std::optional<SignalVia> Choose(const IncrementalOptions& options, SignalVia wanted) {
  if (wanted != SignalVia::kAny)
    return Reads(options, wanted) ? std::optional(wanted) : std::nullopt;
  if (Reads(options, SignalVia::kSource) && !options.read_only) return SignalVia::kSource;
  if (Reads(options, SignalVia::kKafka)) return SignalVia::kKafka;
  if (Reads(options, SignalVia::kFile)) return SignalVia::kFile;
  if (Reads(options, SignalVia::kSource)) return SignalVia::kSource;
  return std::nullopt;
}

absl::Status NoChannel(const SignalReader& reader, SignalVia via) {
  const bool any = via == SignalVia::kAny;
  const std::string what = absl::StrCat("connector ", reader.connector, " does not read ",
                                        any ? "signals" : "that channel of signals");
  if (reader.incremental.asked == nullptr) {
    return Error(absl::StatusCode::kInvalidArgument, "signal_no_channel",
                 absl::StrCat(what, ": it reads several slots"),
                 "signals reach connectors of one slot: walduct.slots=1");
  }
  if (any) {
    return Error(absl::StatusCode::kInvalidArgument, "signal_no_channel",
                 absl::StrCat(what, " of a channel, and does not run in this process"),
                 "start it, or resume it, and ask again");
  }
  return Error(absl::StatusCode::kInvalidArgument, "signal_no_channel", what,
               absl::StrCat("leave --channel out; or set signal.data.collection for the channel "
                            "source, or add file or kafka to signal.enabled.channels, ",
                            names::WithConfiguration(reader.called)));
}

// What its channels would take, and refuse in the log.
absl::Status OnlyByProcess(const SignalReader& reader) {
  return Error(absl::StatusCode::kInvalidArgument, "signal_no_channel",
               absl::StrCat("connector ", reader.connector,
                            " takes no incremental snapshot by a file or a topic without "
                            "signal.data.collection or read.only=true, and does not run in this "
                            "process"),
               "start it, or resume it, and ask again");
}

// A session takes it at once, and what it asks for is then stored within moments.
absl::StatusOr<std::string> ToProcess(const SignalReader& reader, const RawSignal& signal,
                                      const Environment& environment) {
  constexpr absl::Duration kStored = absl::Seconds(5), kLookAgain = absl::Milliseconds(20);
  incremental::SignalQueue& queue = *reader.incremental.asked;
  const std::optional<uint64_t> number = queue.Put(signal);
  if (!number) {
    return Error(absl::StatusCode::kUnavailable, "signals_waiting",
                 absl::StrCat(incremental::SignalQueue::kMost, " signals for connector ",
                              reader.connector, " wait already"),
                 absl::StrCat("walduct status ", reader.connector, " says what it waits for"));
  }
  const absl::Duration deadline = environment.clock->Monotonic() + kStored;
  while (!queue.IsDone(*number)) {
    if (environment.clock->Monotonic() > deadline) return std::string(kInProcess);
    environment.poller->WaitReadable({}, kLookAgain);
  }
  return std::string(kInPosition);
}

// {"id":…,"type":…,"data":{…}} on one line.
std::string Line(const RawSignal& signal) {
  std::string line = "{\"id\":";
  AppendJsonString(signal.id, &line);
  absl::StrAppend(&line, ",\"type\":");
  AppendJsonString(signal.type, &line);
  absl::StrAppend(&line, ",\"data\":", signal.data.value_or("{}"), "}");
  return line;
}

// A database that is away is for whoever needs it: the connector asks it again.
absl::StatusOr<std::string> CheckTables(const SignalReader& reader,
                                        const incremental::Signal& signal,
                                        const Environment& environment) {
  const bool names_tables = std::holds_alternative<incremental::ExecuteSnapshot>(signal) ||
                            std::holds_alternative<incremental::StopSnapshot>(signal);
  if (!names_tables) return "";
  const auto connection = postgres::OpenSession(reader.database, "walduct signal", environment);
  if (!connection.ok()) return "";
  return CheckSignalTables(**connection, reader, signal);
}

absl::StatusOr<std::string> ToTable(const SignalReader& reader, const RawSignal& signal,
                                    const Environment& environment) {
  ASSIGN_OR_RETURN(const auto connection,
                   postgres::OpenSession(reader.database, "walduct signal", environment));
  const std::string table =
      postgres::QuoteQualified(reader.incremental.signal_schema, reader.incremental.signal_table);
  const absl::Status written =
      connection->Run({.sql = absl::StrCat("INSERT INTO ", table, " VALUES ($1, $2, $3)"),
                       .parameters = {signal.id, signal.type, signal.data.value_or("{}")},
                       .answer = {}});
  const std::string reason = ErrorReason(written);
  if (reason == "table_missing" || reason == "schema_missing") {
    return Error(written.code(), reason, written.message(),
                 absl::StrCat("it is the table of signal.data.collection: ",
                              names::Command(reader.called, "doctor"),
                              " has what makes it again (CREATE TABLE, ALTER PUBLICATION, GRANT)"));
  }
  RETURN_IF_ERROR(written);
  return absl::StrCat("table ", table);
}

absl::StatusOr<std::string> ToFile(const IncrementalOptions& options, const RawSignal& signal) {
  const std::string line = Line(signal) + "\n";
  const int file =
      open(options.signal_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  // One write: the connector never reads half a line of two.
  const bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (file >= 0) close(file);
  if (written) return absl::StrCat("file ", options.signal_file);
  return Error(absl::StatusCode::kUnavailable, "signal_file_unusable",
               absl::StrCat("the file of signals ", options.signal_file,
                            " cannot be written: ", std::strerror(error)),
               "run it where the connector runs, as a user that may write the file: signal.file");
}

// Brokers of their own are reached as their consumer reaches them.
kafka::Producer::Options ProducerOf(const SignalReader& reader, const Environment& environment) {
  const IncrementalOptions& signals = reader.incremental;
  const kafka::KafkaOptions now = kafka::WithFreshSecrets(reader.kafka);
  kafka::Producer::Options producer{.bootstrap_servers = now.bootstrap_servers,
                                    .java = now.producer,
                                    .rules = {.buffer_bytes = kBufferBytes, .linger_ms = 0},
                                    .environment = environment};
  if (signals.kafka_brokers.empty()) return producer;
  producer.bootstrap_servers = signals.kafka_brokers;
  producer.java.clear();
  for (const auto& [name, value] : signals.kafka_consumer) {
    if (absl::StartsWith(name, "security.") || absl::StartsWith(name, "sasl.") ||
        absl::StartsWith(name, "ssl."))
      producer.java[name] = value;
  }
  return producer;
}

absl::StatusOr<std::string> ToTopic(const SignalReader& reader, const RawSignal& signal,
                                    const Environment& environment) {
  ASSIGN_OR_RETURN(const auto producer, kafka::Producer::Create(ProducerOf(reader, environment)));
  RETURN_IF_ERROR(producer->CheckConnected(kPatience));
  const std::string& name = reader.incremental.kafka_topic;
  ASSIGN_OR_RETURN(const kafka::Topic topic, producer->OpenTopic(name));
  const std::string key = reader.topic_prefix;
  const std::string value = Line(signal);
  RETURN_IF_ERROR(producer->Produce({.topic = &topic, .partition = 0, .key = key, .value = value}));
  Delivered delivered;
  RETURN_IF_ERROR(producer->Flush(delivered, kPatience));
  return absl::StrCat("topic ", name);
}

}  // namespace

absl::StatusOr<std::string> SendSignal(const SignalReader& reader, SignalVia via,
                                       const RawSignal& signal, const Environment& environment) {
  ASSIGN_OR_RETURN(const incremental::Signal parsed, incremental::ParseSignal(signal));
  const auto* execute = std::get_if<incremental::ExecuteSnapshot>(&parsed);
  const bool refused_by_channels =
      execute != nullptr && !execute->blocking && !reader.incremental.marks_windows();
  const std::optional<SignalVia> chosen = Choose(reader.incremental, via);
  const bool by_process = (!chosen || refused_by_channels) && via == SignalVia::kAny &&
                          reader.runs_here && reader.incremental.asked != nullptr;
  if (!chosen && !by_process) return NoChannel(reader, via);
  const bool asks_process = via == SignalVia::kAny && reader.incremental.asked != nullptr;
  if (refused_by_channels && asks_process && !by_process) return OnlyByProcess(reader);
  ASSIGN_OR_RETURN(const std::string note, CheckTables(reader, parsed, environment));
  absl::StatusOr<std::string> where =
      by_process                      ? ToProcess(reader, signal, environment)
      : *chosen == SignalVia::kSource ? ToTable(reader, signal, environment)
      : *chosen == SignalVia::kFile   ? ToFile(reader.incremental, signal)
                                      : ToTopic(reader, signal, environment);
  if (where.ok()) *where += note;
  return where;
}

std::string NewSignalId(Clock& clock) {
  return absl::StrCat("walduct-", absl::ToUnixMicros(clock.Now()));
}

absl::StatusOr<SentSignal> SendSignalText(const SignalReader& reader, absl::string_view text,
                                          const Environment& environment) {
  ASSIGN_OR_RETURN(RawSignal signal, incremental::ParseSignalText(text, "the request's body"));
  if (signal.id.empty()) signal.id = NewSignalId(*environment.clock);
  ASSIGN_OR_RETURN(std::string where, SendSignal(reader, SignalVia::kAny, signal, environment));
  // It is sent all the same: one that has just been asked for may come before it.
  const bool needs_one = signal.type == "stop-snapshot" || signal.type == "pause-snapshot" ||
                         signal.type == "resume-snapshot";
  if (needs_one && reader.reads_nothing)
    where += "; no incremental snapshot is being read or waits now: there is nothing for it to do";
  return SentSignal{.id = std::move(signal.id), .where = std::move(where)};
}

bool WasCarriedOut(const SignalReader& ended, const std::string& id) {
  return ended.incremental.asked != nullptr && !ended.incremental.asked->IsWaiting(id);
}

std::string WithSignalId(absl::string_view text, const std::string& id) {
  absl::StatusOr<RawSignal> signal = incremental::ParseSignalText(text, "the request's body");
  if (!signal.ok()) return std::string(text);
  signal->id = id;
  return Line(*signal);
}

}  // namespace walduct::operate
