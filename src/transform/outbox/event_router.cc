// Debezium's EventRouter: events of the rows of outbox tables.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_list.h"
#include "names/topic_name.h"
#include "transform/options/transform_class.h"
#include "transform/outbox/envelope_names.h"
#include "transform/outbox/event_router_options.h"
#include "transform/outbox/json_headers.h"
#include "transform/outbox/json_payload.h"
#include "transform/outbox/outbox_timestamp.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

constexpr absl::string_view kRouterClass = "io.debezium.transforms.outbox.EventRouter";

// The event while it is put together. `row` and `envelope` are of the record as it came.
struct Event {
  const Node& envelope;
  const Node& row;
  OutboxColumns columns;
  Node payload;
  std::string route;  // the routed value
  bool without_route = false;
};

absl::StatusOr<const Node*> Column(const Node& row, const std::string& name) {
  const Node* column = row.Find(name);
  if (column != nullptr) return column;
  return RecordError(absl::StrCat("column ", name, " does not exist in the row"));
}

absl::StatusOr<const Node*> ColumnOf(const Node& row, const std::string& name, ConnectType type,
                                     absl::string_view wanted) {
  ASSIGN_OR_RETURN(const Node* column, Column(row, name));
  if (column->schema != nullptr && column->schema->type == type) return column;
  return RecordError(absl::StrCat("column ", name, " is not of type ", wanted));
}

Node Named(Node node, std::string name) {
  node.name = std::move(name);
  return node;
}

// As Java's String.trim sees it.
bool IsBlank(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

bool CanBeEmpty(const Node& payload) {
  if (payload.schema == nullptr) return false;  // an expanded []
  if (payload.schema->type == ConnectType::kString) return true;
  return payload.schema->optional && !payload.leaf.never_null;
}

Node IsEmptyNode(const Node& payload) {
  static const event::ValueFunctionPtr* const function =
      new event::ValueFunctionPtr(MakeFunction([](auto in, std::string*, Scalar* out) {
        const bool text = in[0].kind == Scalar::Kind::kText;
        *out = Scalar::Boolean(in[0].is_null() || (text && IsBlank(in[0].text)));
        return absl::OkStatus();
      }));
  return event::FunctionNode(PlainSchema(ConnectType::kBoolean, false), *function, {payload});
}

// The partition is Kafka's, so it cannot be negative.
absl::StatusOr<Node> PartitionOf(const Node& column) {
  static const event::ValueFunctionPtr* const function =
      new event::ValueFunctionPtr(MakeFunction([](auto in, std::string*, Scalar* out) {
        *out = in[0];
        return in[0].is_null() || in[0].integer >= 0
                   ? absl::OkStatus()
                   : RecordError("the number of its partition is negative");
      }));
  return Converted(column, PlainSchema(ConnectType::kInt32, true), *function);
}

// The schema's name of a row with the routed value as its last part but one.
std::string EnvelopeName(const std::string& row_schema, const std::string& route) {
  const size_t dot = row_schema.rfind('.');
  if (row_schema.empty()) return route;
  if (dot == std::string::npos) return absl::StrCat(route, ".", row_schema);
  return absl::StrCat(row_schema.substr(0, dot + 1), route, row_schema.substr(dot));
}

class EventRouter final : public Stage {
 public:
  explicit EventRouter(RouterOptions options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    if (options_.tables && !record->table.empty() && !options_.tables->Matches(record->table))
      return Verdict::kKeep;
    if (!record->value || record->value->kind == Node::Kind::kNull) return Verdict::kDrop;
    if (!IsEnvelope(record->value)) return Verdict::kKeep;
    const absl::string_view op = ConstantText(*record->value, "op");
    if (op == "d") return Verdict::kDrop;
    if (op == "u") return ApplyToUpdate(questions);
    if (op == "t") {
      questions->GiveReason(
          "the outbox table was truncated; a truncate is not an event and is skipped");
      return Verdict::kDrop;
    }
    const Node envelope = *std::move(record->value);
    const Node* row = envelope.Find("after");
    if (row == nullptr || !row->is_struct())
      return RecordError("the change has no new row, which an event needs");
    return ApplyToRow({envelope, *row, {}, {}, {}}, record, questions);
  }

 private:
  absl::StatusOr<Verdict> ApplyToUpdate(Questions* questions) const {
    if (options_.updates == UpdateBehavior::kFatal)
      return RecordError("a row of the outbox table was updated (table.op.invalid.behavior=fatal)");
    questions->GiveReason(
        "rows of the outbox table are updated; updates are not events and are skipped. Is a "
        "polling publisher still running?");
    return Verdict::kDrop;
  }

  absl::StatusOr<Verdict> ApplyToRow(Event event, RecordTemplate* record,
                                     Questions* questions) const {
    ASSIGN_OR_RETURN(event.columns, MapColumns(event, *record, questions));
    RETURN_IF_ERROR(CheckPlaced(event, *record));
    questions->MarkEvent();
    const Node& row = event.row;
    // What is taken by its value is the default where it is NULL, as everywhere in Connect.
    event.payload = Named(Taken(*row.Find(event.columns.payload), true), "");
    ASSIGN_OR_RETURN(const Verdict routed, Route(&event, questions));
    if (routed != Verdict::kKeep) return routed;
    ASSIGN_OR_RETURN(const Verdict expanded, Expand(&event, questions));
    if (expanded != Verdict::kKeep) return expanded;
    const Node* clock = event.envelope.Find("ts_ms");
    ASSIGN_OR_RETURN(record->timestamp, EventTimestamp(options_.timestamp, row, clock));
    RETURN_IF_ERROR(AddHeader(Named(Taken(*row.Find(event.columns.id), true), "id"), record));
    record->partition.reset();
    ASSIGN_OR_RETURN(const Verdict placed, PlaceOutside(row, record, questions));
    if (placed != Verdict::kKeep) return placed;
    record->key = Named(Taken(*row.Find(event.columns.key), true), "");
    ASSIGN_OR_RETURN(const Verdict valued, SetValue(event, record, questions));
    if (valued != Verdict::kKeep) return valued;
    // Only now: what is refused for its topic may all the same have named the schema of the events
    // after it.
    RETURN_IF_ERROR(SetTopic(event, record));
    return Verdict::kKeep;
  }

  absl::StatusOr<OutboxColumns> MapColumns(const Event& event, const RecordTemplate& record,
                                           Questions* questions) const {
    std::vector<std::string> names;
    for (const Node& member : event.row.members) names.push_back(member.name);
    const std::string table = record.table.empty() ? "of logical messages" : record.table;
    ASSIGN_OR_RETURN(OutboxColumns columns,
                     MapOutboxColumns({.options = options_.columns,
                                       .table = table,
                                       .transform = options_.alias,
                                       .columns = names,
                                       .strict = options_.strict,
                                       .listed = options_.tables != nullptr}));
    for (const Guess& guess : columns.guesses)
      questions->Tell(absl::StrCat(guess.text, "; better write ", guess.line));
    return columns;
  }

  // Before any value is asked for: a column that is not there is a fault of every row, and known
  // from the table alone.
  absl::Status CheckPlaced(const Event& event, const RecordTemplate& record) const {
    if (options_.ignore_missing) return absl::OkStatus();
    std::vector<std::string> missing, names;
    for (const PlacedColumn& placed : options_.placed)
      if (event.row.Find(placed.column) == nullptr) missing.push_back(placed.column);
    if (missing.empty()) return absl::OkStatus();
    for (const Node& member : event.row.members) names.push_back(member.name);
    const std::string line =
        absl::StrCat("transforms.", options_.alias, ".table.fields.additional.placement");
    return Error(absl::StatusCode::kInvalidArgument, "outbox_columns",
                 absl::StrCat("outbox table ", record.table, " has no column '",
                              absl::StrJoin(missing, "', '"), "', which ", line,
                              " names; its columns are ", absl::StrJoin(names, ", ")),
                 absl::StrCat("name columns that the table has in ", line,
                              ", as column:placement:name, or remove the item"));
  }

  absl::StatusOr<Verdict> Route(Event* event, Questions* questions) const {
    ASSIGN_OR_RETURN(const Node* column,
                     ColumnOf(event->row, event->columns.route, ConnectType::kString,
                              "text, so it cannot give the topic"));
    const event::Answer* answer = questions->Ask(*column);
    if (answer == nullptr) return Verdict::kAsk;
    event->without_route = answer->null;
    event->route = answer->null ? "null" : answer->text;  // in names, as Java writes it
    return Verdict::kKeep;
  }

  absl::Status SetTopic(const Event& event, RecordTemplate* record) const {
    const std::string& column = event.columns.route;
    if (event.without_route)
      return RecordError(absl::StrCat("column ", column, ", which gives the topic, is NULL"));
    // "outbox.event." would be a topic that nobody reads.
    if (options_.topic_of_route && IsBlank(event.route))
      return RecordError(absl::StrCat("column ", column, ", which gives the topic, is empty"));
    record->topic = options_.topic.Replace(event.route).value_or(event.route);
    if (names::IsTopicName(record->topic)) return absl::OkStatus();
    return RecordError(absl::StrCat("column ", column, " gives the topic '",
                                    record->topic.substr(0, 300),
                                    "', which is not a valid topic name"));
  }

  absl::StatusOr<Verdict> Expand(Event* event, Questions* questions) const {
    if (!options_.expand_json) return Verdict::kKeep;
    return ExpandPayload(event->columns.payload, options_.json, &event->payload, questions);
  }

  // Columns that go into headers and the one that is the partition.
  absl::StatusOr<Verdict> PlaceOutside(const Node& row, RecordTemplate* record,
                                       Questions* questions) const {
    for (const PlacedColumn& placed : options_.placed) {
      if (placed.placement == Placement::kEnvelope) continue;
      if (options_.ignore_missing && row.Find(placed.column) == nullptr) continue;
      if (placed.placement == Placement::kHeader) {
        ASSIGN_OR_RETURN(const Node* column, Column(row, placed.column));
        RETURN_IF_ERROR(AddHeader(Named(Taken(*column, true), placed.alias), record));
      } else if (placed.placement == Placement::kMembers) {
        ASSIGN_OR_RETURN(const Node* column, Column(row, placed.column));
        ASSIGN_OR_RETURN(const Verdict added, AddJsonHeaders(*column, record, questions));
        if (added != Verdict::kKeep) return added;
      } else {
        ASSIGN_OR_RETURN(const Node* column, ColumnOf(row, placed.column, ConnectType::kInt32,
                                                      "integer, so it cannot give the partition"));
        ASSIGN_OR_RETURN(record->partition, PartitionOf(*column));
      }
    }
    return options_.recognises ? PlaceRecognised(row, record, questions) : Verdict::kKeep;
  }

  // Of a table that nobody has said more of than that it is an outbox.
  absl::StatusOr<Verdict> PlaceRecognised(const Node& row, RecordTemplate* record,
                                          Questions* questions) const {
    for (const RecognisedColumn& found : RecogniseHeaderColumns(row)) {
      const Node& column = *row.Find(found.column);
      questions->Tell(
          absl::StrCat("column ", found.column, " of outbox table ", record->table,
                       found.members ? " becomes headers, one for each member"
                                     : absl::StrCat(" becomes the header ", kIdempotencyKey),
                       "; better write transforms=outbox, transforms.outbox.type=", kRouterClass,
                       ", transforms.outbox.table.fields.additional.placement=", found.column,
                       found.members ? ":headers" : absl::StrCat(":header:", kIdempotencyKey)));
      if (found.members) {
        ASSIGN_OR_RETURN(const Verdict added, AddJsonHeaders(column, record, questions));
        if (added != Verdict::kKeep) return added;
        continue;
      }
      const event::Answer* const is_null = questions->Ask(IsNullNode(column));
      if (is_null == nullptr) return Verdict::kAsk;
      if (is_null->text != "true")
        RETURN_IF_ERROR(
            AddHeader(Named(Taken(column, true), std::string(kIdempotencyKey)), record));
    }
    return Verdict::kKeep;
  }

  absl::StatusOr<Verdict> SetValue(const Event& event, RecordTemplate* record,
                                   Questions* questions) const {
    record->value = event.payload;
    if (options_.in_envelope) {
      // Before a tombstone takes its place: what cannot be in an envelope is an error there, too.
      ASSIGN_OR_RETURN(const Verdict verdict, SetEnvelope(event, record, questions));
      if (verdict != Verdict::kKeep) return verdict;
    }
    if (!options_.tombstones || !CanBeEmpty(event.payload)) return Verdict::kKeep;
    const event::Answer* empty = questions->Ask(IsEmptyNode(event.payload));
    if (empty == nullptr) return Verdict::kAsk;
    if (empty->text == "true") record->value.reset();
    return Verdict::kKeep;
  }

  absl::StatusOr<Verdict> SetEnvelope(const Event& event, RecordTemplate* record,
                                      Questions* questions) const {
    ConnectSchema schema = event::Schema(ConnectType::kStruct);
    std::optional<std::string> of_version;
    if (!options_.schema_version.empty()) {
      ASSIGN_OR_RETURN(const Node* column,
                       ColumnOf(event.row, options_.schema_version, ConnectType::kInt32,
                                "integer, so it cannot give the version"));
      const event::Answer* version = questions->Ask(*column);
      if (version == nullptr) return Verdict::kAsk;
      int number = 0;
      if (!version->null && !absl::SimpleAtoi(version->text, &number))
        return RecordError(absl::StrCat("column ", column->name, " is not a valid schema version"));
      if (!version->null) schema.version = number;
      of_version = version->text;
    }
    schema.name = names_.First(event.payload.schema.get(), of_version,
                               EnvelopeName(event.row.schema->name, event.route));
    Node value = event::StructNode(nullptr, {Named(event.payload, "payload")});
    for (const PlacedColumn& placed : options_.placed) {
      if (placed.placement != Placement::kEnvelope) continue;
      if (options_.ignore_missing && event.row.Find(placed.column) == nullptr) continue;
      ASSIGN_OR_RETURN(const Node* column, Column(event.row, placed.column));
      value.members.push_back(Named(Taken(*column, true), placed.alias));
    }
    RETURN_IF_ERROR(SetStructSchema(std::move(schema), &value));
    record->value = std::move(value);
    return Verdict::kKeep;
  }

  const RouterOptions options_;
  mutable EnvelopeNames names_;
};

}  // namespace

extern constinit const TransformClass kEventRouter = {
    .name = kRouterClass,
    .options = kEventRouterRows,
    .doc = "Turns rows of outbox tables into events; see docs/outbox.md.",
    .check = CheckEventRouter,
    .modernize = ModernizeEventRouter,
    .guess = GuessEventRouter,
    .older_options = kEventRouterOlderOptions,
    .makes_events = true,
    .make = MakeStage<EventRouter, ReadRouterOptions>};

}  // namespace walduct::transform
