// The layouts of published libraries. Used by layout.cc only. Words belong to a layout: PUBLISHED
// means "not published yet" in one of them.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::poll {

struct LibraryLayout {
  absl::string_view called;
  absl::string_view needs;       // folded names, all of them
  absl::string_view lacks = {};  // folded names, none of them
  bool stateless = false;        // nor any that could tell the state of a row
  absl::string_view open = {};   // as in Layout; {lease} is an interval
  absl::string_view ready = {};
  absl::string_view blocks = {};  // empty: what is open and not ready
  absl::string_view key = {};
  absl::string_view order = {};        // stateless: if there is no integer id
  absl::string_view mark = {};         // empty: rows are deleted
  absl::string_view never_marks = {};  // why no row may ever have been marked; empty: it marks
  absl::string_view where = {};        // what walduct.outbox.where has to say: an example
  absl::string_view why = {};          // of where, or of a refusal
  absl::string_view instead = {};      // not empty: it is refused
};

// The first match wins.
absl::Span<const LibraryLayout> LibraryLayouts();

}  // namespace walduct::poll
