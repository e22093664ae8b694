#include "pgoutput/message_reader.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::pgoutput {
namespace {

// 2000-01-01 00:00:00 UTC, PostgreSQL's epoch, in Unix time.
constexpr int64_t kPostgresEpochUs = 946'684'800'000'000;

}  // namespace

absl::string_view MessageReader::CString(const char* field) {
  const size_t before = reader_.remaining();
  const absl::string_view text = reader_.CString();
  if (!reader_.ok() && ok()) {
    Fail(field, "is not terminated");
    offset_ = size_bytes_ - before;
  }
  return text;
}

int64_t MessageReader::TimeUs(const char* field) {
  const auto postgres_us = static_cast<int64_t>(U64(field));
  int64_t unix_us = 0;
  if (__builtin_add_overflow(postgres_us, kPostgresEpochUs, &unix_us))
    Fail(field, "is out of range");
  return unix_us;
}

void MessageReader::Fail(const char* field, const char* problem, absl::StatusCode code) {
  if (ok()) {
    field_ = field;
    problem_ = problem;
    code_ = code;
    offset_ = size_bytes_ - reader_.remaining();
  }
  reader_ = ByteReader(absl::string_view());
}

absl::Status MessageReader::Failure() {
  if (ok()) Fail("end", "is followed by more bytes");
  const absl::string_view reason =
      code_ == absl::StatusCode::kUnimplemented ? "binary_value" : "malformed_message";
  return Error(
      code_, reason,
      absl::StrCat("pgoutput ", KindName(kind_), " message of ", size_bytes_,
                   " bytes is malformed: ", field_, " at offset ", offset_, " ", problem_));
}

}  // namespace walduct::pgoutput
