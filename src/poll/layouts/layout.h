// Layout: how the state of a row is kept in an outbox table, told by the set of its columns and
// never by its name. Names are compared without case and underscores: "SequenceNumber" is
// sequence_number. Pure; thread-safe.
//
// Conditions are SQL about one row, with {column} where the table's own name of it goes, quoted and
// qualified.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace walduct::poll {

struct LayoutColumn {
  std::string name;  // as the table has it
  std::string type;  // format_type's word: "timestamp with time zone"
  bool nullable = true;
  std::string fallback = {};   // its DEFAULT, as SQL
  std::string full_type = {};  // with its length; a value that is cast to it is cut
};

struct Layout {
  std::string called = {};     // of whom it is, for messages
  std::string open = {};       // neither done nor parked
  std::string ready = {};      // of an open row: due, and nobody else's; empty: always
  std::string blocks = {};     // it holds later rows of its key back
  std::string key = {};        // an expression; empty: rows wait for no other
  std::string shown_key = {};  // the same, also where none waits; empty: the table has none
  std::string order = {};      // columns, as in ORDER BY; empty: the primary key alone
  std::string mark = {};       // as in UPDATE … SET; empty: a row that is done is deleted
  std::string archived = {};   // as mark, of a row that is deleted: what its copy says
  std::string never_marks =
      {};  // why all rows may be open though they were sent; empty: they are not
  std::vector<std::string> words = {};  // what its column of states may hold; empty: it has none
  std::string word_column = {};
  // Of a row that cannot be published. Empty: such a row stops the connector.
  std::string attempts = {};  // a column that counts them
  std::string error = {};     // a column; empty: nowhere
  std::string due = {};       // a column; empty: it waits in memory
  std::string parked = {};    // of an open row: its attempts are used up
  std::string parking = {};   // what would let such a row be parked; empty: nothing
  // Of a row that is neither open nor done: somebody has given it up. Empty: there are none.
  std::string aside = {};      // a condition
  std::string set_aside = {};  // as mark: what gives a row up
  std::string reopened = {};   // as mark: what takes that back
  std::string born = {};       // a column; empty: nobody knows how old a row is
  std::string xact = {};  // a column: the transaction that wrote the row; empty: rows are marked
};

struct LayoutRequest {
  std::string table;  // "public.outbox", for messages
  absl::Span<const LayoutColumn> columns;
  bool deletes = false;                         // walduct.outbox.done=delete
  bool positions = false;                       // walduct.outbox.done=position
  bool narrowed = false;                        // walduct.outbox.where is given
  absl::Duration lease = absl::ZeroDuration();  // walduct.outbox.lease.ms; zero: never taken over
  int64_t max_attempts = 0;  // walduct.outbox.max.attempts; 0: rows are not parked
  bool parked_holds = true;  // walduct.outbox.parked=hold
  bool keeps_order = true;   // walduct.outbox.order=key
};

// FailedPrecondition:
//   outbox_unknown_layout  the columns tell nothing, or two things
//   outbox_not_pollable    they are those of a library whose rows cannot be published so
//   outbox_needs_where     a row per listener, handler or version: which are to be published?
//   outbox_needs_delete    a row that is there is open, and is done when it is gone
//   outbox_needs_xact      no column tells which transaction wrote a row
absl::StatusOr<Layout> RecogniseLayout(const LayoutRequest& request);

// condition with {column} replaced by alias."Column". Columns that the table lacks are a defect.
std::string Qualify(absl::string_view condition, absl::string_view alias,
                    absl::Span<const LayoutColumn> columns);

// The type of the column "{name}" with its length, so that a value that is cast to it is cut.
std::string FullTypeOf(absl::string_view braced, absl::Span<const LayoutColumn> columns);

// Lower case, without underscores.
std::string Folded(absl::string_view name);

}  // namespace walduct::poll
