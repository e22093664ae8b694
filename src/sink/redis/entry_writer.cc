#include "sink/redis/entry_writer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "redis/command.h"

namespace walduct::sink {
namespace {

using redis::AppendArgument;

// Records of one change, and rows that are read beside it: so many fit between two changes.
constexpr unsigned kPartBits = 24;

uint64_t NumberOf(const event::RecordId& id) {
  switch (id.of) {
    case event::RecordId::Of::kEnd:
      return 1;
    case event::RecordId::Of::kBegin:
      return 2;
    default:
      return id.number + 3;
  }
}

}  // namespace

std::string EntryId::Text() const { return absl::StrCat(first, "-", second); }

EntryId EntryIdOf(const event::RecordId& id) {
  return {.first = id.lsn, .second = (NumberOf(id) << kPartBits) + id.part};
}

bool IsOfPosition(const EntryId& id) { return id.second >> kPartBits != 0; }

bool ParseEntryId(absl::string_view text, EntryId* id) {
  const size_t dash = text.find('-');
  return dash != absl::string_view::npos && absl::SimpleAtoi(text.substr(0, dash), &id->first) &&
         absl::SimpleAtoi(text.substr(dash + 1), &id->second);
}

EntryWriter::EntryWriter(const RedisSinkOptions& options)
    : options_(options), limit_(absl::StrCat(options.max_entries)) {}

void EntryWriter::Append(const event::Record& record, absl::string_view id, absl::Time now,
                         std::string* out) const {
  const bool limited = options_.max_entries > 0;
  const bool aged = !limited && options_.max_age > absl::ZeroDuration();
  const absl::string_view key = record.key.value_or(options_.null_key);
  const absl::string_view value = record.value.value_or(options_.null_value);
  const size_t fields = options_.extended ? 2 * (2 + record.headers.size()) : 2;
  redis::AppendArrayHeader(3 + (limited || aged ? 3 : 0) + fields, out);
  AppendArgument("XADD", out);
  AppendArgument(record.topic, out);
  if (limited || aged) {
    AppendArgument(limited ? "MAXLEN" : "MINID", out);
    AppendArgument("~", out);
    AppendArgument(limited ? limit_ : absl::StrCat(absl::ToUnixMillis(now - options_.max_age)),
                   out);
  }
  AppendArgument(id, out);
  if (!options_.extended) {
    AppendArgument(key, out);
    AppendArgument(value, out);
    return;
  }
  AppendArgument("key", out);
  AppendArgument(key, out);
  AppendArgument("value", out);
  AppendArgument(value, out);
  for (const event::Header& header : record.headers) {
    // In upper case, in its place.
    AppendArgument(header.name, out);
    char* const end = out->data() + out->size() - 2;
    for (char* at = end - header.name.size(); at != end; ++at)
      *at = absl::ascii_toupper(static_cast<unsigned char>(*at));
    AppendArgument(header.is_null ? absl::string_view(options_.null_value) : header.value, out);
  }
}

}  // namespace walduct::sink
