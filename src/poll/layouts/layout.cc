#include "poll/layouts/layout.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/error.h"
#include "poll/layouts/column_words.h"
#include "poll/layouts/library_layouts.h"
#include "postgres/connection.h"

namespace walduct::poll {
namespace {

using Columns = absl::Span<const LayoutColumn>;

// One of the first alone says when a row was done; one of the second could say otherwise.
constexpr absl::string_view kDone =
    "publishedat,processedat,dispatchedat,sentat,deliveredat,completedat,published,processed,"
    "dispatched,sent,delivered,completed";
constexpr absl::string_view kOtherwise =
    "status,state,parked,parkedat,failed,failedat,abandoned,abandonedat,blocked,blockedat,dead,"
    "deadat,expired,expiredat";
constexpr absl::string_view kDue = "nexttryat,nextattemptat,nextretryat,availableat";
// Waited for, and never set by walduct: what they are for beside is not known.
constexpr absl::string_view kDueLater =
    "scheduledat,scheduledfor,visibleat,visibleafter,visiblefrom,notbefore,retryat,retryafter,"
    "nextretry,nextattempt,nexttry,nextrunat,nextrun,processafter,availableafter,availablefrom,"
    "publishafter,publishat,sendafter,sendat,deliverafter,deliverat,runafter,runat,delayuntil,"
    "delayeduntil,dueat";
constexpr absl::string_view kLeased =
    "lockeduntil,leaseduntil,leaseuntil,lockuntil,claimeduntil,reserveduntil,processinguntil,"
    "lockexpiresat,leaseexpiresat,claimexpiresat,invisibleuntil";
constexpr absl::string_view kOwners =
    "lockedby,owner,ownerid,acquiredtoken,leasetoken,claimedby,lockedat,claimedat";
constexpr absl::string_view kKeys = "aggregateid,partitionkey,key";
constexpr absl::string_view kTimes = "createdat,occurredat,timestamp,ts,created,capturedat";
constexpr absl::string_view kAttempts =
    "attempts,attemptcount,attemptscount,retries,retrycount,tries";
constexpr absl::string_view kErrors = "lasterror,error,errormessage";
constexpr absl::string_view kPayloads = "payload,data,body,event,value,content";

const LayoutColumn* Find(Columns columns, absl::string_view folded) {
  for (const LayoutColumn& column : columns)
    if (Folded(column.name) == folded) return &column;
  return nullptr;
}

bool IsTime(const LayoutColumn& column) { return absl::StartsWith(column.type, "timestamp"); }

// Those of the list that the table has, in the order of the list.
std::vector<const LayoutColumn*> Among(Columns columns, absl::string_view list) {
  std::vector<const LayoutColumn*> found;
  for (const absl::string_view name : absl::StrSplit(list, ',', absl::SkipEmpty()))
    for (const LayoutColumn& column : columns)
      if (IsCalled(column.name, name)) found.push_back(&column);
  return found;
}

// What could say more of a row than is known of this table.
std::vector<const LayoutColumn*> Unknown(const LayoutRequest& request) {
  if (request.narrowed) return {};  // it is said which rows are to be published
  KnownColumns known{.marked = !Among(request.columns, kDone).empty(),
                     .leased = !Among(request.columns, kLeased).empty()};
  for (const absl::string_view list :
       {kDone, kOtherwise, kDue, kDueLater, kLeased, kOwners, kAttempts, kErrors})
    for (const LayoutColumn* column : Among(request.columns, list))
      known.names.push_back(Folded(column->name));
  return ColumnsThatSay(request.columns, known);
}

// All that a condition of time needs is a time.
std::vector<const LayoutColumn*> NoTimes(Columns columns) {
  std::vector<const LayoutColumn*> found =
      Among(columns, absl::StrCat(kDue, ",", kDueLater, ",", kLeased));
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const LayoutColumn* column) { return IsTime(*column); }),
              found.end());
  return found;
}

std::string Names(const std::vector<const LayoutColumn*>& columns) {
  return absl::StrJoin(columns, ", ", [](std::string* out, const LayoutColumn* column) {
    absl::StrAppend(out, column->name);
  });
}

bool HasIntegerId(Columns columns) {
  const LayoutColumn* const id = Find(columns, "id");
  return id != nullptr && (id->type == "bigint" || id->type == "integer");
}

std::string Braced(const LayoutColumn& column) {
  return absl::StrCat("{", Folded(column.name), "}");
}

bool IsText(const LayoutColumn& column) {
  return column.type == "text" || absl::StartsWith(column.type, "character");
}

bool IsNumber(const LayoutColumn& column) {
  return column.type == "bigint" || column.type == "integer" || column.type == "smallint";
}

absl::Status Refusal(absl::string_view reason, const LayoutRequest& request, absl::string_view what,
                     absl::string_view hint) {
  return Error(absl::StatusCode::kFailedPrecondition, reason,
               absl::StrCat("outbox table ", request.table, " ", what), hint);
}

absl::Status NeedsDelete(const LayoutRequest& request, absl::string_view more) {
  return Refusal(
      "outbox_needs_delete", request,
      absl::StrCat("has no column that says which rows are published", more.empty() ? "" : "; ",
                   more),
      absl::StrCat("set walduct.outbox.done=delete, or ALTER TABLE ", request.table,
                   " ADD COLUMN published_at timestamptz, and set it in the rows that were "
                   "published before"));
}

bool Matches(const LibraryLayout& library, const LayoutRequest& request) {
  const auto has = [&](absl::string_view name) { return Find(request.columns, name) != nullptr; };
  const std::vector<absl::string_view> needs = absl::StrSplit(library.needs, ',');
  const std::vector<absl::string_view> lacks =
      absl::StrSplit(library.lacks, ',', absl::SkipEmpty());
  if (!std::all_of(needs.begin(), needs.end(), has) || std::any_of(lacks.begin(), lacks.end(), has))
    return false;
  if (!library.stateless) return true;
  return Among(request.columns, absl::StrCat(kDone, ",", kOtherwise, ",", kDue, ",", kDueLater, ",",
                                             kLeased, ",", kOwners))
             .empty() &&
         Unknown(request).empty();
}

bool HasPayload(Columns columns) {
  return !Among(columns, kPayloads).empty() ||
         std::any_of(columns.begin(), columns.end(), CouldBePayload);
}

std::string BornOf(Columns columns) {
  for (const LayoutColumn* column : Among(columns, kTimes))
    if (IsTime(*column)) return Braced(*column);
  return "";
}

std::string NotReady(const Layout& layout) {
  return layout.ready.empty()
             ? ""
             : absl::StrCat("(", layout.open, ") AND (", layout.ready, ") IS NOT TRUE");
}

// What would let a row be parked. takes_due: the layout stays what it is with a column of time.
std::string ParkingOf(const LayoutRequest& request, bool takes_due) {
  std::vector<std::string> steps;
  const std::vector<const LayoutColumn*> counters = Among(request.columns, kAttempts);
  if (counters.empty()) {
    std::vector<std::string> added = {"ADD COLUMN attempts integer NOT NULL DEFAULT 0"};
    if (Among(request.columns, kErrors).empty()) added.push_back("ADD COLUMN last_error text");
    if (takes_due && Among(request.columns, kDue).empty())
      added.push_back("ADD COLUMN next_try_at timestamptz");
    steps.push_back(absl::StrCat("ALTER TABLE ", request.table, " ", absl::StrJoin(added, ", ")));
  } else if (std::none_of(counters.begin(), counters.end(),
                          [](const LayoutColumn* column) { return IsNumber(*column); })) {
    return "";
  }
  if (request.max_attempts == 0) steps.push_back("set walduct.outbox.max.attempts to more than 0");
  return absl::StrJoin(steps, ", and ");
}

// How a row that cannot be published is tried again and parked, where the table can count.
void AddAttempts(const LayoutRequest& request, bool takes_due, Layout* layout) {
  layout->parking = ParkingOf(request, takes_due);
  if (request.max_attempts == 0) return;
  for (const LayoutColumn* column : Among(request.columns, kAttempts))
    if (layout->attempts.empty() && IsNumber(*column)) layout->attempts = Braced(*column);
  if (layout->attempts.empty()) return;
  for (const LayoutColumn* column : Among(request.columns, kErrors))
    if (layout->error.empty() && IsText(*column)) layout->error = Braced(*column);
  for (const LayoutColumn* column : Among(request.columns, kDue))
    if (layout->due.empty() && IsTime(*column)) layout->due = Braced(*column);
  layout->parked = absl::StrCat(layout->attempts, " >= ", request.max_attempts);
  absl::StrAppend(&layout->ready, layout->ready.empty() ? "" : " AND ", "(", layout->parked,
                  ") IS NOT TRUE");
}

// Each arm says of its column more than that it is not null, so that a partial index of the few
// rows that wait or were tried is of use.
std::string BlocksOf(const LayoutRequest& request, const Layout& layout) {
  std::vector<std::string> arms;
  for (const LayoutColumn* column :
       Among(request.columns, absl::StrCat(kDue, ",", kDueLater, ",", kLeased)))
    if (IsTime(*column)) arms.push_back(absl::StrCat(Braced(*column), " > now()"));
  if (request.parked_holds && !layout.parked.empty()) arms.push_back(layout.parked);
  if (arms.empty()) return "";
  return absl::StrCat(layout.open, " AND (", absl::StrJoin(arms, " OR "), ")");
}

absl::StatusOr<Layout> OfLibrary(const LibraryLayout& library, const LayoutRequest& request) {
  const std::string is_that = absl::StrCat("is that of ", library.called, ": ", library.why);
  if (!library.instead.empty())
    return Refusal("outbox_not_pollable", request, is_that, library.instead);
  if (!library.where.empty() && !request.narrowed)
    return Refusal("outbox_needs_where", request, is_that,
                   absl::StrCat("set walduct.outbox.where=", library.where));
  if (library.mark.empty() && !request.deletes) return NeedsDelete(request, library.why);
  Layout layout{.called = std::string(library.called),
                .open = library.open.empty() ? "true" : std::string(library.open),
                .ready = std::string(library.ready),
                .blocks = std::string(library.blocks),
                .key = std::string(library.key),
                .order = std::string(library.order),
                .mark = request.deletes ? "" : std::string(library.mark),
                .archived = std::string(library.mark),
                .never_marks = request.narrowed ? "" : std::string(library.never_marks)};
  if (request.lease == absl::ZeroDuration()) {
    layout.ready = absl::StrReplaceAll(
        layout.ready,
        {{"{acquiredat} < now() - {lease}", "false"},
         {"{lockedat} < now() - {lease}", "false"},
         {"greatest({publicationdate}, {lastresubmissiondate}) < now() - {lease}", "false"}});
  } else {
    layout.ready = absl::StrReplaceAll(
        layout.ready,
        {{"{lease}",
          absl::StrCat("interval '", absl::ToInt64Milliseconds(request.lease), " ms'")}});
  }
  if (library.stateless && HasIntegerId(request.columns)) layout.order = "{id}";
  layout.born = BornOf(request.columns);
  // Of a library that keeps no state no rule stands against it.
  if (library.stateless) {
    AddAttempts(request, /*takes_due=*/false, &layout);
    layout.blocks = BlocksOf(request, layout);
  } else if (layout.blocks.empty()) {
    layout.blocks = NotReady(layout);
  }
  return layout;
}

// What of time says that a row has to wait.
std::string ReadyOf(Columns columns) {
  std::vector<std::string> conditions;
  for (const LayoutColumn* column :
       Among(columns, absl::StrCat(kDue, ",", kDueLater, ",", kLeased)))
    if (IsTime(*column))
      conditions.push_back(
          absl::StrCat("(", Braced(*column), " IS NULL OR ", Braced(*column), " <= now())"));
  return absl::StrJoin(conditions, " AND ");
}

std::string OrderOf(Columns columns) { return HasIntegerId(columns) ? "{id}" : BornOf(columns); }

absl::StatusOr<Layout> WithRest(Layout layout, const LayoutRequest& request) {
  if (!HasPayload(request.columns))
    return Refusal("outbox_unknown_layout", request, "has no payload",
                   "remove it from walduct.outbox.tables");
  layout.ready = ReadyOf(request.columns);
  const bool bounded = !Among(request.columns, kLeased).empty();
  const std::vector<const LayoutColumn*> owners = Among(request.columns, kOwners);
  if (!owners.empty() && !bounded)
    return Refusal("outbox_unknown_layout", request,
                   absl::StrCat("has ", Names(owners),
                                ", which say that a row is somebody's, but not until when"),
                   "add a column locked_until timestamptz, or use walduct.outbox.source=slot");
  const std::vector<const LayoutColumn*> keys = Among(request.columns, kKeys);
  if (keys.size() == 1 || (!keys.empty() && Folded(keys.front()->name) == "aggregateid"))
    layout.key = Braced(*keys.front());
  layout.order = OrderOf(request.columns);
  layout.born = BornOf(request.columns);
  AddAttempts(request, /*takes_due=*/true, &layout);
  layout.blocks = BlocksOf(request, layout);
  layout.archived = layout.mark;
  if (request.deletes) layout.mark.clear();
  return layout;
}

// What can be done about a table whose columns say more, or other things, than is known.
constexpr absl::string_view kUnclear =
    "use walduct.outbox.source=slot; or, to poll, add a column published_at timestamptz, set it "
    "where rows are published, and rename or drop the others that are named here";

// A status of the documents: NEW, PUBLISHED, FAILED, with published_at beside it or without.
absl::StatusOr<Layout> ByStatus(const LayoutRequest& request, const LayoutColumn& status,
                                const LayoutColumn* done) {
  if (!IsText(status))
    return Refusal("outbox_unknown_layout", request,
                   absl::StrCat("has ", status.name, " of type ", status.type,
                                ", and nobody knows which value means published"),
                   kUnclear);
  const std::string column = Braced(status);
  Layout layout{.called = "status",
                .open = absl::StrCat(column, " = 'NEW'"),
                .mark = absl::StrCat(column, " = 'PUBLISHED'"),
                .words = {"NEW", "PUBLISHED", "FAILED"},
                .word_column = status.name,
                .aside = absl::StrCat(column, " = 'FAILED'"),
                .set_aside = absl::StrCat(column, " = 'FAILED'"),
                .reopened = absl::StrCat(column, " = 'NEW'")};
  if (done != nullptr) absl::StrAppend(&layout.mark, ", ", Braced(*done), " = now()");
  // A table without rows says by its default alone what a new one is.
  const std::vector<std::string> first = absl::StrSplit(status.fallback, '\'');
  if (first.size() == 3 &&
      std::find(layout.words.begin(), layout.words.end(), first[1]) == layout.words.end())
    return Refusal("outbox_unknown_layout", request,
                   absl::StrCat("has ", status.name, " of which a new row says ", first[1],
                                ", which is none of ", absl::StrJoin(layout.words, ", ")),
                   "use walduct.outbox.source=slot");
  return WithRest(std::move(layout), request);
}

absl::StatusOr<Layout> ByColumns(const LayoutRequest& request) {
  const std::vector<const LayoutColumn*> done = Among(request.columns, kDone);
  std::vector<const LayoutColumn*> unclear;
  std::copy_if(done.begin(), done.end(), std::back_inserter(unclear),
               [](const LayoutColumn* c) { return !IsTime(*c) || !c->nullable; });
  if (!unclear.empty())
    return Refusal("outbox_unknown_layout", request,
                   absl::StrCat("has columns that could say that a row is published and are no ",
                                "nullable time: ", Names(unclear)),
                   kUnclear);
  const std::vector<const LayoutColumn*> otherwise = Among(request.columns, kOtherwise);
  if (done.size() > 1)
    return Refusal("outbox_unknown_layout", request,
                   absl::StrCat("has more than one column that could say that a row is published: ",
                                Names(done)),
                   kUnclear);
  if (const auto no_times = NoTimes(request.columns); !no_times.empty())
    return Refusal(
        "outbox_unknown_layout", request,
        absl::StrCat("has ", Names(no_times), ", for which a row could have to wait, of ",
                     "a type that is no time"),
        kUnclear);
  if (const auto unknown = Unknown(request); !unknown.empty())
    return Refusal(
        "outbox_unknown_layout", request,
        absl::StrCat("has ", Names(unknown), ", which could say that a row is published, ",
                     "or not to be published now"),
        absl::StrCat("set walduct.outbox.where to SQL that says which rows are to be "
                     "published, such as ",
                     unknown.front()->type == "boolean" ? "NOT " : "",
                     postgres::QuoteIdentifier(unknown.front()->name),
                     unknown.front()->type == "boolean" ? "" : " IS NULL", "; or ", kUnclear));
  const LayoutColumn* const mark = done.empty() ? nullptr : done.front();
  if (otherwise.size() == 1 && Folded(otherwise.front()->name) == "status")
    return ByStatus(request, *otherwise.front(), mark);
  if (!otherwise.empty())
    return Refusal("outbox_unknown_layout", request,
                   absl::StrCat("has ", Names(otherwise), ", which could say that a row is not ",
                                "to be published"),
                   kUnclear);
  if (mark == nullptr) {
    if (!request.deletes) return NeedsDelete(request, "");
    return WithRest({.called = "rows that are there", .open = "true"}, request);
  }
  return WithRest({.called = mark->name,
                   .open = absl::StrCat(Braced(*mark), " IS NULL"),
                   .mark = absl::StrCat(Braced(*mark), " = now()")},
                  request);
}

absl::StatusOr<Layout> ByPosition(const LayoutRequest& request) {
  const auto is_number = [](const LayoutColumn& column) {
    return column.type == "xid8" && absl::StrContains(column.fallback, "pg_current_xact_id()");
  };
  const auto found = std::find_if(request.columns.begin(), request.columns.end(), is_number);
  if (found == request.columns.end())
    return Refusal(
        "outbox_needs_xact", request,
        "has no column xid8 DEFAULT pg_current_xact_id(), by which the rows that became "
        "visible are found with walduct.outbox.done=position",
        absl::StrCat("ALTER TABLE ", request.table,
                     " ADD COLUMN xact xid8 NOT NULL DEFAULT pg_current_xact_id(); "
                     "CREATE INDEX ON ",
                     request.table, " (xact); the new column does not rewrite the table"));
  if (found->nullable)
    return Refusal(
        "outbox_needs_xact", request,
        absl::StrCat("has rows that may have no ", found->name, " and would never be seen"),
        absl::StrCat("ALTER TABLE ", request.table, " ALTER COLUMN ", found->name,
                     " SET NOT NULL"));
  if (!HasPayload(request.columns))
    return Refusal("outbox_unknown_layout", request, "has no payload",
                   "remove it from walduct.outbox.tables");
  return Layout{.called = "rows that are never marked",
                .open = "true",
                .born = BornOf(request.columns),
                .xact = Braced(*found)};
}

}  // namespace

std::string Folded(absl::string_view name) {
  std::string folded;
  for (const char c : name)
    if (c != '_') folded.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  return folded;
}

std::string FullTypeOf(absl::string_view braced, Columns columns) {
  for (const LayoutColumn& column : columns)
    if (braced == Braced(column) && !column.full_type.empty()) return column.full_type;
  return "text";
}

std::string Qualify(absl::string_view condition, absl::string_view alias, Columns columns) {
  std::string out;
  while (!condition.empty()) {
    const size_t begin = condition.find('{');
    absl::StrAppend(&out, condition.substr(0, begin));
    if (begin == absl::string_view::npos) break;
    const size_t end = condition.find('}', begin);
    const LayoutColumn* const column = Find(columns, condition.substr(begin + 1, end - begin - 1));
    CHECK(column != nullptr);
    absl::StrAppend(&out, alias, alias.empty() ? "" : ".", postgres::QuoteIdentifier(column->name));
    condition.remove_prefix(end + 1);
  }
  return out;
}

namespace {

absl::StatusOr<Layout> Recognise(const LayoutRequest& request) {
  if (request.positions) return ByPosition(request);
  for (const LibraryLayout& library : LibraryLayouts())
    if (Matches(library, request)) return OfLibrary(library, request);
  return ByColumns(request);
}

}  // namespace

absl::StatusOr<Layout> RecogniseLayout(const LayoutRequest& request) {
  absl::StatusOr<Layout> layout = Recognise(request);
  if (!layout.ok()) return layout;
  layout->shown_key = layout->key;
  if (request.keeps_order) return layout;
  layout->key.clear();
  layout->blocks.clear();
  return layout;
}

}  // namespace walduct::poll
