// Builds pgoutput messages as PostgreSQL's walsender sends them, for tests, fuzz seeds and
// benchmarks. Every function returns the payload of one XLogData message. Times are microseconds
// since the Unix epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::test {

// Big-endian bytes, appended.
class PgoutputBytes {
 public:
  PgoutputBytes& U8(uint64_t value) { return Integer(value, 1); }
  PgoutputBytes& U16(uint64_t value) { return Integer(value, 2); }
  PgoutputBytes& U32(uint64_t value) { return Integer(value, 4); }
  PgoutputBytes& U64(uint64_t value) { return Integer(value, 8); }
  PgoutputBytes& Char(char value) { return U8(static_cast<unsigned char>(value)); }
  PgoutputBytes& TimeUs(int64_t unix_us) {
    return U64(static_cast<uint64_t>(unix_us - 946'684'800'000'000));
  }
  PgoutputBytes& Raw(absl::string_view bytes) {
    bytes_.append(bytes.data(), bytes.size());
    return *this;
  }
  PgoutputBytes& CString(absl::string_view text) { return Raw(text).U8(0); }
  PgoutputBytes& OptionalXid(std::optional<uint32_t> xid) { return xid ? U32(*xid) : *this; }

  std::string Take() { return std::move(bytes_); }

 private:
  PgoutputBytes& Integer(uint64_t value, int size) {
    for (int shift = (size - 1) * 8; shift >= 0; shift -= 8) {
      bytes_.push_back(static_cast<char>((value >> shift) & 0xff));
    }
    return *this;
  }
  std::string bytes_;
};

// One value of a tuple: 'n' null, 'u' unchanged out-of-line value, 't' text, 'b' binary.
struct Cell {
  char kind = 'n';
  std::string bytes;
};
inline Cell Text(absl::string_view text) { return {'t', std::string(text)}; }
inline Cell Null() { return {'n', ""}; }
inline Cell Unchanged() { return {'u', ""}; }
inline Cell Binary(absl::string_view bytes) { return {'b', std::string(bytes)}; }
using Cells = std::vector<Cell>;

struct RelationColumnSpec {
  std::string name;
  uint32_t type = 25;  // text
  bool key = false;
  int32_t typmod = -1;
};
struct RelationSpec {
  uint32_t oid = 16384;
  std::string schema = "public";
  std::string table = "orders";
  char identity = 'd';
  std::vector<RelationColumnSpec> columns;
};

using OptionalXid = std::optional<uint32_t>;  // inside a stream block

inline std::string TupleBytes(const Cells& cells) {
  PgoutputBytes out;
  out.U16(cells.size());
  for (const Cell& cell : cells) {
    out.Char(cell.kind);
    if (cell.kind == 't' || cell.kind == 'b') out.U32(cell.bytes.size()).Raw(cell.bytes);
  }
  return out.Take();
}

inline std::string BeginBytes(uint64_t final_lsn, int64_t time_us, uint32_t xid) {
  return PgoutputBytes().Char('B').U64(final_lsn).TimeUs(time_us).U32(xid).Take();
}
inline std::string CommitBytes(uint64_t commit_lsn, uint64_t end_lsn, int64_t time_us) {
  return PgoutputBytes().Char('C').U8(0).U64(commit_lsn).U64(end_lsn).TimeUs(time_us).Take();
}
inline std::string OriginBytes(uint64_t commit_lsn, absl::string_view name) {
  return PgoutputBytes().Char('O').U64(commit_lsn).CString(name).Take();
}
inline std::string RelationBytes(const RelationSpec& spec, OptionalXid xid = {}) {
  PgoutputBytes out;
  out.Char('R').OptionalXid(xid).U32(spec.oid).CString(spec.schema).CString(spec.table);
  out.Char(spec.identity).U16(spec.columns.size());
  for (const RelationColumnSpec& column : spec.columns) {
    out.U8(column.key ? 1 : 0).CString(column.name).U32(column.type);
    out.U32(static_cast<uint32_t>(column.typmod));
  }
  return out.Take();
}
inline std::string TypeBytes(uint32_t oid, absl::string_view schema, absl::string_view name,
                             OptionalXid xid = {}) {
  return PgoutputBytes().Char('Y').OptionalXid(xid).U32(oid).CString(schema).CString(name).Take();
}
inline std::string InsertBytes(uint32_t relation, const Cells& row, OptionalXid xid = {}) {
  return PgoutputBytes()
      .Char('I')
      .OptionalXid(xid)
      .U32(relation)
      .Char('N')
      .Raw(TupleBytes(row))
      .Take();
}
// An update without an old tuple.
inline std::string UpdateBytes(uint32_t relation, const Cells& row, OptionalXid xid = {}) {
  return PgoutputBytes()
      .Char('U')
      .OptionalXid(xid)
      .U32(relation)
      .Char('N')
      .Raw(TupleBytes(row))
      .Take();
}
struct OldCells {
  char tag = 'K';  // 'K' key, 'O' full
  Cells cells;
};
inline std::string UpdateBytes(uint32_t relation, const OldCells& old_row, const Cells& new_row,
                               OptionalXid xid = {}) {
  PgoutputBytes out;
  out.Char('U').OptionalXid(xid).U32(relation);
  out.Char(old_row.tag).Raw(TupleBytes(old_row.cells));
  return out.Char('N').Raw(TupleBytes(new_row)).Take();
}
inline std::string DeleteBytes(uint32_t relation, const OldCells& old_row, OptionalXid xid = {}) {
  PgoutputBytes out;
  out.Char('D').OptionalXid(xid).U32(relation);
  return out.Char(old_row.tag).Raw(TupleBytes(old_row.cells)).Take();
}
inline std::string TruncateBytes(const std::vector<uint32_t>& relations, uint8_t options = 0,
                                 OptionalXid xid = {}) {
  PgoutputBytes out;
  out.Char('T').OptionalXid(xid).U32(relations.size()).U8(options);
  for (const uint32_t relation : relations) out.U32(relation);
  return out.Take();
}
struct MessageSpec {
  bool transactional = true;
  uint64_t lsn = 0;
  std::string prefix;
  std::string content;
};
inline std::string MessageBytes(const MessageSpec& spec, OptionalXid xid = {}) {
  PgoutputBytes out;
  out.Char('M').OptionalXid(xid).U8(spec.transactional ? 1 : 0).U64(spec.lsn).CString(spec.prefix);
  return out.U32(spec.content.size()).Raw(spec.content).Take();
}

inline std::string StreamStartBytes(uint32_t xid, bool first_segment) {
  return PgoutputBytes().Char('S').U32(xid).U8(first_segment ? 1 : 0).Take();
}
inline std::string StreamStopBytes() { return "E"; }
inline std::string StreamCommitBytes(uint32_t xid, uint64_t commit_lsn, uint64_t end_lsn,
                                     int64_t time_us) {
  PgoutputBytes out;
  out.Char('c').U32(xid).U8(0).U64(commit_lsn).U64(end_lsn);
  return out.TimeUs(time_us).Take();
}
inline std::string StreamAbortBytes(uint32_t xid, uint32_t subtransaction) {
  return PgoutputBytes().Char('A').U32(xid).U32(subtransaction).Take();
}
// As protocol 4 sends it with streaming=parallel.
inline std::string ParallelStreamAbortBytes(uint32_t xid, uint32_t subtransaction, uint64_t lsn,
                                            int64_t time_us) {
  PgoutputBytes out;
  out.Char('A').U32(xid).U32(subtransaction);
  return out.U64(lsn).TimeUs(time_us).Take();
}

struct PreparedSpec {
  uint64_t lsn = 0;
  uint64_t end_lsn = 0;
  int64_t time_us = 0;
  uint32_t xid = 0;
  std::string gid;
};
inline std::string PreparedBytes(const PreparedSpec& spec) {
  PgoutputBytes out;
  out.U64(spec.lsn).U64(spec.end_lsn).TimeUs(spec.time_us);
  return out.U32(spec.xid).CString(spec.gid).Take();
}
inline std::string BeginPrepareBytes(const PreparedSpec& spec) {
  return PgoutputBytes().Char('b').Raw(PreparedBytes(spec)).Take();
}
inline std::string PrepareBytes(const PreparedSpec& spec) {
  return PgoutputBytes().Char('P').U8(0).Raw(PreparedBytes(spec)).Take();
}
inline std::string StreamPrepareBytes(const PreparedSpec& spec) {
  return PgoutputBytes().Char('p').U8(0).Raw(PreparedBytes(spec)).Take();
}
inline std::string CommitPreparedBytes(const PreparedSpec& spec) {
  return PgoutputBytes().Char('K').U8(0).Raw(PreparedBytes(spec)).Take();
}
inline std::string RollbackPreparedBytes(const PreparedSpec& spec, int64_t rollback_time_us) {
  PgoutputBytes out;
  out.Char('r').U8(0).U64(spec.lsn).U64(spec.end_lsn).TimeUs(spec.time_us);
  return out.TimeUs(rollback_time_us).U32(spec.xid).CString(spec.gid).Take();
}

}  // namespace walduct::test
