// HTTP's side of the contract: over a server of this process that takes all but one value.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "kafka/options.h"
#include "sink/http/http_sink_type.h"
#include "tests/sink/contract.h"
#include "tests/support/http_server.h"

namespace walduct::sink {

class HttpSinkTarget final : public SinkTarget {
 public:
  explicit HttpSinkTarget(size_t in_flight) : in_flight_(in_flight) {}

  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    HttpSinkOptions options;
    options.buffer_bytes = buffer_bytes;
    options.url = *TextTemplate::Parse(server_.url() + "/{topic}");
    options.headers = {{"T", *TextTemplate::Parse("{topic}")},
                       {"K", *TextTemplate::Parse("{key}")}};
    options.header_prefix = "X-";
    options.in_flight = in_flight_;
    options.refused_attempts = 1;
    options.retry_pause = absl::Milliseconds(1);
    const kafka::KafkaOptions kafka;
    auto sink = HttpDestination(options).Open({.kafka = kafka, .environment = environment()});
    CHECK(sink.ok());
    return *std::move(sink);
  }
  std::string RefusedValue() override { return "bad"; }
  bool ordered() const override { return in_flight_ == 1; }
  // Names in upper case; no tombstones; no key is an empty one.
  std::optional<test::KeptRecord> Seen(test::KeptRecord written) override {
    if (!written.value) return std::nullopt;
    if (written.key == "") written.key.reset();
    for (auto& header : written.headers) absl::AsciiStrToUpper(&header.first);
    return written;
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    std::vector<test::KeptRecord> read;
    for (const test::HttpCall& call : server_.calls()) {
      test::KeptRecord record;
      for (absl::string_view line : absl::StrSplit(call.headers, "\r\n")) {
        const std::pair<absl::string_view, absl::string_view> header =
            absl::StrSplit(line, absl::MaxSplits(':', 1));
        const absl::string_view value = absl::StripLeadingAsciiWhitespace(header.second);
        absl::string_view name = header.first;
        if (name == "T") record.topic = std::string(value);
        if (name == "K" && !value.empty()) record.key = std::string(value);
        if (!absl::ConsumePrefix(&name, "X-")) continue;
        std::string text;
        CHECK(absl::Base64Unescape(value, &text));
        record.headers.emplace_back(std::string(name), text);
        if (text == "null") record.headers.back().second.reset();
      }
      record.value = call.body;
      if (record.topic == topic && call.body != RefusedValue()) read.push_back(std::move(record));
    }
    return read;
  }

 private:
  const size_t in_flight_;
  test::HttpServer server_{[this](const test::HttpCall& call) {
    return test::HttpAnswer{.status = call.body == RefusedValue() ? 422 : 204};
  }};
};

}  // namespace walduct::sink
