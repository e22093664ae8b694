// publication.autocreate.mode: what is done about a publication at a start.
#pragma once

namespace walduct::replication {

enum class PublicationAutocreate { kAllTables, kDisabled, kFiltered, kNoTables };

}  // namespace walduct::replication
