#include "incremental/chunk_sql.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace walduct::incremental {
namespace {

std::string Quoted(const WalkColumn& column) {
  return column.of_system ? column.name : postgres::QuoteIdentifier(column.name);
}

std::string List(const Walk& walk, size_t count, absl::string_view suffix) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < count; ++i) parts.push_back(absl::StrCat(Quoted(walk.columns[i]), suffix));
  return absl::StrJoin(parts, ", ");
}

std::string From(const Walk& walk) {
  return absl::StrCat(" FROM ", postgres::QuoteQualified(walk.table.schema, walk.table.table));
}

// Numbers parameters as they are used.
class Bounds {
 public:
  Bounds(const Walk& walk, postgres::Statement* statement) : walk_(walk), statement_(statement) {}

  // Behind the key. NULLs come last.
  std::string Behind(const Key& key) {
    const bool inclusive = key.size() < walk_.columns.size();
    if (!HasNulls(key.size())) return Row(key, inclusive ? ">=" : ">");
    return Behind(key, 0, inclusive);
  }

  // Empty: no bound. The greatest key has a NULL where there is one.
  std::string UpTo(const Key& key) {
    for (const auto& value : key) {
      if (!value) return "";
    }
    return Row(key, "<=");
  }

 private:
  bool HasNulls(size_t count) const {
    return std::any_of(walk_.columns.begin(),
                       walk_.columns.begin() + static_cast<std::ptrdiff_t>(count),
                       [](const WalkColumn& column) { return column.nullable; });
  }

  std::string Parameter(const std::optional<std::string>& value) {
    statement_->parameters.push_back(value);
    return absl::StrCat("$", statement_->parameters.size());
  }

  std::string Row(const Key& key, absl::string_view comparison) {
    std::vector<std::string> parameters;
    for (const auto& value : key) parameters.push_back(Parameter(value));
    return absl::StrCat("(", List(walk_, key.size(), ""), ") ", comparison, " (",
                        absl::StrJoin(parameters, ", "), ")");
  }

  std::string Behind(const Key& key, size_t i, bool inclusive) {
    if (i == key.size()) return inclusive ? "TRUE" : "FALSE";
    const std::string column = Quoted(walk_.columns[i]);
    if (!key[i]) {
      return absl::StrCat("(", column, " IS NULL AND ", Behind(key, i + 1, inclusive), ")");
    }
    const std::string value = Parameter(key[i]);
    const std::string nulls =
        walk_.columns[i].nullable ? absl::StrCat(" OR ", column, " IS NULL") : "";
    return absl::StrCat("(", column, " > ", value, nulls, " OR (", column, " = ", value, " AND ",
                        Behind(key, i + 1, inclusive), "))");
  }

  const Walk& walk_;
  postgres::Statement* statement_;
};

std::string Where(const std::vector<std::string>& conditions) {
  return conditions.empty() ? "" : absl::StrCat(" WHERE ", absl::StrJoin(conditions, " AND "));
}

std::vector<std::string> OwnCondition(const Walk& walk) {
  if (!walk.condition) return {};
  // It may end in a comment.
  return {absl::StrCat("(", *walk.condition, "\n)")};
}

}  // namespace

postgres::Statement MaximumSql(const Walk& walk) {
  return {.sql = absl::StrCat("SELECT ", List(walk, walk.shown, ""), From(walk),
                              Where(OwnCondition(walk)), " ORDER BY ",
                              List(walk, walk.shown, " DESC"), " LIMIT $1"),
          .parameters = {"1"},
          .answer = postgres::Rows(static_cast<int>(walk.shown))};
}

postgres::Statement ChunkSql(const Walk& walk, const std::vector<std::string>& columns,
                             const std::optional<Key>& after, const std::optional<Key>& maximum,
                             int limit) {
  postgres::Statement statement;
  Bounds bounds(walk, &statement);
  std::vector<std::string> conditions = OwnCondition(walk);
  if (after) {
    conditions.push_back(bounds.Behind(*after));
    const std::string most = maximum ? bounds.UpTo(*maximum) : "";
    if (!most.empty()) conditions.push_back(most);
  }
  const std::string selected = absl::StrJoin(columns, ", ", [](std::string* out, const auto& name) {
    out->append(postgres::QuoteIdentifier(name));
  });
  const std::string ctid = walk.columns.back().of_system ? ", ctid" : "";
  statement.parameters.push_back(absl::StrCat(limit));
  statement.sql =
      absl::StrCat("SELECT ", selected, ctid, From(walk), Where(conditions), " ORDER BY ",
                   List(walk, walk.columns.size(), ""), " LIMIT $", statement.parameters.size());
  return statement;
}

}  // namespace walduct::incremental
