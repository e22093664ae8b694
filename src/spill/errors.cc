#include "spill/errors.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::spill {
namespace {

constexpr absl::string_view kOrOff =
    "or set walduct.transaction.streaming=false: the server then keeps large transactions on its "
    "own disk until they commit";

}  // namespace

absl::Status FullError(absl::string_view directory, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "spill_full",
               absl::StrCat("no room for transactions in progress in ", directory, ": ", why),
               absl::StrCat("make room there, set walduct.transaction.spill.directory to a larger "
                            "disk, ",
                            kOrOff));
}

absl::Status LimitError(uint64_t bytes, uint64_t max_bytes, size_t files) {
  return Error(absl::StatusCode::kFailedPrecondition, "spill_full",
               absl::StrCat(files, " transactions in progress take ", bytes,
                            " bytes on disk, and the limit is ", max_bytes),
               absl::StrCat("raise walduct.transaction.spill.max.bytes, ", kOrOff));
}

absl::Status UnwritableError(absl::string_view directory, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "spill_unwritable",
               absl::StrCat("cannot keep transactions in progress in ", directory, ": ", why),
               "set walduct.transaction.spill.directory to an existing directory that this user "
               "can write to, with a limit on open files (ulimit -n) above the number of large "
               "transactions at a time");
}

absl::Status UnreadableError(absl::string_view why) {
  return Error(absl::StatusCode::kUnavailable, "spill_unreadable",
               absl::StrCat("a transaction kept on disk cannot be read back: ", why),
               "it is received anew; if this is repeated, check the disk of "
               "walduct.transaction.spill.directory");
}

}  // namespace walduct::spill
