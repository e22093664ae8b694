#include "engine/in_progress/made_messages.h"

#include <cstdint>

#include "pgoutput/message_kind.h"

namespace walduct::engine {
namespace {

// 2000-01-01 00:00:00 UTC, PostgreSQL's epoch.
constexpr int64_t kEpochUnixUs = 946'684'800'000'000;

void Append(std::string& out, uint64_t value, int size) {
  for (int shift = (size - 1) * 8; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>((value >> shift) & 0xff));
}

void AppendTime(std::string& out, int64_t unix_us) {
  Append(out, static_cast<uint64_t>(unix_us) - static_cast<uint64_t>(kEpochUnixUs), 8);
}

}  // namespace

// 'B' final_lsn:u64 commit_time:i64 xid:u32
std::string MakeBegin(const pgoutput::StreamCommitMessage& commit) {
  std::string out(1, static_cast<char>(pgoutput::MessageKind::kBegin));
  Append(out, commit.commit_lsn.value(), 8);
  AppendTime(out, commit.commit_time_us);
  Append(out, ToInteger(commit.xid), 4);
  return out;
}

// 'C' flags:u8(0) commit_lsn:u64 end_lsn:u64 commit_time:i64
std::string MakeCommit(const pgoutput::StreamCommitMessage& commit) {
  std::string out(1, static_cast<char>(pgoutput::MessageKind::kCommit));
  Append(out, 0, 1);
  Append(out, commit.commit_lsn.value(), 8);
  Append(out, commit.end_lsn.value(), 8);
  AppendTime(out, commit.commit_time_us);
  return out;
}

}  // namespace walduct::engine
