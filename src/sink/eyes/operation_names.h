// What a record of Debezium is called where people read it, and its colour there.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::sink {

inline constexpr absl::string_view kBold = "\x1b[1m";
inline constexpr absl::string_view kDim = "\x1b[2m";
inline constexpr absl::string_view kGreen = "\x1b[32m";
inline constexpr absl::string_view kYellow = "\x1b[33m";
inline constexpr absl::string_view kRed = "\x1b[31m";
inline constexpr absl::string_view kCyan = "\x1b[36m";

struct OperationName {
  absl::string_view code;  // the envelope's "op"; empty: it has none
  absl::string_view name, colour;
};

inline constexpr OperationName kOperations[] = {
    {"r", "READ", kCyan},  {"c", "CREATE", kGreen}, {"u", "UPDATE", kYellow},
    {"d", "DELETE", kRed}, {"t", "TRUNCATE", kRed}, {"m", "MESSAGE", kCyan},
};
inline constexpr OperationName kRecord = {"", "RECORD", kCyan};

// kRecord when it is none of them.
constexpr const OperationName& OperationOf(absl::string_view code) {
  for (const OperationName& one : kOperations)
    if (one.code == code) return one;
  return kRecord;
}

}  // namespace walduct::sink
