#include "incremental/chunks/chunk_sql.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace walduct::incremental {
namespace {

std::string Quoted(const WalkColumn& column) {
  return column.of_system ? column.name : postgres::QuoteIdentifier(column.name);
}

std::string Operand(const WalkColumn& column) {
  return column.casts_column ? absl::StrCat("(", Quoted(column), "::", column.cast, ")")
                             : Quoted(column);
}

std::string Operator(const WalkColumn& column, absl::string_view name) {
  if (column.operators.empty()) return std::string(name);
  return absl::StrCat("OPERATOR(", postgres::QuoteIdentifier(column.operators), ".", name, ")");
}

// Rows are compared by operators of one schema.
bool IsMixed(const Walk& walk, size_t count) {
  return std::any_of(walk.columns.begin(),
                     walk.columns.begin() + static_cast<std::ptrdiff_t>(count),
                     [&walk](const WalkColumn& column) {
                       return column.operators != walk.columns.front().operators;
                     });
}

std::string List(const Walk& walk, size_t count, absl::string_view suffix) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < count; ++i) parts.push_back(absl::StrCat(Quoted(walk.columns[i]), suffix));
  return absl::StrJoin(parts, ", ");
}

std::string From(const Walk& walk) {
  return absl::StrCat(" FROM ", postgres::QuoteQualified(walk.table.schema, walk.table.table));
}

// Conditions of one statement; numbers its parameters as they are used.
class Conditions {
 public:
  explicit Conditions(const Walk& walk) : walk_(walk) {
    // It may end in a comment.
    if (walk.condition) all_.push_back(absl::StrCat("(", *walk.condition, "\n)"));
  }

  void Row(const Key& key, absl::string_view comparison) {
    std::vector<std::string> columns, bounds;
    for (size_t i = 0; i < key.size(); ++i) {
      columns.push_back(Operand(walk_.columns[i]));
      bounds.push_back(Bound(i, key[i]));
    }
    all_.push_back(absl::StrCat("(", absl::StrJoin(columns, ", "), ") ",
                                Operator(walk_.columns.front(), comparison), " (",
                                absl::StrJoin(bounds, ", "), ")"));
  }
  // The greatest key has a NULL where there is one, and NULLs come last.
  void UpTo(Key maximum) {
    maximum.erase(std::find(maximum.begin(), maximum.end(), std::nullopt), maximum.end());
    if (maximum.empty()) return;
    if (!IsMixed(walk_, maximum.size())) return Row(maximum, "<=");
    // The first column's is what an index can use.
    all_.push_back(Compared(0, "<=", maximum[0]));
    std::string rest;
    for (size_t i = maximum.size(); i-- > 0;) {
      const bool last = i + 1 == maximum.size();
      std::string here = Compared(i, last ? "<=" : "<", maximum[i]);
      rest = last ? std::move(here)
                  : absl::StrCat("(", here, " OR (", Compared(i, "=", maximum[i]), " AND ", rest,
                                 "))");
    }
    all_.push_back(std::move(rest));
  }
  void Equal(const Key& key, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (key[i]) {
        all_.push_back(Compared(i, "=", key[i]));
      } else {
        Null(i);
      }
    }
  }
  void Greater(const Key& key, size_t i) { all_.push_back(Compared(i, ">", key[i])); }
  void Null(size_t i) { all_.push_back(absl::StrCat(Quoted(walk_.columns[i]), " IS NULL")); }
  void Plain(absl::string_view condition) { all_.emplace_back(condition); }

  std::string Parameter(const std::optional<std::string>& value) {
    parameters_.push_back(value);
    return absl::StrCat("$", parameters_.size());
  }
  std::string Where() const {
    return all_.empty() ? "" : absl::StrCat(" WHERE ", absl::StrJoin(all_, " AND "));
  }
  std::vector<std::optional<std::string>> TakeParameters() { return std::move(parameters_); }

 private:
  std::string Bound(size_t i, const std::optional<std::string>& value) {
    const std::string& cast = walk_.columns[i].cast;
    return absl::StrCat(Parameter(value), cast.empty() ? "" : "::", cast);
  }
  std::string Compared(size_t i, absl::string_view name, const std::optional<std::string>& value) {
    const WalkColumn& column = walk_.columns[i];
    return absl::StrCat(Operand(column), " ", Operator(column, name), " ", Bound(i, value));
  }

  const Walk& walk_;
  std::vector<std::string> all_;
  std::vector<std::optional<std::string>> parameters_;
};

bool HasNulls(const Walk& walk, size_t count) {
  return std::any_of(walk.columns.begin(),
                     walk.columns.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const WalkColumn& column) { return column.nullable; });
}

// Where the rows behind the key are, in their order.
std::vector<Conditions> Behind(const Walk& walk, const Key& key) {
  const bool inclusive = key.size() < walk.columns.size();
  std::vector<Conditions> places;
  if (!HasNulls(walk, key.size()) && !IsMixed(walk, key.size())) {
    places.emplace_back(walk).Row(key, inclusive ? ">=" : ">");
    return places;
  }
  if (inclusive) places.emplace_back(walk).Equal(key, key.size());
  for (size_t i = key.size(); i-- > 0;) {
    if (!key[i]) continue;
    Conditions& greater = places.emplace_back(walk);
    greater.Equal(key, i);
    greater.Greater(key, i);
    if (!walk.columns[i].nullable) continue;
    Conditions& null = places.emplace_back(walk);
    null.Equal(key, i);
    null.Null(i);
  }
  return places;
}

std::string Select(const std::vector<std::string>& columns, bool with_place) {
  std::vector<std::string> names;
  for (const std::string& name : columns) names.push_back(postgres::QuoteIdentifier(name));
  if (with_place) names.insert(names.end(), {"ctid", "xmin"});
  return absl::StrCat("SELECT ", absl::StrJoin(names, ", "));
}

}  // namespace

postgres::Statement MaximumSql(const Walk& walk) {
  return {.sql = absl::StrCat("SELECT ", List(walk, walk.shown, ""), From(walk),
                              Conditions(walk).Where(), " ORDER BY ",
                              List(walk, walk.shown, " DESC"), " LIMIT $1"),
          .parameters = {"1"},
          .answer = postgres::Rows(static_cast<int>(walk.shown))};
}

std::vector<postgres::Statement> ChunkSql(const Walk& walk, const std::vector<std::string>& columns,
                                          const std::optional<Key>& after,
                                          const std::optional<Key>& maximum, int limit) {
  std::vector<Conditions> places;
  if (after) {
    places = Behind(walk, *after);
  } else {
    places.emplace_back(walk);
  }
  std::vector<postgres::Statement> statements;
  for (Conditions& one : places) {
    if (after && maximum) one.UpTo(*maximum);
    const std::string most = one.Parameter(absl::StrCat(limit));
    postgres::Statement& statement = statements.emplace_back();
    statement.sql =
        absl::StrCat(Select(columns, walk.columns.back().of_system), From(walk), one.Where(),
                     " ORDER BY ", List(walk, walk.columns.size(), ""), " LIMIT ", most);
    statement.parameters = one.TakeParameters();
  }
  return statements;
}

// Sorted, since nothing else says that rows come in this order.
postgres::Statement RangeSql(const Walk& walk, const std::vector<std::string>& columns,
                             const std::string& behind, const std::string& before) {
  Conditions range(walk);
  range.Plain(absl::StrCat("ctid > ", range.Parameter(behind)));
  range.Plain(absl::StrCat("ctid < ", range.Parameter(before)));
  return {.sql = absl::StrCat(Select(columns, true), From(walk), range.Where(), " ORDER BY ctid"),
          .parameters = range.TakeParameters(),
          .answer = {}};
}

postgres::Statement PlacesSql(const Walk& walk, const std::vector<std::string>& columns,
                              const std::vector<std::string>& places) {
  std::string list = "{";
  for (const std::string& place : places)
    absl::StrAppend(&list, list.size() > 1 ? "," : "", "\"", place, "\"");
  Conditions there(walk);
  there.Plain(absl::StrCat("ctid = ANY(", there.Parameter(list + "}"), "::pg_catalog.tid[])"));
  return {.sql = absl::StrCat(Select(columns, true), From(walk), there.Where()),
          .parameters = there.TakeParameters(),
          .answer = {}};
}

}  // namespace walduct::incremental
