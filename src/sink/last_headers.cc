#include "sink/last_headers.h"

#include <algorithm>
#include <optional>

#include "absl/strings/string_view.h"

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
  made_.Clear();
  for (size_t i = 0; i < headers.size(); ++i) {
    const event::Header& header = headers[i];
    kept_[i].name.assign(header.name.data(), header.name.size());
    kept_[i].value.assign(header.value.data(), header.value.size());
    kept_[i].is_null = header.is_null;
    made_.Add(header.name,
              header.is_null ? std::nullopt : std::optional<absl::string_view>(header.value),
              headers.size());
  }
  return &made_;
}

}  // namespace walduct::sink
