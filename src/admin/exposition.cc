#include "admin/exposition.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/utf8.h"

namespace walduct::admin {
namespace {

void AppendEscaped(absl::string_view value, std::string* out) {
  for (const char c : ReplaceInvalidUtf8(value)) {
    if (c == '\\' || c == '"') {
      *out += '\\';
      *out += c;
    } else if (c == '\n') {
      *out += "\\n";
    } else {
      *out += c;
    }
  }
}

std::string LabelText(const Labels& labels, absl::string_view bound = "") {
  if (labels.empty() && bound.empty()) return "";
  std::string text = "{";
  for (const auto& [name, value] : labels) {
    absl::StrAppend(&text, text.size() > 1 ? "," : "", name, "=\"");
    AppendEscaped(value, &text);
    text += '"';
  }
  if (!bound.empty()) absl::StrAppend(&text, text.size() > 1 ? "," : "", "le=\"", bound, "\"");
  return text + "}";
}

std::string NumberText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  return absl::StrFormat("%.15g", number);
}

// In seconds, as OpenMetrics wants it: with a point.
std::string BoundText(size_t bucket) {
  if (bucket == metrics::Histogram::kBoundsMs.size()) return "+Inf";
  std::string text =
      NumberText(static_cast<double>(metrics::Histogram::kBoundsMs[bucket]) / 1000.0);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

absl::string_view TypeText(MetricType type, Exposition::Format format) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kUntyped:
      return format == Exposition::Format::kOpenMetrics ? "unknown" : "untyped";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "";
}

}  // namespace

Exposition::Samples& Exposition::Of(const Family& family) {
  const auto [place, is_new] = by_name_.try_emplace(std::string(family.name), families_.size());
  if (is_new) families_.push_back({.family = family, .samples = {}, .by_text = {}});
  return families_[place->second];
}

void Exposition::Put(Samples* samples, Sample sample) {
  const auto [place, is_new] = samples->by_text.try_emplace(sample.text, samples->samples.size());
  if (is_new) {
    samples->samples.push_back(std::move(sample));
    return;
  }
  Sample& same = samples->samples[place->second];
  same.integer += sample.integer;
  same.number += sample.number;
}

void Exposition::Add(const Family& family, const Labels& labels, uint64_t value) {
  Put(&Of(family), {.text = LabelText(labels), .whole = true, .integer = value, .number = 0});
}

void Exposition::Add(const Family& family, const Labels& labels, double value) {
  Put(&Of(family), {.text = LabelText(labels), .whole = false, .integer = 0, .number = value});
}

void Exposition::Add(const Family& family, const Labels& labels,
                     const metrics::Histogram& histogram) {
  Samples& samples = Of(family);
  uint64_t count = 0;
  for (size_t i = 0; i < metrics::Histogram::kBuckets; ++i) {
    count += histogram.bucket(i);
    Put(&samples, {.text = absl::StrCat("_bucket", LabelText(labels, BoundText(i))),
                   .whole = true,
                   .integer = count,
                   .number = 0});
  }
  const std::string text = LabelText(labels);
  const double seconds = static_cast<double>(histogram.sum_us()) / 1e6;
  Put(&samples, {.text = "_sum" + text, .whole = false, .integer = 0, .number = seconds});
  Put(&samples, {.text = "_count" + text, .whole = true, .integer = count, .number = 0});
}

std::string Exposition::Print(Format format) const {
  const bool open = format == Format::kOpenMetrics;
  std::string text;
  for (const Samples& samples : families_) {
    const Family& family = samples.family;
    const bool counts = open && family.type == MetricType::kCounter;
    const absl::string_view name = counts ? absl::StripSuffix(family.name, "_total") : family.name;
    absl::StrAppend(&text, "# HELP ", name, " ", family.help, "\n");
    absl::StrAppend(&text, "# TYPE ", name, " ", TypeText(family.type, format), "\n");
    for (const Sample& sample : samples.samples) {
      absl::StrAppend(&text, family.name, sample.text, " ");
      if (sample.whole) {
        absl::StrAppend(&text, sample.integer, "\n");
      } else {
        absl::StrAppend(&text, NumberText(sample.number), "\n");
      }
    }
  }
  if (open) text += "# EOF\n";
  return text;
}

}  // namespace walduct::admin
