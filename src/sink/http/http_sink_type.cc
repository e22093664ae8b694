#include "sink/http/http_sink_type.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "sink/http/http_sender.h"
#include "sink/http/http_sink.h"
#include "sink/http/http_sink_properties.h"
#include "sink/letters_apart.h"
#include "sink/line/line_sink.h"

namespace walduct::sink {
namespace {

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  HttpSinkOptions options = BuildHttpSink(properties);
  options.buffer_bytes = buffer_bytes;
  return std::make_shared<HttpDestination>(std::move(options));
}

FileSinkOptions LetterFileOf(const HttpSinkOptions& options) {
  return {.buffer_bytes = options.buffer_bytes,
          .path = options.letter_file,
          .property = "walduct.sink.http.deadletter.file"};
}

// A place for letters is waited for without end, and gets one after the other.
absl::StatusOr<std::unique_ptr<Sink>> OpenLetters(const HttpSinkOptions& options,
                                                  const Environment& environment) {
  if (!options.letter_file.empty()) return LineSink::ToFile(LetterFileOf(options));
  HttpSinkOptions letters = options;
  ASSIGN_OR_RETURN(letters.url, TextTemplate::Parse(options.letter_url));
  letters.in_flight = 1;
  letters.batch = false;
  letters.attempts.reset();
  return HttpSink::Create(letters, environment);
}

}  // namespace

constinit const SinkType kHttpSink = {
    .name = "http",
    .traits = {.store = SinkTraits::Store::kBesideOutput},
    .section = "walduct's own",
    .rows = HttpSinkProperties,
    .check = CheckHttpSink,
    .places = HttpPlaces,
    .build = Build,
};

absl::StatusOr<std::unique_ptr<Sink>> HttpDestination::Open(const SinkContext& context) const {
  ASSIGN_OR_RETURN(std::unique_ptr<Sink> sink, HttpSink::Create(options_, context.environment));
  if (options_.letter_url.empty() && options_.letter_file.empty()) return sink;
  ASSIGN_OR_RETURN(std::unique_ptr<Sink> letters, OpenLetters(options_, context.environment));
  return LettersApart::Join(std::move(sink), std::move(letters), context.environment);
}

absl::Status HttpDestination::CheckOutput() const {
  return options_.letter_file.empty() ? absl::OkStatus()
                                      : LineSink::CheckFile(LetterFileOf(options_));
}

absl::Status HttpDestination::AskServer(const Environment& environment, std::string* asked) const {
  ASSIGN_OR_RETURN(const auto sender, HttpSender::Create(options_, environment));
  RETURN_IF_ERROR(sender->TryConnecting(Sink::kPrepareTimeout, NeverStops));
  *asked = absl::StrCat("HTTP server at ", sender->where());
  return absl::OkStatus();
}

}  // namespace walduct::sink
