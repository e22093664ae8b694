// A configuration in YAML, or of Debezium Server, whatever it holds: refused, or names and values.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "config/files/debezium_server.h"
#include "config/files/yaml_config.h"
#include "java/text/properties_text.h"

namespace {

absl::StatusOr<walduct::config::ParsedFile> ReadProperties(absl::string_view text) {
  auto parsed = walduct::java::ParseProperties(text);
  if (!parsed.ok()) return parsed.status();
  return walduct::config::ParsedFile{.values = std::move(parsed->values)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(input), size);
  const auto file = walduct::config::LooksLikeYaml(text)
                        ? walduct::config::ParseYamlConfig(text, ReadProperties)
                        : ReadProperties(text);
  if (!file.ok()) {
    CHECK(file.status().code() == absl::StatusCode::kInvalidArgument);
    return 0;
  }
  const auto converted = walduct::config::FromDebeziumServer(*file, {{"DEBEZIUM_SOURCE_A", "b"}});
  CHECK(converted.ok() || converted.status().code() == absl::StatusCode::kInvalidArgument);
  return 0;
}
