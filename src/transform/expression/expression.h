// Expression: the small language of Debezium's Filter and ContentBasedRouter, as its users write it
// in Groovy and JavaScript:
//
//   value.op == 'u' && value.before.id == 2
//       paths into value and key; topic; header.name.value, header['name'].value
//   value.after?.note != null
//       ?. is null where its left side is
//   value.after.total > 10.5, !(…), a || b, a ? b : c, x in ['a', 'b'], 'srv.' + value.source.table
//   x ==~ 'regex', x.matches('regex')
//       the whole text; x =~ 'regex': a part of it
//   x.startsWith('a'), x.endsWith('a'), x.contains('a'), x.equals('a'), x.toLowerCase(),
//   x.toUpperCase()
//   value['op'], value.get('op'), === and !==, and, or; /regex/; a ?: b
//
// No assignments, loops, calls of anything else. Immutable; thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "java/regex/regex.h"

namespace walduct::transform {

struct Expression {
  enum class Kind {
    kNull,
    kBoolean,  // integer
    kNumber,   // real; integer and whole when it is one; else text, but of a double
    kText,     // text
    kList,     // children
    kPath,     // path; safe[i]: step i is null where what it is taken from is
    kNot,
    kAnd,
    kOr,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kIn,         // children: value, list
    kFullMatch,  // regex
    kPartMatch,  // regex
    kStartsWith,
    kEndsWith,
    kContains,
    kLower,
    kUpper,
    kConcatenate,
    kChoice,  // children: condition, then, else
  };
  Kind kind = Kind::kNull;
  std::vector<Expression> children;
  std::vector<std::string> path;
  std::vector<bool> safe;
  std::string text;
  double real = 0;
  int64_t integer = 0;
  bool whole = false;
  bool wide = false;       // a whole number that is a long in Java
  bool call = false;       // written as the call of a method
  bool safe_call = false;  // written with ?.: null where what it is called on is
  std::shared_ptr<const java::Regex> regex;
};

// InvalidArgument: what is wrong and where ("at 12: …").
absl::StatusOr<Expression> ParseExpression(absl::string_view text);

}  // namespace walduct::transform
