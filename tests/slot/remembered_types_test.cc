#include "slot/phases/remembered_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "event/same_schema.h"
#include "offset/stored_offset.h"

namespace walduct::slot {
namespace {

using event::Type;
using event::TypeKind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using TypePtr = std::shared_ptr<const Type>;

Type Named(uint32_t oid, const std::string& name, TypeKind kind = TypeKind::kBase) {
  Type type;
  type.oid = Oid{oid};
  type.schema = oid < postgres::kFirstUserOid ? "pg_catalog" : "public";
  type.name = name;
  type.kind = kind;
  return type;
}

TypePtr Made(Type type) { return std::make_shared<const Type>(std::move(type)); }

TypePtr Enum(uint32_t oid, const std::string& name, std::vector<std::string> labels) {
  Type type = Named(oid, name, TypeKind::kEnum);
  type.labels = std::move(labels);
  return Made(std::move(type));
}

TypePtr DomainOver(uint32_t oid, const std::string& name, TypePtr base) {
  Type type = Named(oid, name, TypeKind::kDomain);
  type.base = std::move(base);
  type.base_typmod = 524294;
  type.not_null = true;
  return Made(std::move(type));
}

event::TableSchema Table(const std::vector<TypePtr>& types) {
  event::TableSchema table;
  table.relation = Oid{30001};
  for (const TypePtr& type : types) {
    event::Column column;
    column.name = absl::StrCat("of_", type->name);
    column.type = type;
    column.optional = false;
    column.default_expression = "'\"x\\'";
    table.columns.push_back(std::move(column));
  }
  return table;
}

std::vector<TypePtr> EveryKind() {
  const TypePtr status = Enum(20001, "status", {"draft", "a,b \"c\""});
  const TypePtr price = DomainOver(20002, "price", Made(Named(1700, "numeric")));
  Type array = Named(20003, "_status", TypeKind::kArray);
  array.element = status;
  return {status,
          price,
          Made(array),
          DomainOver(20004, "prices", price),
          Made(Named(20005, "pair", TypeKind::kComposite)),
          Made(Named(20006, "span", TypeKind::kRange)),
          Made(Named(20007, "spans", TypeKind::kMultirange)),
          Made(Named(20008, "hstore"))};
}

event::RelationColumn Of(uint32_t type) {
  event::RelationColumn column;
  column.type = Oid{type};
  return column;
}

TEST(RememberedTypes, EveryKindSurvivesTheStoredPosition) {
  postgres::SchemaMemory memory, next;
  memory.Learn(Table(EveryKind()));
  memory.Sweep({Oid{20001}}, {}, Lsn(77), Lsn(1));
  offset::StoredOffset stored;
  stored.position.commit_end = Lsn(5);
  stored.members[event::kTypesMember] = RememberedTypes(&memory).Member();
  const auto read = offset::DecodeOffset(offset::EncodeOffset(stored));
  ASSERT_TRUE(read.ok()) << read.status();

  RememberedTypes restored(&next);
  restored.Restore(read->members.at(event::kTypesMember));
  for (const TypePtr& type : EveryKind()) {
    const TypePtr known = next.TypeOf(Of(ToInteger(type->oid)));
    EXPECT_TRUE(event::SameType(known, type)) << type->name;
  }
  const auto table = next.TableOf(Oid{30001});
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->columns.size(), EveryKind().size());
  EXPECT_EQ(table->columns[0].default_expression, "'\"x\\'");
  EXPECT_FALSE(table->columns[0].optional);
  next.Sweep({}, {}, Lsn(90), Lsn(77));
  EXPECT_EQ(next.TypeOf(Of(20004)), nullptr) << "gone since 77";
  EXPECT_NE(next.TypeOf(Of(20001)), nullptr);
}

TEST(RememberedTypes, BaseTypesOfUsersSurviveAsSuch) {
  Type odd = Named(20009, "hstore");
  odd.by_hand = true;
  odd.delimiter = ';';
  Type plain = Named(20010, "ltree");
  plain.delimiter = ',';
  postgres::SchemaMemory memory, next;
  memory.LearnTypes({Made(odd), Made(plain)});
  RememberedTypes(&next).Restore(RememberedTypes(&memory).Member());
  const TypePtr known = next.TypeOf(Of(20009));
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE(known->by_hand);
  EXPECT_EQ(known->delimiter, ';');
  ASSERT_NE(next.TypeOf(Of(20010)), nullptr);
  EXPECT_FALSE(next.TypeOf(Of(20010))->by_hand);
}

TEST(RememberedTypes, OidsOfAnotherServerSayNothing) {
  postgres::SchemaMemory memory;
  memory.LearnTypes({Enum(20001, "one", {"a"})});
  std::optional<offset::StoredOffset> stored;
  RememberedTypes(nullptr).Restore(stored, "1", true);
  stored.emplace();
  stored->system_identifier = "1";
  stored->members = {{"other", "1"}, {event::kTypesMember, RememberedTypes(&memory).Member()}};
  for (const auto& [system, resumes, known] :
       {std::tuple("1", false, true), {"2", false, false}, {"2", true, true}}) {
    postgres::SchemaMemory next;
    RememberedTypes(&next).Restore(stored, system, resumes);
    EXPECT_EQ(next.Types().size(), known ? 1u : 0u) << system << resumes;
  }
}

TEST(RememberedTypes, NothingToRememberIsNoMember) {
  postgres::SchemaMemory memory;
  EXPECT_THAT(RememberedTypes(&memory).Member(), IsEmpty());
  memory.Learn(Table({Made(Named(25, "text"))}));
  EXPECT_THAT(RememberedTypes(&memory).Member(), IsEmpty());
  EXPECT_THAT(RememberedTypes(nullptr).Member(), IsEmpty());
}

TEST(RememberedTypes, TheMemberFollowsTheMemory) {
  postgres::SchemaMemory memory;
  RememberedTypes types(&memory);
  memory.LearnTypes({Enum(20001, "one", {"a"})});
  EXPECT_THAT(types.Member(), HasSubstr("one"));
  memory.LearnTypes({Enum(20002, "two", {"b"})});
  EXPECT_THAT(types.Member(), HasSubstr("two"));
}

TEST(RememberedTypes, TheOldestAreLeftOutOfALongOne) {
  postgres::SchemaMemory memory;
  for (uint32_t i = 0; i < 500; ++i)
    memory.LearnTypes({Enum(20000 + i, absl::StrCat("type_", i), {std::string(50, 'x')})});
  event::TableSchema table = Table({Enum(20000, "type_0", {})});
  memory.Learn(table);
  RememberedTypes types(&memory);
  EXPECT_LT(types.Member().size(), 2 * RememberedTypes::kLongest);
  EXPECT_THAT(types.Member(), HasSubstr("type_499"));
  EXPECT_THAT(types.Member(), Not(HasSubstr("type_0\\\"")));
  postgres::SchemaMemory next;
  RememberedTypes(&next).Restore(types.Member());
  EXPECT_GT(next.Types().size(), 100u) << "it can be read";
}

TEST(RememberedTypes, ADamagedMemberIsAsNone) {
  for (const char* member :
       {"", "x", "7", R"("x")", R"("{}")", R"("{\"types\":{},\"tables\":[]}")",
        R"("{\"types\":[7],\"tables\":[]}")", R"("{\"types\":[[]],\"tables\":[]}")",
        R"("{\"types\":[[20001,\"s\",\"n\",\"d\",4,-1,0,0]],\"tables\":[]}")",
        R"("{\"types\":[[20001,\"s\",\"n\",\"e\",[4],0]],\"tables\":[]}")",
        R"("{\"types\":[[20001,\"s\",\"n\",\"?\",0]],\"tables\":[]}")",
        R"("{\"types\":[[20001,\"s\",\"n\",\"b\",0]],\"tables\":[[1]]}")",
        R"("{\"types\":[],\"tables\":[[1,0,[[\"c\"]]]]}")"}) {
    postgres::SchemaMemory memory;
    RememberedTypes(&memory).Restore(member);
    EXPECT_THAT(memory.Types(), IsEmpty()) << member;
    EXPECT_FALSE(memory.TableOf(Oid{1}).has_value()) << member;
  }
}

TEST(RememberedTypes, PositionsThatComeTogetherRememberTheTypesOfAll) {
  postgres::SchemaMemory one, two;
  one.LearnTypes({Enum(20001, "one", {"a"})});
  two.LearnTypes({Enum(20002, "two", {"b"})});
  const std::string both =
      MergeTypes({RememberedTypes(&one).Member(), "damaged", RememberedTypes(&two).Member()});
  EXPECT_THAT(both, HasSubstr("one"));
  EXPECT_THAT(both, HasSubstr("two"));
  EXPECT_THAT(MergeTypes({}), IsEmpty());
  EXPECT_THAT(MergeTypes({"damaged"}), IsEmpty());
}

}  // namespace
}  // namespace walduct::slot
