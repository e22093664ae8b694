#include "encode/records/constant_headers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::encode {

ConstantHeaders::ConstantHeaders(absl::Span<const event::Header> headers)
    : headers_(headers.begin(), headers.end()) {
  for (const event::Header& header : headers) absl::StrAppend(&bytes_, header.name, header.value);
  absl::string_view left = bytes_;
  for (event::Header& header : headers_) {
    header.name = left.substr(0, header.name.size());
    left.remove_prefix(header.name.size());
    header.value = left.substr(0, header.value.size());
    left.remove_prefix(header.value.size());
  }
}

bool ConstantHeaders::Equals(absl::Span<const event::Header> headers) const {
  return std::equal(headers_.begin(), headers_.end(), headers.begin(), headers.end(),
                    [](const event::Header& a, const event::Header& b) {
                      return a.name == b.name && a.value == b.value && a.is_null == b.is_null;
                    });
}

std::shared_ptr<const ConstantHeaders> HeaderPool::Share(absl::Span<const event::Header> headers) {
  for (const auto& known : recent_) {
    if (known != nullptr && known->Equals(headers)) return known;
  }
  auto& made = recent_[next_++ % recent_.size()];
  made = std::make_shared<const ConstantHeaders>(headers);
  return made;
}

}  // namespace walduct::encode
