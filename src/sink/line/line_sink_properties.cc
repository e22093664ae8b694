#include "sink/line/line_sink_properties.h"

namespace walduct::sink {
namespace {

constexpr config::PropertyDefinition kFile[] = {
    {.name = "sink.file.path", .doc = "Output file for sink=file."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> FileSinkProperties() { return kFile; }

void CheckFileSink(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "file" || properties.IsSet("sink.file.path")) return;
  findings->Error("sink.file.path", "A value is required when sink=file",
                  "add the path of the file to write");
}

FileSinkOptions BuildFileSink(const config::PropertySet& properties) {
  FileSinkOptions options;
  options.path = properties.Text("sink.file.path");
  return options;
}

}  // namespace walduct::sink
