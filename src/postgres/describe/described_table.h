// What the catalog's answers make of a table. Pure. Used by Catalog and SchemaQuery only.
//
// The key is the primary key; without one the first unique index without expressions, clustered
// first, then by index name, partial and nullable ones included, as Debezium has it. A stream that
// still describes a primary key which the catalog has meanwhile lost keeps it, as far as replica
// identity DEFAULT tells.
#pragma once

#include <optional>

#include "event/table_schema.h"
#include "postgres/describe/relation_reader.h"
#include "postgres/describe/schema_memory.h"
#include "postgres/describe/type_cache.h"

namespace walduct::postgres {

// As the stream describes it, decorated with what the catalog says of columns of the same name;
// known is absent when the table has been dropped. What the catalog does not know any more is as in
// the relation's previous schema, or as memory has it (null: nobody remembers).
event::TableSchemaPtr DescribeStreamed(const event::RelationDescription& relation,
                                       const std::optional<CatalogRelation>& known,
                                       const TypeCache& types,
                                       const SchemaMemory* memory = nullptr);

// As of now, all columns in attnum order.
event::TableSchemaPtr DescribeKnown(Oid relation, const CatalogRelation& known,
                                    const TypeCache& types);

}  // namespace walduct::postgres
