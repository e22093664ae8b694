#include "encode/formats/text_target.h"

#include "encode/formats/formats.h"

namespace walduct::encode {

void AppendText(absl::string_view text, const TextTarget* target) {
  WithTextWriter(*target, [&](auto* out) { out->String(text); });
}

}  // namespace walduct::encode
