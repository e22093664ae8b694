// Debezium's TimezoneConverter: points in time of rows in another zone. Numbers are taken for local
// times of UTC and become the instants at which clocks of the zone show the same; texts keep their
// instant and are printed with the zone's offset.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"
#include "base/check.h"
#include "base/integer.h"
#include "base/status_macros.h"
#include "java/text/text_lists.h"
#include "java/time/connect_time.h"
#include "java/time/time_zone.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::Node;
using event::RecordTemplate;
using event::Scalar;
using enum OptionType;

struct EpochType {
  absl::string_view name;
  int64_t per_second;
};
constexpr EpochType kEpochTypes[] = {
    {"io.debezium.time.Timestamp", 1'000},
    {"io.debezium.time.MicroTimestamp", 1'000'000},
    {"io.debezium.time.NanoTimestamp", 1'000'000'000},
    {java::kConnectTimestamp, 1'000},
};
constexpr absl::string_view kZonedTimestamp = "io.debezium.time.ZonedTimestamp";

Scalar ShiftEpoch(const Scalar& value, int64_t per_second, absl::TimeZone zone) {
  const int64_t seconds = FloorDivide(value.integer, per_second);
  const absl::CivilSecond local = absl::CivilSecond(1970, 1, 1) + seconds;
  const int64_t there = absl::ToUnixSeconds(zone.At(local).pre);
  return Scalar::Integer(value.integer + (there - seconds) * per_second);
}

// "2020-01-02T03:04:05.678901Z"; infinity and any other text stays as it is.
Scalar PrintInZone(const Scalar& value, absl::TimeZone zone, std::string* buffer) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, value.text, &time, &error)) return value;
  if (time == absl::InfiniteFuture() || time == absl::InfinitePast()) return value;
  *buffer = absl::FormatTime("%Y-%m-%dT%H:%M:%E*S", time, zone);
  const int minutes = zone.At(time).offset / 60;
  if (minutes == 0) {
    buffer->push_back('Z');
  } else {
    const int size = minutes < 0 ? -minutes : minutes;
    absl::StrAppendFormat(buffer, "%c%02d:%02d", minutes < 0 ? '-' : '+', size / 60, size % 60);
  }
  return Scalar::Text(*buffer);
}

event::ValueFunctionPtr ConverterFor(const std::string& type, absl::TimeZone zone) {
  for (const EpochType& epoch : kEpochTypes) {
    if (type != epoch.name) continue;
    const int64_t per_second = epoch.per_second;
    return MakeFunction([per_second, zone](auto in, std::string*, Scalar* out) {
      *out = in[0].is_null() ? Scalar::Null() : ShiftEpoch(in[0], per_second, zone);
      return absl::OkStatus();
    });
  }
  if (type != kZonedTimestamp) return nullptr;
  return MakeFunction([zone](auto in, std::string* buffer, Scalar* out) {
    *out = in[0].is_null() ? Scalar::Null() : PrintInZone(in[0], zone, buffer);
    return absl::OkStatus();
  });
}

// source:<table>[:<field>], topic:<topic>[:<field>], <table or topic>:<field>
struct Rule {
  enum class By { kTable, kTopic, kEither } by = By::kEither;
  std::string name, field;

  bool IsAbout(absl::string_view table, absl::string_view topic) const {
    return (by != By::kTopic && name == table) || (by != By::kTable && name == topic);
  }
};

std::vector<Rule> ParseRules(const std::vector<std::string>& items) {
  std::vector<Rule> rules;
  for (absl::string_view item : items) {
    Rule rule;
    if (absl::ConsumePrefix(&item, "source:"))
      rule.by = Rule::By::kTable;
    else if (absl::ConsumePrefix(&item, "topic:"))
      rule.by = Rule::By::kTopic;
    const std::pair<std::string, std::string> parts = absl::StrSplit(item, absl::MaxSplits(':', 1));
    rule.name = parts.first;
    rule.field = parts.second;
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::string CheckZone(absl::string_view value) {
  const auto zone = java::FindTimeZone(value);
  return zone.ok() ? "" : std::string(zone.status().message());
}

std::string CheckZoneRules(absl::string_view value) {
  for (const std::string& item : java::SplitCommaList(value)) {
    if (!absl::StrContains(item, ":"))
      return absl::StrCat("has the item '", item,
                          "', which is not of the form source:table:field, "
                          "topic:topic:field or table:field");
  }
  return "";
}

constexpr OptionRow kOptions[] = {
    {.name = "converted.timezone",
     .required = true,
     .doc = "Name of a time zone, or an offset `+hh:mm`.",
     .check = CheckZone},
    {.name = "include.list",
     .type = kList,
     .doc = "Fields to convert, `source:table:field`, `topic:topic:field`.",
     .check = CheckZoneRules},
    {.name = "exclude.list",
     .type = kList,
     .doc = "Fields not to convert.",
     .check = CheckZoneRules}};

struct Options {
  absl::TimeZone zone;
  bool include_given = false;
  std::vector<Rule> rules;
};

Options Read(const Setting& setting) {
  const absl::StatusOr<absl::TimeZone> zone =
      java::FindTimeZone(setting.options.Text("converted.timezone"));
  CHECK(zone.ok());  // checked before
  const bool include_given = setting.options.Has("include.list");
  return {
      .zone = *zone,
      .include_given = include_given,
      .rules = ParseRules(setting.options.List(include_given ? "include.list" : "exclude.list"))};
}

OptionProblem Check(const OptionValues& options) {
  if (!options.Has("include.list") || !options.Has("exclude.list")) return {};
  return {"exclude.list", "and include.list cannot be combined", "keep one of the two"};
}

class TimezoneConverter final : public Stage {
 public:
  explicit TimezoneConverter(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    if (!IsEnvelope(record->value)) return Verdict::kKeep;
    const Node* source = record->value->Find("source");
    const absl::string_view table =
        source != nullptr && source->is_struct() ? ConstantText(*source, "table") : "";
    bool named = false, whole = false;
    std::set<std::string, std::less<>> fields;
    for (const Rule& rule : options_.rules) {
      if (!rule.IsAbout(table, record->topic)) continue;
      named = true;
      whole = whole || rule.field.empty();
      for (const absl::string_view field : absl::StrSplit(rule.field, ';', absl::SkipEmpty()))
        fields.emplace(field);
    }
    if (options_.include_given ? !named : whole) return Verdict::kKeep;
    for (const char* row : {"before", "after"}) {
      Node* node = record->value->Find(row);
      if (node != nullptr && node->is_struct()) RETURN_IF_ERROR(Convert(fields, whole, node));
    }
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kKept;
  }

 private:
  absl::Status Convert(const std::set<std::string, std::less<>>& fields, bool whole,
                       Node* row) const {
    for (Node& column : row->members) {
      const bool listed = fields.count(column.name) > 0;
      if (options_.include_given ? !listed && !whole : listed) continue;
      const event::ValueFunctionPtr function = ConverterFor(column.schema->name, options_.zone);
      if (function == nullptr) continue;
      ASSIGN_OR_RETURN(column, Converted(column, column.schema, function));
    }
    return absl::OkStatus();
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kTimezoneConverter = {
    .name = "io.debezium.transforms.TimezoneConverter",
    .options = kOptions,
    .doc = "Converts timestamps to another time zone.",
    .check = Check,
    .make = MakeStage<TimezoneConverter, Read>};

}  // namespace walduct::transform
