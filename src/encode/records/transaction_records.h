// The records of the transaction topic, and the transaction block of other records
// (provide.transaction.metadata).
#pragma once

#include <string>

#include "config/options/options.h"
#include "encode/formats/text_target.h"
#include "encode/schema/connect_schema.h"
#include "event/emission.h"

namespace walduct::encode {

ConnectSchema TransactionKeySchema();
ConnectSchema TransactionValueSchema();
// "xid:lsn"
void AppendTransactionId(uint64_t xid, Lsn lsn, std::string* out);
// The items of data_collections as JSON, with commas between.
// The items of data_collections as StringConverter prints them, and in JSON.
void AppendCollectionsStruct(const event::TransactionBoundary& boundary, std::string* out);
void AppendCollectionsJson(const event::TransactionBoundary& boundary, std::string* out);

// The schemas' texts are made once. Thread-safe after construction.
class TransactionRecords {
 public:
  explicit TransactionRecords(const config::EncodeOptions& options);

  void AppendKey(const event::TransactionBoundary& boundary, TextFormat format,
                 std::string* out) const;
  // collections are listed at the end only.
  void AppendValue(const event::Emission& emission, TextFormat format, std::string* out) const;

 private:
  const std::string key_head_, value_head_;
};

// `,"transaction":{…}` or `,"transaction":null`; in kStruct an absent block is left out.
void AppendTransactionBlock(const event::Emission& emission, TextFormat format, std::string* out);

}  // namespace walduct::encode
