// RETURN_IF_ERROR(expr): returns expr's status from the enclosing function unless it is OK.
// ASSIGN_OR_RETURN(lhs, expr): assigns the value of a StatusOr or returns its status. lhs may
// declare a variable.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define WALDUCT_CONCAT_INNER(a, b) a##b
#define WALDUCT_CONCAT(a, b) WALDUCT_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expr)                                                              \
  do {                                                                                     \
    if (absl::Status walduct_status = (expr); !walduct_status.ok()) return walduct_status; \
  } while (false)

#define ASSIGN_OR_RETURN(lhs, expr) \
  WALDUCT_ASSIGN_OR_RETURN(WALDUCT_CONCAT(walduct_statusor_, __LINE__), lhs, expr)
#define WALDUCT_ASSIGN_OR_RETURN(statusor, lhs, expr)      \
  auto statusor = (expr);                                  \
  if (!statusor.ok()) return std::move(statusor).status(); \
  lhs = std::move(statusor).value()
