// MetricText: numbers as Prometheus reads them, in its text format 0.0.4 or as OpenMetrics 1.0.
// Samples may come in any order: those of a family are printed together. Two samples of the same
// labels (names that only differ in bytes that are not UTF-8) become their sum, since a scrape with
// both would be refused. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "metrics/histogram.h"

namespace walduct::admin {

enum class MetricType { kCounter, kGauge, kUntyped, kHistogram };

// All literals or longer-lived than the text.
struct Family {
  absl::string_view name;  // of a counter: with _total
  MetricType type = MetricType::kGauge;
  absl::string_view help;
};

// Names are literals; values may be any bytes.
using Labels = std::vector<std::pair<absl::string_view, absl::string_view>>;

class MetricText {
 public:
  enum class Format { kPrometheus, kOpenMetrics };

  void Add(const Family& family, const Labels& labels, uint64_t value);
  void Add(const Family& family, const Labels& labels, double value);
  void Add(const Family& family, const Labels& labels, const metrics::Histogram& histogram);

  std::string Print(Format format) const;

 private:
  struct Value {
    bool whole;
    uint64_t integer;
    double number;
  };
  struct Sample {
    size_t begin, size;  // of its suffix and labels among the texts, ready to be printed
    Value value;
  };
  struct Samples {
    Family family;
    std::string texts;
    std::vector<Sample> samples;
    absl::flat_hash_map<size_t, size_t> by_hash;  // of the text; the first one of that hash
  };
  Samples& Of(const Family& family);
  // Of the text that begins there and ends the texts.
  static void Put(Samples* samples, size_t begin, const Value& value);

  std::vector<Samples> families_;  // in the order of their first samples
  absl::flat_hash_map<absl::string_view, size_t> by_name_;
};

}  // namespace walduct::admin
