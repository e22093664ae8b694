#include "postgres/describe/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/poller.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "postgres/describe/schema_query.h"
#include "tests/support/postgres_server.h"

namespace walduct::postgres {
namespace {

using event::ReplicaIdentity;
using event::TypeKind;
using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CatalogTest : public ::testing::Test {
 protected:
  Oid OidOf(const std::string& table) {
    uint32_t oid = 0;
    EXPECT_TRUE(absl::SimpleAtoi(
        MustQuery(*session_, absl::StrCat("SELECT '", table, "'::regclass::oid::text")), &oid));
    return Oid{oid};
  }
  Oid TypeOid(const std::string& type) {
    uint32_t oid = 0;
    EXPECT_TRUE(absl::SimpleAtoi(
        MustQuery(*session_, absl::StrCat("SELECT '", type, "'::regtype::oid::text")), &oid));
    return Oid{oid};
  }
  event::TableSchemaPtr Describe(const std::string& table) {
    auto schema = catalog_.Describe(OidOf(table));
    EXPECT_TRUE(schema.ok()) << schema.status();
    return *schema;
  }
  event::TableSchemaPtr Resolve(const event::RelationDescription& relation) {
    return Resolve(relation, stream_);
  }
  static event::TableSchemaPtr Resolve(const event::RelationDescription& relation,
                                       SchemaQuery& stream) {
    EXPECT_TRUE(stream.Ask(relation).ok());
    while (true) {
      auto schema = stream.Poll();
      EXPECT_TRUE(schema.ok()) << schema.status();
      if (!schema.ok() || *schema != nullptr) return *std::move(schema);
      Poller::Real().WaitReadable({stream.ready_fd()}, absl::Seconds(1));
    }
  }
  // The relation as pgoutput describes it now; identity flags as replica identity DEFAULT sets
  // them.
  event::RelationDescription Streamed(const std::string& table) {
    const event::TableSchemaPtr schema = Describe(table);
    event::RelationDescription relation{.relation = schema->relation,
                                        .schema = schema->schema,
                                        .table = schema->table,
                                        .columns = {}};
    for (const event::Column& column : schema->columns) {
      relation.columns.push_back(
          {.name = column.name, .type = column.type->oid, .typmod = column.typmod});
    }
    for (const uint16_t key : schema->key_columns) relation.columns[key].part_of_identity = true;
    return relation;
  }
  void Run(absl::string_view sql) { MustQuery(*session_, sql); }
  static std::vector<std::string> Key(const event::TableSchema& schema) {
    std::vector<std::string> names;
    for (const uint16_t index : schema.key_columns) names.push_back(schema.columns[index].name);
    return names;
  }

  std::unique_ptr<Connection> session_ = MustOpen(PostgresServer::Shared().CreateDatabase());
  Catalog catalog_{*session_};
  SchemaQuery stream_{*session_, Clock::Real()};
};

TEST_F(CatalogTest, KEY01_PrimaryKeyInItsOwnOrder) {
  Run("CREATE TABLE public.t(a int, b int, c int, d int, PRIMARY KEY (b, d, c, a))");
  EXPECT_THAT(Key(*Describe("public.t")), ElementsAre("b", "d", "c", "a"));
}

TEST_F(CatalogTest, KEY15_IncludedColumnsAreNotInTheKey) {
  Run("CREATE TABLE public.t(a int, b int, PRIMARY KEY (a) INCLUDE (b))");
  EXPECT_THAT(Key(*Describe("public.t")), ElementsAre("a"));
}

// As in Debezium: JDBC lists them among the index's columns.
TEST_F(CatalogTest, IncludedColumnsAreInTheKeyThatAUniqueIndexIs) {
  Run("CREATE TABLE public.t(a int, b int, c int);"
      "CREATE UNIQUE INDEX ON public.t(c) INCLUDE (a)");
  EXPECT_THAT(Key(*Describe("public.t")), ElementsAre("c", "a"));
}

// It did not keep duplicates out: rows would take the place of each other.
TEST_F(CatalogTest, AnInvalidUniqueIndexIsNoKey) {
  Run("CREATE TABLE public.t(a int); CREATE UNIQUE INDEX broken ON public.t(a);"
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'public.broken'::regclass");
  EXPECT_THAT(Key(*Describe("public.t")), IsEmpty());
}

TEST_F(CatalogTest, AChunkOfTimescaleDbHasAHypertable) {
  Run("CREATE SCHEMA _timescaledb_catalog; CREATE TABLE public.t(a int); CREATE TABLE public.u(a "
      "int);"
      "CREATE TABLE _timescaledb_catalog.hypertable(id int, schema_name name, table_name name);"
      "CREATE TABLE _timescaledb_catalog.chunk(id int, hypertable_id int, schema_name name, "
      "table_name name)");
  EXPECT_EQ(Describe("public.t")->hypertable, nullptr);  // the catalog is not whole
  Run("CREATE TABLE _timescaledb_catalog.continuous_agg(mat_hypertable_id int, user_view_schema "
      "name, user_view_name name);"
      "INSERT INTO _timescaledb_catalog.hypertable VALUES (1, 'shop', 'readings'), (2, 'inner', "
      "'_store');"
      "INSERT INTO _timescaledb_catalog.chunk VALUES (1, 1, 'public', 't'), (2, 2, 'public', 'u');"
      "INSERT INTO _timescaledb_catalog.continuous_agg VALUES (2, 'shop', 'daily')");
  const event::Hypertable readings{.schema = "shop", .table = "readings"};
  const event::Hypertable daily{
      .schema = "inner", .table = "_store", .aggregate_schema = "shop", .aggregate = "daily"};
  for (const auto& schema : {Describe("public.t"), Resolve(Streamed("public.t"))}) {
    ASSERT_NE(schema->hypertable, nullptr);
    EXPECT_EQ(*schema->hypertable, readings);
  }
  EXPECT_EQ(*Resolve(Streamed("public.u"))->hypertable, daily);
  EXPECT_EQ(Describe("_timescaledb_catalog.chunk")->hypertable, nullptr);
}

TEST_F(CatalogTest, KEY02_FirstUniqueIndexByNameWithoutPrimaryKey) {
  Run("CREATE TABLE public.t(a int, b int); CREATE UNIQUE INDEX zz ON public.t(a);"
      "CREATE UNIQUE INDEX \"AA\" ON public.t(b) WHERE a > 0");
  EXPECT_THAT(Key(*Describe("public.t")), ElementsAre("b"));
  Run("ALTER TABLE public.t CLUSTER ON zz");
  EXPECT_THAT(Key(*Describe("public.t")), ElementsAre("a"));
}

TEST_F(CatalogTest, KEY04_UniqueIndexWithAnExpressionIsNoKey) {
  Run("CREATE TABLE public.t(a int, b int); CREATE UNIQUE INDEX ON public.t(a, coalesce(b, 0));"
      "CREATE INDEX ON public.t(a)");
  EXPECT_THAT(Key(*Describe("public.t")), IsEmpty());
}

TEST_F(CatalogTest, KEY12_FullIdentityTakesTheKeyFromTheCatalog) {
  Run("CREATE TABLE public.t(id int PRIMARY KEY, v text)");
  auto relation = Streamed("public.t");
  relation.replica_identity = ReplicaIdentity::kFull;
  for (auto& column : relation.columns) column.part_of_identity = true;
  EXPECT_THAT(Key(*Resolve(relation)), ElementsAre("id"));
}

TEST_F(CatalogTest, KEY09_KeyColumnsTheStreamDoesNotHaveAreLeftOut) {
  Run("CREATE TABLE public.t(newpk int, pk2 int, PRIMARY KEY (newpk, pk2))");
  const auto before = Streamed("public.t");
  Run("ALTER TABLE public.t DROP COLUMN pk2; ALTER TABLE public.t ADD COLUMN pk3 int;"
      "ALTER TABLE public.t ADD PRIMARY KEY (newpk, pk3)");
  const auto schema = Resolve(before);
  EXPECT_THAT(Key(*schema), ElementsAre("newpk"));
  EXPECT_EQ(schema->columns.size(), 2u);
  EXPECT_FALSE(schema->columns[1].optional);
}

TEST_F(CatalogTest, KEY08_KeyFollowsTheDefinition) {
  Run("CREATE TABLE public.t(pk int PRIMARY KEY, v int NOT NULL)");
  Run("ALTER TABLE public.t DROP CONSTRAINT t_pkey; ALTER TABLE public.t RENAME pk TO newpk;"
      "ALTER TABLE public.t ADD PRIMARY KEY (newpk, v)");
  EXPECT_THAT(Key(*Resolve(Streamed("public.t"))), ElementsAre("newpk", "v"));
}

TEST_F(CatalogTest, P8_DroppedPrimaryKeyIsKnownFromTheFlags) {
  Run("CREATE TABLE public.t(id int PRIMARY KEY, v int UNIQUE)");
  const auto before = Streamed("public.t");
  Run("ALTER TABLE public.t DROP CONSTRAINT t_pkey");
  EXPECT_THAT(Key(*Resolve(before)), ElementsAre("id"));
  EXPECT_THAT(Key(*Resolve(Streamed("public.t"))), ElementsAre("v"));
}

TEST_F(CatalogTest, P5_DroppedTableIsKeyedByFlagsAndOptionalElse) {
  Run("CREATE TABLE public.t(id int PRIMARY KEY, v int NOT NULL DEFAULT 7)");
  const auto before = Streamed("public.t");
  Run("DROP TABLE public.t");
  const auto schema = Resolve(before);
  EXPECT_THAT(Key(*schema), ElementsAre("id"));
  EXPECT_FALSE(schema->columns[0].optional);
  EXPECT_TRUE(schema->columns[1].optional);
  EXPECT_FALSE(schema->columns[1].default_expression);
}

TEST_F(CatalogTest, P5_RenamedColumnHasNoDefaultAndRenamedTableKeepsTheStreamsName) {
  Run("CREATE TABLE public.t(id int PRIMARY KEY, v int NOT NULL DEFAULT 7)");
  const auto before = Streamed("public.t");
  Run("ALTER TABLE public.t RENAME v TO w; ALTER TABLE public.t RENAME TO u");
  const auto schema = Resolve(before);
  EXPECT_EQ(schema->table, "t");
  EXPECT_EQ(schema->columns[1].name, "v");
  EXPECT_TRUE(schema->columns[1].optional);
  EXPECT_FALSE(schema->columns[1].default_expression);
}

TEST_F(CatalogTest, DefaultOfAChangedTypeIsNotTaken) {
  Run("CREATE TABLE public.t(id int PRIMARY KEY, v int DEFAULT 7)");
  const auto before = Streamed("public.t");
  EXPECT_EQ(Resolve(before)->columns[1].default_expression, "7");
  Run("ALTER TABLE public.t ALTER v TYPE text");
  EXPECT_FALSE(Resolve(before)->columns[1].default_expression);
}

TEST_F(CatalogTest, DescribesDefaultsNullabilityIdentityAndGeneration) {
  Run("CREATE TABLE public.t(id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, s serial, n "
      "numeric(6,2) DEFAULT 1.50,"
      " g int GENERATED ALWAYS AS (1 + 1) STORED, gone int, v varchar(5)); ALTER TABLE public.t "
      "DROP COLUMN gone");
  const auto schema = Describe("public.t");
  ASSERT_EQ(schema->columns.size(), 5u);
  EXPECT_TRUE(schema->columns[0].identity);
  EXPECT_FALSE(schema->columns[0].optional);
  EXPECT_FALSE(schema->columns[0].default_expression);
  EXPECT_EQ(schema->columns[1].default_expression, "nextval('public.t_s_seq'::regclass)");
  EXPECT_EQ(schema->columns[2].default_expression, "1.50");
  EXPECT_EQ(schema->columns[2].typmod, ((6 << 16) | 2) + 4);
  EXPECT_TRUE(schema->columns[3].generated);
  EXPECT_EQ(schema->columns[3].default_expression, "(1 + 1)");
  EXPECT_EQ(schema->columns[4].name, "v");
  EXPECT_EQ(schema->columns[4].typmod, 9);
}

TEST_F(CatalogTest, P6_DomainsGiveModifierAndNullability) {
  Run("CREATE DOMAIN public.d1 AS varchar(7) NOT NULL; CREATE DOMAIN public.d2 AS public.d1;"
      "CREATE TABLE public.t(a public.d2, b public.d2[], c public.d1)");
  const auto schema = Describe("public.t");
  const event::Column& a = schema->columns[0];
  EXPECT_EQ(a.type->kind, TypeKind::kDomain);
  EXPECT_EQ(a.type->base->kind, TypeKind::kDomain);
  EXPECT_EQ(event::BaseType(*a.type).name, "varchar");
  EXPECT_EQ(a.typmod, 11);
  EXPECT_TRUE(a.optional) << "NOT NULL is of the domain under it, which JDBC does not see";
  EXPECT_FALSE(schema->columns[2].optional);
  const event::Column& b = schema->columns[1];
  EXPECT_EQ(b.type->kind, TypeKind::kArray);
  EXPECT_EQ(event::BaseType(*b.type->element).name, "varchar");
  EXPECT_TRUE(b.optional);
}

TEST_F(CatalogTest, P7_EnumLabelsAreReadAgainForEveryRelation) {
  Run("CREATE TYPE public.mood AS ENUM ('sad', 'happy'); CREATE TABLE public.t(m public.mood, ms "
      "public.mood[])");
  const auto relation = Streamed("public.t");
  EXPECT_THAT(Resolve(relation)->columns[0].type->labels, ElementsAre("sad", "happy"));
  Run("ALTER TYPE public.mood ADD VALUE 'ok, \"then\"' BEFORE 'happy'");
  const auto schema = Resolve(relation);
  EXPECT_THAT(schema->columns[0].type->labels, ElementsAre("sad", "ok, \"then\"", "happy"));
  EXPECT_THAT(schema->columns[1].type->element->labels,
              ElementsAre("sad", "ok, \"then\"", "happy"));
}

TEST_F(CatalogTest, TYP46_TellsKindsOfTypesApart) {
  Run("CREATE TYPE public.pair AS (a int, b int)");
  const auto kind = [&](const std::string& type) {
    return (*catalog_.TypeByOid(TypeOid(type)))->kind;
  };
  EXPECT_EQ(kind("int4"), TypeKind::kBase);
  EXPECT_EQ(kind("name"), TypeKind::kBase);
  EXPECT_EQ(kind("point"), TypeKind::kBase);
  EXPECT_EQ(kind("int2vector"), TypeKind::kBase);
  EXPECT_EQ(kind("int2vector[]"), TypeKind::kArray);
  EXPECT_EQ(kind("text[]"), TypeKind::kArray);
  EXPECT_EQ(kind("int4range"), TypeKind::kRange);
  EXPECT_EQ(kind("int4multirange"), TypeKind::kMultirange);
  EXPECT_EQ(kind("public.pair"), TypeKind::kComposite);
  EXPECT_EQ((*catalog_.TypeByOid(TypeOid("text[]")))->element->name, "text");
}

// By what its name says: a type of an extension, or another one that has the name.
TEST_F(CatalogTest, TypesOfUsersAreToldFromThoseOfExtensions) {
  Run("CREATE SCHEMA app; CREATE EXTENSION hstore SCHEMA public");
  for (const char* name : {"app.hstore", "app.own"}) {
    const std::string own = name;
    Run(absl::StrCat(
        "CREATE TYPE ", own, "; CREATE FUNCTION ", own, "_in(cstring) RETURNS ", own,
        " LANGUAGE internal STRICT IMMUTABLE AS 'textin'; CREATE FUNCTION ", own, "_out(", own,
        ") RETURNS cstring LANGUAGE internal STRICT IMMUTABLE AS "
        "'textout'; CREATE TYPE ",
        own, " (input = ", own, "_in, output = ", own, "_out, like = text, delimiter = ';')"));
  }
  const auto type = [&](const std::string& name) { return *catalog_.TypeByOid(TypeOid(name)); };
  EXPECT_FALSE(type("int4")->by_hand);
  EXPECT_EQ(type("int4")->delimiter, ',');
  EXPECT_EQ(type("box[]")->element->delimiter, ';');
  EXPECT_FALSE(type("public.hstore")->by_hand);
  EXPECT_FALSE(type("public.hstore[]")->element->by_hand);
  EXPECT_TRUE(type("app.hstore")->by_hand);
  EXPECT_FALSE(type("app.own")->by_hand) << "no extension has that name";
  EXPECT_EQ(type("app.own[]")->element->delimiter, ';');
}

TEST_F(CatalogTest, DroppedTypeIsStillAType) {
  event::RelationDescription relation{
      .relation = Oid{1}, .schema = "s", .table = "t", .columns = {}};
  relation.columns.push_back({.name = "c", .type = Oid{4000000000}});
  const auto schema = Resolve(relation);
  ASSERT_NE(schema->columns[0].type, nullptr);
  EXPECT_EQ(schema->columns[0].type->oid, Oid{4000000000});
  EXPECT_TRUE(absl::IsNotFound(catalog_.TypeByOid(Oid{4000000000}).status()));
}

TEST_F(CatalogTest, TypesOfUsersAreThoseOfColumns) {
  Run("CREATE TYPE public.mood AS ENUM ('ok'); CREATE DOMAIN public.price AS numeric(8,2);"
      "CREATE TYPE public.unused AS ENUM ('x'); CREATE TYPE public.former AS ENUM ('y');"
      "CREATE TABLE public.t(id int, c money, m public.mood[], n public.mood[], p public.price, f "
      "public.former); ALTER TABLE public.t DROP COLUMN f;"
      "CREATE TABLE public.other(u public.unused)");
  const auto types = catalog_.TypesOfUsers({OidOf("public.t"), Oid{4000000000}});
  ASSERT_TRUE(types.ok()) << types.status();
  EXPECT_THAT(*types, ::testing::UnorderedElementsAre(TypeOid("money"), TypeOid("public.mood[]"),
                                                      TypeOid("public.price")));
  EXPECT_THAT(*catalog_.TypesOfUsers({}), IsEmpty());
}

class RememberingCatalogTest : public CatalogTest {
 protected:
  RememberingCatalogTest() {
    Run("CREATE TYPE public.mood AS ENUM ('sad', 'ok'); CREATE DOMAIN public.price AS numeric(8,2) "
        "NOT NULL; CREATE TABLE public.t(id int PRIMARY KEY, m public.mood NOT NULL DEFAULT 'ok', "
        "ms public.mood[], p public.price, n int NOT NULL DEFAULT 7)");
  }
  // As Prisma, TypeORM and others do it.
  void Migrate() {
    Run("BEGIN; CREATE TYPE public.mood_new AS ENUM ('sad', 'ok', 'glad');"
        "ALTER TABLE public.t ALTER m DROP DEFAULT;"
        "ALTER TABLE public.t ALTER m TYPE public.mood_new USING m::text::public.mood_new, ALTER "
        "ms TYPE text[] USING ms::text[], ALTER p TYPE text, ALTER n DROP DEFAULT, ALTER n TYPE "
        "text;"
        "DROP TYPE public.mood; ALTER TYPE public.mood_new RENAME TO mood; DROP DOMAIN "
        "public.price; COMMIT");
  }
  static void ExpectAsBefore(const event::TableSchema& schema) {
    EXPECT_THAT(schema.columns[1].type->labels, ElementsAre("sad", "ok"));
    EXPECT_EQ(schema.columns[1].default_expression, "'ok'::public.mood");
    EXPECT_FALSE(schema.columns[1].optional);
    ASSERT_NE(schema.columns[2].type->element, nullptr);
    EXPECT_THAT(schema.columns[2].type->element->labels, ElementsAre("sad", "ok"));
    EXPECT_EQ(event::BaseType(*schema.columns[3].type).name, "numeric");
    EXPECT_EQ(schema.columns[3].typmod, ((8 << 16) | 2) + 4);
  }
  SchemaMemory memory_;
};

TEST_F(RememberingCatalogTest, ASnapshotTeachesTheStream) {
  const event::RelationDescription before = Streamed("public.t");
  ASSERT_TRUE(Catalog(*session_, &memory_).Describe(OidOf("public.t")).ok());
  Migrate();
  SchemaQuery stream(*session_, Clock::Real(), &memory_);
  const event::TableSchemaPtr schema = Resolve(before, stream);
  ExpectAsBefore(*schema);
  EXPECT_EQ(schema->columns[4].default_expression, "7");
  EXPECT_FALSE(schema->columns[4].optional);
  EXPECT_EQ(Resolve(before)->columns[1].type->kind, TypeKind::kUnknown) << "nobody has seen it";
}

TEST_F(RememberingCatalogTest, AStreamTeachesTheNext) {
  const event::RelationDescription before = Streamed("public.t");
  SchemaQuery first(*session_, Clock::Real(), &memory_);
  ExpectAsBefore(*Resolve(before, first));
  Migrate();
  SchemaQuery second(*session_, Clock::Real(), &memory_);
  ExpectAsBefore(*Resolve(before, second));
  const event::RelationDescription after = Streamed("public.t");
  EXPECT_THAT(Resolve(after, second)->columns[1].type->labels, ElementsAre("sad", "ok", "glad"));
  EXPECT_FALSE(Resolve(after, second)->columns[1].default_expression);
  // What was read again from before, as after a reconnect.
  ExpectAsBefore(*Resolve(before, second));
}

TEST_F(RememberingCatalogTest, WhatCapturedTablesHaveIsKnownBeforeTheirFirstRow) {
  const event::RelationDescription before = Streamed("public.t");
  ASSERT_TRUE(Catalog(*session_, &memory_).TypesOfUsers({OidOf("public.t")}).ok());
  Migrate();
  SchemaQuery stream(*session_, Clock::Real(), &memory_);
  EXPECT_THAT(Resolve(before, stream)->columns[1].type->labels, ElementsAre("sad", "ok"));
}

TEST_F(CatalogTest, DroppedTableIsNotFoundByDescribe) {
  EXPECT_TRUE(absl::IsNotFound(catalog_.Describe(Oid{4000000000}).status()));
}

TEST_F(CatalogTest, E58_TableWithoutColumns) {
  Run("CREATE TABLE public.t()");
  EXPECT_THAT(Describe("public.t")->columns, IsEmpty());
}

TEST_F(CatalogTest, ReplicaIdentityIsRead) {
  Run("CREATE TABLE public.t(id int PRIMARY KEY); ALTER TABLE public.t REPLICA IDENTITY FULL");
  EXPECT_EQ(Describe("public.t")->replica_identity, ReplicaIdentity::kFull);
}

TEST_F(CatalogTest, E57_CapturedTablesSortedWithPartitionsAndOddNames) {
  Run("CREATE SCHEMA \"a.b\"; CREATE TABLE \"a.b\".\"c%_d\"(id int); CREATE TABLE public.zz(id "
      "int);"
      "CREATE TABLE public.p(id int) PARTITION BY LIST (id); CREATE TABLE public.p1 PARTITION OF "
      "public.p FOR VALUES IN (1);"
      "CREATE TEMP TABLE tmp(id int); CREATE VIEW public.v AS SELECT 1 AS x; CREATE UNLOGGED TABLE "
      "public.u(id int);"
      "CREATE MATERIALIZED VIEW public.mv AS SELECT 1 AS x");
  const auto tables = catalog_.CapturedTables(names::TableFilter({}));
  ASSERT_TRUE(tables.ok()) << tables.status();
  std::vector<std::string> names;
  for (const TableName& table : *tables) {
    names.push_back(absl::StrCat(table.schema, "/", table.table, table.partitioned ? "*" : ""));
  }
  EXPECT_THAT(names, ElementsAre("a.b/c%_d", "public/p*", "public/p1", "public/u", "public/zz"));
}

std::string Sent(const event::TableSchema& schema) {
  std::string names;
  for (const event::Column& column : schema.columns) {
    if (column.old_value_sent) absl::StrAppend(&names, names.empty() ? "" : ",", column.name);
  }
  return names;
}

TEST_F(CatalogTest, WhatIsSentOfOldRowsIsTheReplicaIdentity) {
  Run("SET search_path = public");
  Run("CREATE TABLE t(id int, u int NOT NULL, v int, PRIMARY KEY (id) INCLUDE (v)); CREATE UNIQUE "
      "INDEX t_u ON t (u) INCLUDE (v)");
  EXPECT_EQ(Sent(*Describe("t")), "id");
  Run("ALTER TABLE t REPLICA IDENTITY USING INDEX t_u");
  EXPECT_EQ(Sent(*Describe("t")), "u");
  Run("ALTER TABLE t REPLICA IDENTITY FULL");
  EXPECT_EQ(Sent(*Describe("t")), "id,u,v");
  Run("ALTER TABLE t REPLICA IDENTITY NOTHING");
  EXPECT_EQ(Sent(*Describe("t")), "");
  EXPECT_FALSE(Describe("t")->partitioned);
  Run("CREATE TABLE later(id int PRIMARY KEY DEFERRABLE)");
  EXPECT_EQ(Sent(*Describe("later")), "");
}

TEST_F(CatalogTest, PRT14_OfARootThatOfAllItsPartitions) {
  Run("SET search_path = public");
  Run("CREATE TABLE root(id int NOT NULL, at int NOT NULL, v int) PARTITION BY RANGE (at);"
      "CREATE TABLE leaf PARTITION OF root FOR VALUES FROM (0) TO (10); ALTER TABLE leaf ADD "
      "PRIMARY KEY (id);"
      "CREATE TABLE below PARTITION OF root FOR VALUES FROM (10) TO (20) PARTITION BY RANGE (at);"
      "CREATE TABLE deep(v int, gone int, at int NOT NULL, id int NOT NULL); ALTER TABLE deep DROP "
      "gone; ALTER TABLE deep ADD PRIMARY KEY (at, id);"
      "ALTER TABLE below ATTACH PARTITION deep FOR VALUES FROM (10) TO (15)");
  EXPECT_TRUE(Describe("root")->partitioned);
  EXPECT_EQ(Sent(*Describe("root")), "id");
  EXPECT_EQ(Sent(*Describe("below")), "id,at");
  Run("ALTER TABLE root REPLICA IDENTITY FULL; ALTER TABLE deep REPLICA IDENTITY FULL");
  EXPECT_EQ(Sent(*Describe("root")), "id") << "the root hands nothing on";
  Run("ALTER TABLE root REPLICA IDENTITY DEFAULT; ALTER TABLE leaf REPLICA IDENTITY FULL");
  EXPECT_EQ(Sent(*Describe("root")), "id,at,v");
  const event::TableSchemaPtr streamed = Resolve(Streamed("root"));
  EXPECT_TRUE(streamed->partitioned);
  EXPECT_EQ(Sent(*streamed), "id,at,v");
  // The server takes no update or delete of its rows.
  Run("CREATE TABLE silent PARTITION OF root FOR VALUES FROM (20) TO (30)");
  EXPECT_EQ(Sent(*Describe("root")), "id,at,v");
}

TEST_F(CatalogTest, CapturedTablesAreFiltered) {
  Run("CREATE TABLE public.yes(id int); CREATE TABLE public.no(id int)");
  names::TableFilterOptions options;
  options.table_include = java::RegexList::OfChecked("public\\.y.*");
  const auto tables = catalog_.CapturedTables(names::TableFilter(options));
  ASSERT_TRUE(tables.ok()) << tables.status();
  ASSERT_EQ(tables->size(), 1u);
  EXPECT_EQ(tables->front().relation, OidOf("public.yes"));
}

}  // namespace
}  // namespace walduct::postgres
