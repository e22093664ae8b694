#include "admin/metric_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/utf8.h"

namespace walduct::admin {
namespace {

void AppendEscaped(absl::string_view value, std::string* out) {
  const auto is_special = [](char c) { return c == '\\' || c == '"' || c == '\n'; };
  if (std::none_of(value.begin(), value.end(), is_special)) {
    out->append(value.data(), value.size());
    return;
  }
  for (const char c : value) {
    if (is_special(c)) *out += '\\';
    *out += c == '\n' ? 'n' : c;
  }
}

void AppendLabels(const Labels& labels, absl::string_view bound, std::string* out) {
  if (labels.empty() && bound.empty()) return;
  char separator = '{';
  for (const auto& [name, value] : labels) {
    *out += separator;
    separator = ',';
    absl::StrAppend(out, name, "=\"");
    if (IsValidUtf8(value))
      AppendEscaped(value, out);
    else
      AppendEscaped(ReplaceInvalidUtf8(value), out);
    *out += '"';
  }
  if (!bound.empty()) absl::StrAppend(out, separator == ',' ? ",le=\"" : "{le=\"", bound, "\"");
  *out += '}';
}

std::string NumberText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  // Whole numbers are most of them, and quickly written.
  constexpr double kExact = 1e15;
  if (std::abs(number) < kExact && number == std::trunc(number) && !std::signbit(number))
    return absl::StrCat(static_cast<int64_t>(number));
  return absl::StrFormat("%.15g", number);
}

// The upper bounds of buckets in seconds, as OpenMetrics wants them: with a point.
const std::array<std::string, metrics::Histogram::kBuckets>& BoundTexts() {
  static const auto* const kTexts = [] {
    auto* const texts = new std::array<std::string, metrics::Histogram::kBuckets>();
    texts->fill("+Inf");
    for (size_t i = 0; i < metrics::Histogram::kBoundsMs.size(); ++i) {
      std::string& text = (*texts)[i];
      text = NumberText(static_cast<double>(metrics::Histogram::kBoundsMs[i]) / 1000.0);
      if (text.find('.') == std::string::npos) text += ".0";
    }
    return texts;
  }();
  return *kTexts;
}

absl::string_view TypeText(MetricType type, MetricText::Format format) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kUntyped:
      return format == MetricText::Format::kOpenMetrics ? "unknown" : "untyped";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "";
}

}  // namespace

MetricText::Samples& MetricText::Of(const Family& family) {
  const auto [place, is_new] = by_name_.try_emplace(family.name, families_.size());
  if (is_new) families_.push_back({.family = family, .texts = {}, .samples = {}, .by_hash = {}});
  return families_[place->second];
}

void MetricText::Put(Samples* samples, size_t begin, const Value& value) {
  const auto text = [&](size_t from, size_t size) {
    return absl::string_view(samples->texts).substr(from, size);
  };
  const Sample sample{.begin = begin, .size = samples->texts.size() - begin, .value = value};
  const absl::string_view own = text(begin, sample.size);
  const auto [place, is_new] =
      samples->by_hash.try_emplace(absl::HashOf(own), samples->samples.size());
  if (!is_new) {
    Sample& same = samples->samples[place->second];
    if (text(same.begin, same.size) == own) {
      same.value.integer += value.integer;
      same.value.number += value.number;
      samples->texts.resize(begin);
      return;
    }
  }
  samples->samples.push_back(sample);
}

void MetricText::Add(const Family& family, const Labels& labels, uint64_t value) {
  Samples& samples = Of(family);
  const size_t begin = samples.texts.size();
  AppendLabels(labels, "", &samples.texts);
  Put(&samples, begin, {.whole = true, .integer = value, .number = 0});
}

void MetricText::Add(const Family& family, const Labels& labels, double value) {
  Samples& samples = Of(family);
  const size_t begin = samples.texts.size();
  AppendLabels(labels, "", &samples.texts);
  Put(&samples, begin, {.whole = false, .integer = 0, .number = value});
}

void MetricText::Add(const Family& family, const Labels& labels,
                     const metrics::Histogram& histogram) {
  Samples& samples = Of(family);
  const auto put = [&](absl::string_view suffix, absl::string_view bound, const Value& value) {
    const size_t begin = samples.texts.size();
    samples.texts.append(suffix.data(), suffix.size());
    AppendLabels(labels, bound, &samples.texts);
    Put(&samples, begin, value);
  };
  uint64_t count = 0;
  for (size_t i = 0; i < metrics::Histogram::kBuckets; ++i) {
    count += histogram.bucket(i);
    put("_bucket", BoundTexts()[i], {.whole = true, .integer = count, .number = 0});
  }
  const double seconds = static_cast<double>(histogram.sum_us()) / 1e6;
  put("_sum", "", {.whole = false, .integer = 0, .number = seconds});
  put("_count", "", {.whole = true, .integer = count, .number = 0});
}

std::string MetricText::Print(Format format) const {
  const bool open = format == Format::kOpenMetrics;
  std::string text;
  size_t size = 0;
  for (const Samples& samples : families_)
    size += 256 + samples.texts.size() + samples.samples.size() * (samples.family.name.size() + 24);
  text.reserve(size);
  for (const Samples& samples : families_) {
    const Family& family = samples.family;
    const bool counts = open && family.type == MetricType::kCounter;
    const absl::string_view name = counts ? absl::StripSuffix(family.name, "_total") : family.name;
    absl::StrAppend(&text, "# HELP ", name, " ", family.help, "\n");
    absl::StrAppend(&text, "# TYPE ", name, " ", TypeText(family.type, format), "\n");
    for (const Sample& sample : samples.samples) {
      text.append(family.name.data(), family.name.size());
      text.append(samples.texts, sample.begin, sample.size);
      if (sample.value.whole)
        absl::StrAppend(&text, " ", sample.value.integer, "\n");
      else
        absl::StrAppend(&text, " ", NumberText(sample.value.number), "\n");
    }
  }
  if (open) text += "# EOF\n";
  return text;
}

}  // namespace walduct::admin
