// Statements: what each of them does and answers.
#include "tests/simulation/poll/answers.h"

#include <libpq-fe.h>

#include <algorithm>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "tests/simulation/poll/statements.h"
#include "tests/simulation/poll/world.h"

namespace walduct::poll_simulation {
namespace {

Text TimeText(const std::optional<int64_t>& at) {
  return at ? Text(absl::StrCat(*at)) : std::nullopt;
}

int64_t NumberOf(const std::optional<std::string>& text) {
  int64_t number = 0;
  CHECK(text && absl::SimpleAtoi(*text, &number));
  return number;
}

std::set<int64_t> IdSet(const std::optional<std::string>& array) {
  const std::vector<int64_t> ids = ArrayIds(array);
  return {ids.begin(), ids.end()};
}

// A range of ids, from that parameter on.
struct IdsBetween {
  IdsBetween(const postgres::Statement& statement, size_t at)
      : first(NumberOf(statement.parameters[at])),
        last(NumberOf(statement.parameters[at + 1])),
        missing(IdSet(statement.parameters[at + 2])) {}
  bool IsBetween(int64_t id) const { return first <= id && id <= last; }
  bool Has(int64_t id) const { return IsBetween(id) && !missing.contains(id); }

  const int64_t first, last;
  const std::set<int64_t> missing;
};

}  // namespace

postgres::Result TextRows(size_t columns, const std::vector<std::vector<Text>>& rows) {
  pg_result* const result = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
  CHECK(result != nullptr);
  char name[] = "c";
  std::vector<PGresAttDesc> described(columns, {.name = name,
                                                .tableid = 0,
                                                .columnid = 0,
                                                .format = 0,
                                                .typid = 25,
                                                .typlen = -1,
                                                .atttypmod = -1});
  CHECK(PQsetResultAttrs(result, static_cast<int>(columns), described.data()) != 0);
  for (size_t row = 0; row < rows.size(); ++row) {
    CHECK(rows[row].size() == columns);
    for (size_t column = 0; column < columns; ++column) {
      Text text = rows[row][column];
      CHECK(PQsetvalue(result, static_cast<int>(row), static_cast<int>(column),
                       text ? text->data() : nullptr,
                       text ? static_cast<int>(text->size()) : -1) != 0);
    }
  }
  return postgres::Result(result, static_cast<int>(columns));
}

postgres::Result TextRow(const std::vector<Text>& row) { return TextRows(row.size(), {row}); }

std::vector<std::string> ArrayItems(const std::optional<std::string>& array) {
  CHECK(array && array->size() >= 2 && array->front() == '{' && array->back() == '}');
  std::vector<std::string> items;
  bool inside = false;
  for (size_t i = 1; i + 1 < array->size(); ++i) {
    const char c = (*array)[i];
    if (c == '"') {
      inside = !inside;
      if (inside) items.emplace_back();
    } else if (inside) {
      items.back().push_back(c == '\\' ? (*array)[++i] : c);
    }
  }
  return items;
}

std::vector<int64_t> ArrayIds(const std::optional<std::string>& array) {
  CHECK(array && array->size() >= 2 && array->front() == '{' && array->back() == '}');
  std::vector<int64_t> ids;
  const absl::string_view items = absl::string_view(*array).substr(1, array->size() - 2);
  for (absl::string_view item : absl::StrSplit(items, ',', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&item, "\"")) CHECK(absl::ConsumeSuffix(&item, "\""));
    ids.push_back(0);
    CHECK(absl::SimpleAtoi(item, &ids.back()));
  }
  return ids;
}

Value Statements::ValueOf(const Row& row, absl::string_view column) const {
  const auto time = [](const std::optional<int64_t>& at) { return at ? Value(*at) : Value(); };
  if (column == "publishedat") return time(row.published_at);
  if (column == "nexttryat") return time(row.next_try_at);
  if (column == "attempts") return row.attempts;
  CHECK(column == "status");
  return row.status;
}

bool Statements::Is(const Condition& condition, const Row& row) const {
  return condition.IsTrue([&](absl::string_view column) { return ValueOf(row, column); },
                          world_.server.Now());
}

std::vector<Row*> Statements::ThereOf(const std::set<int64_t>& ids) const {
  std::vector<Row*> rows;
  for (const Row& row : world_.server.rows())
    if (row.life == Row::Life::kThere && ids.contains(row.id))
      rows.push_back(&world_.server.row(row.serial));
  return rows;
}

std::vector<Row*> Statements::ThereOf(const postgres::Statement& statement, bool range) const {
  if (!range) return ThereOf(IdSet(statement.parameters[0]));
  const IdsBetween ids(statement, 0);
  std::vector<Row*> rows;
  for (const Row& row : world_.server.rows())
    if (row.life == Row::Life::kThere &&
        (world_.defect == Defect::kMarkBetween ? ids.IsBetween(row.id) : ids.Has(row.id)))
      rows.push_back(&world_.server.row(row.serial));
  return rows;
}

// It comes before others of its key, and they are not to be claimed.
bool Statements::HoldsBack(const Row& row, const std::set<int64_t>& waiting) const {
  return (!blocks_.empty() && Is(blocks_, row)) || (waiting.contains(row.id) && Is(open_, row));
}

Statements::Answer Statements::LowWater(const postgres::Statement& statement, int64_t workers,
                                        int64_t worker, bool ranged) const {
  const int64_t from = NumberOf(statement.parameters[0]);
  std::optional<IdsBetween> done;
  if (ranged) done.emplace(statement, 1);
  std::optional<int64_t> first;
  for (const Row& row : world_.server.rows()) {
    if (row.life != Row::Life::kThere || row.id < from || !Is(open_, row)) continue;
    if (done && done->Has(row.id)) continue;
    if (static_cast<int64_t>(row.key) % workers == worker)
      first = std::min(first.value_or(row.id), row.id);
  }
  const bool forgets = world_.defect == Defect::kForgetWriters;
  return TextRow({first ? Text(absl::StrCat(*first)) : std::nullopt,
                  forgets ? "" : absl::StrJoin(world_.server.running(), " ")});
}

Statements::Answer Statements::Claim(const postgres::Statement& statement, const Claims& claims) {
  if (world_.Happens(Fault::kRowLocked)) world_.server.LockOne();
  if (world_.Happens(Fault::kClock)) world_.server.SetClock();
  using Beside = poll::ClaimForm::Beside;
  const poll::ClaimForm& form = claims.form;
  const auto ids_at = [&](bool has, size_t at) {
    return has ? IdSet(statement.parameters[at]) : std::set<int64_t>();
  };
  const size_t beside_at = form.beside_at(1) - 1;
  const std::set<int64_t> waiting = ids_at(form.waits, 1);
  const std::set<int64_t> flying = ids_at(form.beside == Beside::kKeys, beside_at);
  std::optional<IdsBetween> range;
  if (form.beside == Beside::kRange) range.emplace(statement, beside_at);
  const auto is_flying = [&](int64_t id) {
    if (world_.defect == Defect::kReadOnBehind)
      return range ? id <= range->last : !flying.empty() && id <= *flying.rbegin();
    if (world_.defect == Defect::kClaimTwice) return false;
    return range ? range->Has(id) : flying.contains(id);
  };
  const int64_t lowest = form.from ? NumberOf(statement.parameters.back()) : 0;
  std::vector<const Row*> there;
  for (const Row& row : world_.server.rows())
    if (row.life == Row::Life::kThere && row.id >= lowest) there.push_back(&row);
  std::sort(there.begin(), there.end(), [](const Row* a, const Row* b) { return a->id < b->id; });
  claimed_beside_ = form.beside != Beside::kNothing;
  std::set<size_t> held;  // keys
  std::vector<std::pair<const Row*, bool>> claimed;
  const auto most = static_cast<size_t>(NumberOf(statement.parameters[0]));
  for (const Row* row : there) {
    const bool ours = static_cast<int64_t>(row->key) % claims.workers == claims.worker;
    const bool locked = row->is_locked(world_.time.Monotonic());
    const bool wanted = ours && Is(open_, *row) && Is(ready_, *row) && !waiting.contains(row->id) &&
                        !is_flying(row->id);
    const bool left_out = locked && world_.defect == Defect::kSkipLocked;
    if (wanted && !held.contains(row->key) && !left_out) claimed.emplace_back(row, !locked);
    if (claimed.size() == most) break;
    if (HoldsBack(*row, waiting)) held.insert(row->key);
  }
  return RowsOf(claimed);
}

Statements::Answer Statements::RowsOf(const std::vector<std::pair<const Row*, bool>>& rows) const {
  std::vector<std::vector<Text>> texts;
  for (const auto& [row, free] : rows) {
    std::vector<Text>& text = texts.emplace_back();
    for (const poll::LayoutColumn& column : table_.columns) {
      if (column.name == "id") text.emplace_back(absl::StrCat(row->id));
      if (column.name == "aggregate_id") text.emplace_back(absl::StrCat("k", row->key));
      if (column.name == "payload") text.emplace_back(absl::StrCat("row ", row->serial, "."));
      if (column.name == "status") text.emplace_back(row->status);
      if (column.name == "published_at") text.push_back(TimeText(row->published_at));
      if (column.name == "attempts") text.emplace_back(absl::StrCat(row->attempts));
      if (column.name == "last_error") text.emplace_back(std::nullopt);
      if (column.name == "next_try_at") text.push_back(TimeText(row->next_try_at));
      if (column.name == "xact") text.emplace_back(absl::StrCat(row->xact));
    }
    const bool position = world_.policy.done == Done::kPosition;
    text.push_back(position ? std::nullopt : Text(absl::StrCat("k", row->key)));
    text.emplace_back(free ? "t" : "f");
  }
  return TextRows(table_.columns.size() + 2, texts);
}

// It waits for those that the application has locked.
std::optional<Statements::Answer> Statements::MarkDone(const postgres::Statement& statement,
                                                       bool range) {
  std::vector<Row*> rows = ThereOf(statement, range);
  std::erase_if(rows, [this](const Row* row) { return !Is(open_, *row); });
  for (const Row* row : rows)
    if (row->is_locked(world_.time.Monotonic())) return std::nullopt;
  // Lost while the next batch is out.
  if (world_.defect == Defect::kLoseMark && claimed_beside_)
    return TextRow({absl::StrCat(rows.size())});
  std::vector<Row> before;
  for (Row* row : rows) {
    before.push_back(*row);
    world_.ledger.OnDone(*row);
    if (table_.layout.mark.empty()) {
      row->life = Row::Life::kRemoved;
      continue;
    }
    for (const auto& [column, value] : Assignments(table_.layout.mark, world_.server.Now())) {
      if (column == "status") row->status = std::get<std::string>(value);
      if (column == "publishedat") row->published_at = std::get<int64_t>(value);
    }
  }
  if (!rows.empty()) {
    world_.Note("marked: ", rows.size(), " rows from ", rows.front()->serial);
    world_.server.Commit(world_.server.NewXid(), [this, before] {
      for (const Row& row : before) {
        Row& now = world_.server.row(row.serial);
        now.life = row.life;
        now.status = row.status;
        now.published_at = row.published_at;
      }
    });
  }
  return TextRow({absl::StrCat(rows.size())});
}

std::optional<Statements::Answer> Statements::Failed(const postgres::Statement& statement) {
  const std::vector<int64_t> ids = ArrayIds(statement.parameters[0]);
  const std::vector<std::string> pauses = ArrayItems(statement.parameters[2]);
  size_t noted = 0, parked = 0;
  for (Row* row : ThereOf({ids.begin(), ids.end()}))
    if (Is(open_, *row) && row->is_locked(world_.time.Monotonic())) return std::nullopt;
  std::vector<Row> before;
  for (size_t i = 0; i < ids.size(); ++i) {
    for (Row* row : ThereOf({ids[i]})) {
      if (!Is(open_, *row)) continue;
      before.push_back(*row);
      ++row->attempts;
      world_.ledger.OnNoted(*row);
      if (world_.policy.due) row->next_try_at = world_.server.Now() + 1000 * NumberOf(pauses[i]);
      ++noted;
      if (row->attempts < world_.policy.max_attempts) continue;
      ++parked;
      row->was_parked = true;
      world_.Note("row ", row->serial, " is parked");
    }
  }
  if (noted > 0) {
    world_.server.Commit(world_.server.NewXid(), [this, before] {
      for (const Row& row : before) {
        Row& now = world_.server.row(row.serial);
        now.attempts = row.attempts;
        now.next_try_at = row.next_try_at;
      }
    });
  }
  return TextRow({absl::StrCat(noted), absl::StrCat(parked)});
}

Statements::Answer Statements::StillOpen(const postgres::Statement& statement, bool range) const {
  std::vector<Row*> rows = ThereOf(statement, range);
  std::erase_if(rows, [this](const Row* row) { return !Is(open_, *row); });
  return TextRow({absl::StrCat(rows.size())});
}

// Only metrics read it.
Statements::Answer Statements::Backlog() const {
  size_t open = 0, parked = 0;
  for (const Row& row : world_.server.rows())
    if (row.life == Row::Life::kThere && IsOpen(row)) ++(IsParked(row) ? parked : open);
  return TextRow({absl::StrCat(open), absl::StrCat(parked), "1"});
}

Statements::Answer Statements::Now() const {
  if (world_.Happens(Fault::kClock)) world_.server.SetClock();
  const Server& server = world_.server;
  const bool lies = world_.defect == Defect::kCoverUnflushed;
  return TextRow({server.Snapshot(), "00000001", server.flushed().ToString(), "7000000001",
                  (lies ? server.flushed() : server.written()).ToString()});
}

Statements::Answer Statements::Bounds(const postgres::Statement& statement) const {
  const int64_t behind = NumberOf(statement.parameters[2]);
  size_t count = 0;
  int64_t least = std::numeric_limits<int64_t>::max(), last = 0;
  for (const Row& row : world_.server.rows()) {
    if (row.life != Row::Life::kThere || row.id <= behind ||
        IsVisible(*statement.parameters[0], row.xact) ||
        !IsVisible(*statement.parameters[1], row.xact))
      continue;
    ++count;
    least = std::min(least, row.id);
    last = std::max(last, row.id);
  }
  if (count == 0) return TextRow({"0", std::nullopt, std::nullopt});
  return TextRow({absl::StrCat(count), absl::StrCat(least), absl::StrCat(last)});
}

Statements::Answer Statements::Window(const postgres::Statement& statement) const {
  const int64_t behind = NumberOf(statement.parameters[2]);
  const int64_t end = NumberOf(statement.parameters[3]);
  std::vector<std::pair<const Row*, bool>> rows;
  for (const Row& row : world_.server.rows()) {
    if (row.life == Row::Life::kThere && row.id > behind && row.id <= end &&
        !IsVisible(*statement.parameters[0], row.xact) &&
        IsVisible(*statement.parameters[1], row.xact))
      rows.emplace_back(&row, true);
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  const auto most = static_cast<size_t>(NumberOf(statement.parameters[4]));
  if (rows.size() > most) rows.resize(most);
  return RowsOf(rows);
}

}  // namespace walduct::poll_simulation
