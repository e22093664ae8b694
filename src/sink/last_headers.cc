#include "sink/last_headers.h"

#include <algorithm>

namespace walduct::sink {

bool LastHeaders::Are(absl::Span<const event::Header> headers) const {
  return std::equal(headers.begin(), headers.end(), kept_.begin(), kept_.end(),
                    [](const event::Header& header, const Kept& kept) {
                      return header.value == kept.value && header.is_null == kept.is_null &&
                             header.name == kept.name;
                    });
}

kafka::Headers* LastHeaders::Of(absl::Span<const event::Header> headers) {
  if (Are(headers)) return &made_;
  kept_.resize(headers.size());
  texts_.resize(headers.size());
  for (size_t i = 0; i < headers.size(); ++i) {
    const event::Header& header = headers[i];
    kept_[i].name.assign(header.name.data(), header.name.size());
    kept_[i].value.assign(header.value.data(), header.value.size());
    kept_[i].is_null = header.is_null;
    texts_[i] = {.name = kept_[i].name, .value = kept_[i].value};
    if (header.is_null) texts_[i].value.reset();
  }
  made_.Set(texts_);
  return &made_;
}

}  // namespace walduct::sink
