#include "encode/formats/header_writer.h"

#include "java/time/connect_time.h"

namespace walduct::encode {

void HeaderWriter::String(absl::string_view text) {
  Quoted(2 * text.size(), [text](char* to) {
    for (const char c : text) {
      if (c == '"' || c == '\\') *to++ = '\\';
      *to++ = c;
    }
    return to;
  });
}

void HeaderWriter::ConnectDate(int64_t days) { PutTime(java::kConnectDate, days); }

void HeaderWriter::ConnectTimestamp(int64_t millis) { PutTime(java::kConnectTimestamp, millis); }

void HeaderWriter::PutTime(absl::string_view schema_name, int64_t value) {
  std::string text;
  java::AppendConnectTime(schema_name, value, &text);
  Append(text);
}

}  // namespace walduct::encode
