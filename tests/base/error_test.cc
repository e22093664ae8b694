#include "base/error.h"

#include <gtest/gtest.h>

#include "base/status_macros.h"

namespace walduct {
namespace {

TEST(Error, CarriesCodeReasonMessageAndHint) {
  const absl::Status status =
      Error(absl::StatusCode::kAborted, "slot_in_use", "slot \"a\" is active", "choose another");
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(status.message(), "slot \"a\" is active");
  EXPECT_EQ(ErrorReason(status), "slot_in_use");
  EXPECT_EQ(ErrorHint(status), "choose another");
}

TEST(Error, StatusesOfOthersHaveNeitherReasonNorHint) {
  EXPECT_EQ(ErrorReason(absl::InternalError("x")), "");
  EXPECT_EQ(ErrorHint(absl::InternalError("x")), "");
  EXPECT_EQ(ErrorReason(absl::OkStatus()), "");
}

TEST(WithContext, GoesBeforeTheMessageAndKeepsTheRest) {
  const absl::Status status = WithContext(
      Error(absl::StatusCode::kDataLoss, "broken", "byte 3", "report it"), "table public.t");
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(), "table public.t: byte 3");
  EXPECT_EQ(ErrorReason(status), "broken");
  EXPECT_EQ(ErrorHint(status), "report it");
}

TEST(WithContext, LeavesOkAlone) { EXPECT_TRUE(WithContext(absl::OkStatus(), "anything").ok()); }

absl::StatusOr<int> Half(int number) {
  if (number % 2 != 0) return absl::InvalidArgumentError("odd");
  return number / 2;
}

absl::Status Quarter(int number, int* quarter) {
  ASSIGN_OR_RETURN(const int half, Half(number));
  ASSIGN_OR_RETURN(*quarter, Half(half));
  return absl::OkStatus();
}

absl::Status Both(const absl::Status& first, const absl::Status& second) {
  RETURN_IF_ERROR(first);
  RETURN_IF_ERROR(second);
  return absl::OkStatus();
}

TEST(Error, TheChangeIsKeptByContext) {
  const absl::Status error =
      WithChange(Error(absl::StatusCode::kInvalidArgument, "r", "m"), "0/1:2");
  EXPECT_EQ(ErrorChange(WithContext(error, "c")), "0/1:2");
  EXPECT_EQ(ErrorChange(Error(absl::StatusCode::kInvalidArgument, "r", "m")), "");
  EXPECT_TRUE(WithChange(absl::OkStatus(), "0/1:2").ok());
}

TEST(StatusMacros, AssignOrReturnStopsAtTheFirstError) {
  int quarter = -1;
  EXPECT_TRUE(Quarter(12, &quarter).ok());
  EXPECT_EQ(quarter, 3);
  EXPECT_EQ(Quarter(6, &quarter).message(), "odd");
  EXPECT_EQ(quarter, 3);
}

TEST(StatusMacros, ReturnIfErrorPassesTheErrorOn) {
  EXPECT_TRUE(Both(absl::OkStatus(), absl::OkStatus()).ok());
  EXPECT_TRUE(absl::IsNotFound(Both(absl::NotFoundError("a"), absl::AbortedError("b"))));
  EXPECT_TRUE(absl::IsAborted(Both(absl::OkStatus(), absl::AbortedError("b"))));
}

}  // namespace
}  // namespace walduct
