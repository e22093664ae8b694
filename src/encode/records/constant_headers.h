// ConstantHeaders: headers that are the same in all records of a template. Most tables have the
// same ones: HeaderPool keeps those once, so that records of thousands of tables find them in the
// processor's cache. Thread-safety: none; both belong to one encoder.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "event/record.h"

namespace walduct::encode {

class ConstantHeaders {
 public:
  // Copies.
  explicit ConstantHeaders(absl::Span<const event::Header> headers);
  ConstantHeaders(const ConstantHeaders&) = delete;
  ConstantHeaders& operator=(const ConstantHeaders&) = delete;

  // Borrowed; its address stays the same.
  absl::Span<const event::Header> headers() const { return headers_; }
  bool Equals(absl::Span<const event::Header> headers) const;

 private:
  std::string bytes_;
  std::vector<event::Header> headers_;
};

class HeaderPool {
 public:
  std::shared_ptr<const ConstantHeaders> Share(absl::Span<const event::Header> headers);

 private:
  // Where transforms give each table its own, the last ones.
  std::array<std::shared_ptr<const ConstantHeaders>, 8> recent_;
  size_t next_ = 0;
};

}  // namespace walduct::encode
