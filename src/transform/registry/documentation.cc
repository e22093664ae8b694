#include "transform/registry/documentation.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "transform/registry/registry.h"

namespace walduct::transform {
namespace {

constexpr absl::string_view kIntroduction =
    R"(# Transforms

<!-- Written by `walduct validate --print-transforms > docs/transforms.md`. Do not edit: change the rows in src/transform. -->

`transforms` and `predicates` of Kafka Connect work as there, with the same classes, options and bytes:

```
transforms=unwrap,route
transforms.unwrap.type=io.debezium.transforms.ExtractNewRecordState
transforms.unwrap.add.fields=op,source.ts_ms
transforms.route.type=org.apache.kafka.connect.transforms.RegexRouter
transforms.route.regex=([^.]+)\.([^.]+)\.([^.]+)
transforms.route.replacement=$3
transforms.route.predicate=tables
predicates=tables
predicates.tables.type=org.apache.kafka.connect.transforms.predicates.TopicNameMatches
predicates.tables.pattern=srv\.public\..*
```

A chain is worked out once for each kind of record of each version of a table, not for each record: a row costs what it costs
without transforms, plus what functions of its values cost. Classes may be written by their full name or, where it is unique,
by the last part of it. Everything that can be wrong is found by `walduct validate`: unknown classes and options (with the name
that is nearest; options as warnings), bad values, missing predicates.

All records pass through the chain: changes, tombstones, logical messages, heartbeats, those of the transaction topic. A record
that a transform cannot take stops the connector, which names the transform, the row and its LSN (exit 1), or becomes a dead
letter: see [errors.md](errors.md). A predicate can leave such records out. A record that a transform drops is counted, and the position moves on.

## Where walduct differs

| what | Kafka Connect and Debezium | walduct |
|---|---|---|
| an option that the class does not have | ignored | ignored, with a warning that names the nearest one; with `walduct.strict=true` refused |
| OpenLineage | sends lineage events where a transport is configured | passes records unchanged, with a warning |
| `drop.tombstones`, `delete.handling.mode` of ExtractNewRecordState (Debezium 3.1 and older) | ignored | read as what they meant, with a warning |
| `blacklist`, `whitelist` of ReplaceField | ignored since Connect 4.0 | read as `exclude`, `include`, with a warning |
| a group in a replacement that the regular expression does not have | the task dies at the first record | refused |
| MaskField on a decimal | the task dies: the masked number has another scale | 0, or the replacement, with the column's scale |
| a value that Cast, TimestampConverter, MaskField or a like transform cannot convert, in a field that a later transform leaves out | the record fails | the record is published: what is left out is not computed |
| Cast of a whole key or value that is a decimal or one of Connect's times, to another type | the task dies: the schema keeps its name | the name goes |
| a struct as an added field (`add.fields=before`) | a schema without fields; the task dies when there is a value | the struct |
| letters of weeks in patterns of dates (`w`, `W`, `F`, `Y`) | by locale | refused |
| EnforceRecordSize: values are cut, or a record is too large and cannot be cut | in silence | told once per topic, counted in `walduct_transform_warnings_total` |
| EnforceRecordSize: a decimal or bits in a record that is too large; a key that is no struct | the task dies | such values stay whole; the key counts with its size |
| EnforceRecordSize: a cut that falls inside a character of two UTF-16 units | half of it is published | it falls before the character |
| EnforceRecordSize: what the offset adds to the estimate, 100 bytes per entry | the entries at that moment | 6 entries, with a transaction block 8: the usual ones |
| ActivateTracingSpan | the task dies without OpenTelemetry's classes; with its agent for Java it makes spans and puts the context of the last one into headers | makes no spans: the context of the row goes on in headers as it is |
| ExtractSchemaToNewRecord without propagated source types | the task dies at the first record | refused |
| ExtractSchemaToNewRecord: tables whose values have equal schemas | the block of the first of them for all | each its own |
| dates before 1582 in patterns | Julian calendar | Gregorian calendar |
| InsertHeader with a number beyond the range of a double | a decimal | text, as written |
| InsertHeader with a time whose fraction has other than three digits | cut at the first colon | as written |
| InsertHeader with a list or a map | printed anew, without blanks; under JsonConverter a list, and the task dies of some maps | text, as written |
| HeaderToValue that moves headers, before a transform that adds some (ExtractNewRecordState with `add.headers`, ExtractChangedRecordState) | they pile up: each record also has those that were added to the records before it | each record has its own |
| HeaderToValue with headers that not every record has | each record gets the schema of the first one, or fails | each has its own |
| fields put into a map (HoistField over the key of a table without one) | the order of a Java HashMap | the order in which they come |
| InsertField with offset.field | the task dies: sources have no offsets | refused |
| TimezoneConverter on `timetz` | the offset of the day of processing | left as it is |
| TimezoneConverter behind a ValueToKey of a whole row | changes the key too, which shares the row | changes the value |
| ReplaceField that renames a field which is not there to a name that is | the task dies | nothing to rename |
| TimezoneConverter near changes of the clock; `infinity` | wrong by an hour; the task dies | right; left as it is |
| `format` of GeometryFormatTransformer | `wkb` and `ewkb` take the SRID out of the bytes. A geometry that has none there stays as it is under `ewkb`; under `wkb` it gets that of its field `srid`, and where that is null the task dies, until the first geometry with an SRID in its bytes: from then on `ewkb` holds | the same, each geometry by itself; one whose field `srid` is null stays as it is. `ewkb` is warned of |
| SwapGeometryCoordinates on parts whose byte order is not that of the whole | coordinates that nobody can read | right |
| SwapGeometryCoordinates beside an `hstore` with NULLs, `hstore.handling.mode=map` | the task dies | left as it is |
| PartitionRouting by an array, a struct or a map | Java's hash of the object | the connector stops |
| Filter and ContentBasedRouter of Debezium | a script engine that must be added | the expressions below, in Groovy's and JavaScript's spelling |
| the same: `value.source.schema`, a column named `schema` or `values`, in Groovy | a private field of Java's class: the schema, never the text | the field of the record |
| the same: `toLowerCase()`, `toUpperCase()` | every letter | ASCII letters |
| the same: the text of a struct, a list, a map, bytes, or of dates and times under `time.precision.mode=connect` | as Java prints it | such a record fails |
| the same: `x =~ 'regex'` as the whole condition, in Groovy | the task dies: a Matcher is neither true nor false | whether a part matches |

## Expressions

`condition` and `topic.expression` of Debezium's Filter and ContentBasedRouter are read once, and bound to the columns of each
table; `language` may be `jsr223.groovy` or `jsr223.graal.js`.

| form | meaning |
|---|---|
| `value.op`, `value.before.id`, `value.after?.note`, `value['op']`, `value.get('op')` | a field; `?.` is null where its left side is, `.` fails there |
| `key.id`, `topic`, `header.name.value`, `header['name'].value` | of the key; the topic; a header |
| `'text'`, `"text"`, `1`, `2.5`, `true`, `false`, `null`, `['a', 'b']` | constants and lists; `/regex/` is a text, too |
| `==`, `!=`, `===`, `!==`, `<`, `<=`, `>`, `>=`, `in` | comparisons; null is less than anything else. `in` and `equals` as Java's: a bigint is in `[1L]`, and never in `[1]` |
| `&&`, `\|\|`, `!`, `and`, `or`, `not`, `a ? b : c`, `a ?: b`, `( )` | logic; as in Groovy, 0, `''` and null are false |
| `x ==~ 'regex'`, `x.matches('regex')`, `x =~ 'regex'` | Java regular expressions, whole and part |
| `x.startsWith('a')`, `endsWith`, `contains`, `includes`, `equals`, `toLowerCase()`, `toUpperCase()` | text; after `?.` null where x is null, after `.` such a record fails |
| `x + y` | the sum of numbers; text and what follows, null as `null` |

## Classes
)";

// A '|' would end the cell.
std::string Cell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

void AppendOptions(absl::Span<const OptionRow> options, std::string* out) {
  if (options.empty()) return;
  absl::StrAppend(out, "\n| option | default | meaning |\n|---|---|---|\n");
  for (const OptionRow& option : options) {
    const std::string standard = option.required ? "required"
                                 : option.default_value
                                     ? absl::StrCat("`", Cell(*option.default_value), "`")
                                     : "";
    std::string meaning = Cell(option.doc);
    if (!option.allowed.empty()) absl::StrAppend(&meaning, " One of: ", option.allowed, ".");
    if (!option.aliases.empty()) absl::StrAppend(&meaning, " Older name: ", option.aliases, ".");
    absl::StrAppend(out, "| `", option.name, "` | ", standard == "``" ? "" : standard, " | ",
                    meaning, " |\n");
  }
}

}  // namespace

std::string TransformsMarkdown() {
  std::string out(kIntroduction);
  for (const TransformClass* one : TransformClasses()) {
    if (!one->refused.empty()) continue;
    absl::StrAppend(&out, "\n### ", one->name, one->has_targets ? "$Key, $Value" : "", "\n\n",
                    one->doc, "\n");
    AppendOptions(one->options, &out);
  }
  absl::StrAppend(&out, "\n## Predicates\n");
  for (const PredicateClass* one : PredicateClasses()) {
    absl::StrAppend(&out, "\n### ", one->name, "\n\n", one->doc, "\n");
    AppendOptions(one->options, &out);
  }
  absl::StrAppend(&out, "\n## Refused\n\n| class | it |\n|---|---|\n");
  for (const TransformClass* one : TransformClasses()) {
    if (!one->refused.empty())
      absl::StrAppend(&out, "| ", one->name, " | ", Cell(one->refused), " |\n");
  }
  return out;
}

}  // namespace walduct::transform
