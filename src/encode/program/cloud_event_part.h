// CloudEventPart: the value of a template as a CloudEvent whose data is Avro: data in the frame of
// a registry, and an event around it, in JSON or in Avro, too. The event names data's schema.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "encode/program/avro_part.h"
#include "encode/program/cloud_events/cloud_event.h"
#include "encode/program/part_program.h"

namespace walduct::encode {

class CloudEventPart {
 public:
  // null: such a record's value is null.
  static absl::StatusOr<std::shared_ptr<CloudEventPart>> Compile(
      const event::Node& value, const std::vector<event::Node>& headers,
      const AvroPart::Parts& parts);

  bool has_transaction_text() const;
  void BeginTransaction(const RecordInputs& inputs, ValueContext* context);
  // See AvroPart::Prepare.
  absl::Status Prepare();
  absl::Status Run(const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                   OutBuffer* buffer, std::optional<absl::string_view>* out);

 private:
  // A value that is made before the event is written. Belongs to this part alone.
  struct Held;

  CloudEventPart();
  absl::Status CompileEvent(const CloudEvent& event, const AvroPart::Parts& parts);

  const std::shared_ptr<Held> data_bytes_, schema_uri_;
  OutBuffer data_buffer_;
  std::unique_ptr<AvroPart> data_;
  PartProgram event_;
  std::string uri_base_;
};

}  // namespace walduct::encode
