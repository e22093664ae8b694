// OutboxTable: what is noted of rows that cannot be published, and counted of those that wait.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "poll/layouts/outbox_table.h"

namespace walduct::poll {

std::string OutboxTable::FailedSql(int64_t max_attempts) const {
  const auto target = [&](absl::string_view text) { return Qualify(text, "", columns); };
  const std::string counted =
      absl::StrCat("coalesce(", Qualify(layout.attempts, "o", columns), ", 0) + 1");
  std::vector<std::string> arrays, aliases, equal;
  for (size_t i = 0; i < key_names.size(); ++i) {
    arrays.push_back(absl::StrCat("$", i + 1, "::text[]"));
    aliases.push_back(absl::StrCat("walduct_", i));
    equal.push_back(absl::StrCat("o.", key_names[i], " = f.walduct_", i, "::", key_types[i]));
  }
  std::string set = absl::StrCat(target(layout.attempts), " = ", counted);
  if (!layout.error.empty())
    absl::StrAppend(&set, ", ", target(layout.error),
                    " = f.walduct_error::", FullTypeOf(layout.error, columns));
  if (!layout.due.empty())
    absl::StrAppend(&set, ", ", target(layout.due), " = now() + f.walduct_pause * interval '1 ms'");
  return absl::StrCat(
      "WITH failed AS (UPDATE ", name, " o SET ", set, " FROM unnest(", absl::StrJoin(arrays, ", "),
      ", $", key_names.size() + 1, "::text[], $", key_names.size() + 2, "::bigint[]) AS f(",
      absl::StrJoin(aliases, ", "), ", walduct_error, walduct_pause) WHERE ",
      absl::StrJoin(equal, " AND "), " AND ", Qualify(layout.open, "o", columns), " RETURNING ",
      Qualify(layout.attempts, "o", columns),
      " AS n) SELECT count(*), count(*) FILTER (WHERE n >= ", max_attempts, ") FROM failed");
}

std::string OutboxTable::BacklogSql(const std::string& where) const {
  const auto of = [&](absl::string_view text) { return Qualify(text, "o", columns); };
  const std::string parked =
      layout.parked.empty() ? "false" : absl::StrCat("coalesce(", of(layout.parked), ", false)");
  const std::string age = layout.born.empty()
                              ? "0"
                              : absl::StrCat("extract(epoch FROM now() - min(", of(layout.born),
                                             ") FILTER (WHERE NOT ", parked, "))");
  return absl::StrCat("SELECT count(*) FILTER (WHERE NOT ", parked, "), count(*) FILTER (WHERE ",
                      parked, "), greatest(0, ", age, ")::bigint FROM ", name, " o WHERE ",
                      of(layout.open), where.empty() ? "" : absl::StrCat(" AND (", where, ")"));
}

}  // namespace walduct::poll
