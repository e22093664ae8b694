#include "offset/topic/topic_gone.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::offset {

absl::Status OffsetTopicGone(absl::StatusCode code, absl::string_view topic,
                             absl::string_view why) {
  return Error(
      code, "offset_topic_gone", absl::StrCat("the offset topic ", topic, " is gone: ", why),
      "nothing to do: it is created again, and the position is stored there; until then do "
      "not stop this process: it alone knows the position");
}

}  // namespace walduct::offset
