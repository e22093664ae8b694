// How the values of fields (InputField) are spelled. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "encode/formats/value_context.h"
#include "encode/options/value_options.h"
#include "event/connect_schema.h"
#include "event/emission.h"

namespace walduct::encode {

// source.snapshot; empty for kFalse, which leaves the field unset.
absl::string_view SnapshotMarkerText(event::SnapshotMarker marker);

// "xid:lsn". The LSN is that of the record, so that the id differs from record to record: what
// names the transaction is before the colon.
void AppendTransactionId(uint64_t xid, Lsn lsn, std::string* out);

// source.sequence: ["last commit","lsn"]
void AppendSequence(const event::ChangeEvent& change, std::string* out);

// data_collections
void AppendCollections(const event::TransactionBoundary& boundary, TextFormat format,
                       std::string* out);

// The content of a logical message, by binary.handling.mode.
event::ConnectType MessageContentType(const ValueOptions& values);
void AppendMessageContent(const ValueOptions& values, absl::string_view content,
                          ValueContext* context);

}  // namespace walduct::encode
