#include "recover/state.h"

#include <fcntl.h>
#include <rapidjson/document.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/whole_file.h"

namespace walduct::recover {
namespace {

using rapidjson::Value;

absl::Status Unreadable(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot read ", path, ": ", why,
      "; the server's user must be able to read it, docs/recover.md says what is in it"));
}

absl::Status Unwritable(const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot write ", path, ": ", std::strerror(errno),
                   "; the server's user must be able to write to the folder of --state"));
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::optional<std::string> text = ReadWholeFile(path);
  if (text) return *std::move(text);
  if (errno == ENOENT) return absl::NotFoundError(absl::StrCat("there is no ", path));
  return Unreadable(path, std::strerror(errno));
}

// The server's user has what the recovery's writes, and the other way round.
absl::Status ReplaceFile(const std::string& path, const std::string& text) {
  return ReplaceWholeFile(path, text, {.exact = true}) ? absl::OkStatus() : Unwritable(path);
}

// Takes members of one object, and remembers which was not what it should be.
class Members {
 public:
  explicit Members(const Value& object) : object_(object) {}

  void Take(const char* name, Lsn* to) {
    const Value* const value = json::FindSet(object_, name);
    if (value == nullptr) return;
    const auto lsn = value->IsString() ? Lsn::Parse(json::TextOf(*value))
                                       : absl::StatusOr<Lsn>(absl::InvalidArgumentError(""));
    if (lsn.ok()) {
      *to = *lsn;
    } else {
      Refuse(name, "an LSN such as \"0/5000028\"");
    }
  }
  void Take(const char* name, uint64_t* to) {
    const Value* const value = json::FindSet(object_, name);
    if (value == nullptr) return;
    if (value->IsUint64()) {
      *to = value->GetUint64();
    } else {
      Refuse(name, "a whole number");
    }
  }
  void Take(const char* name, bool* to) {
    const Value* const value = json::FindSet(object_, name);
    if (value == nullptr) return;
    if (value->IsBool()) {
      *to = value->GetBool();
    } else {
      Refuse(name, "true or false");
    }
  }
  // As text, as PostgreSQL prints it, or as a number.
  void Take(const char* name, std::optional<Xid>* to) {
    const Value* const value = json::FindSet(object_, name);
    if (value == nullptr) return;
    uint32_t xid = 0;
    if (value->IsUint()) {
      *to = Xid(value->GetUint());
    } else if (value->IsString() && absl::SimpleAtoi(json::TextOf(*value), &xid)) {
      *to = Xid(xid);
    } else {
      Refuse(name, "a transaction's number");
    }
  }
  void Take(const char* name, std::vector<Xid>* to) {
    const Value* const value = json::FindSet(object_, name);
    if (value == nullptr) return;
    if (!value->IsArray()) return Refuse(name, "a list of transactions' numbers");
    for (const Value& one : value->GetArray()) {
      if (!one.IsUint()) return Refuse(name, "a list of transactions' numbers");
      to->push_back(Xid(one.GetUint()));
    }
  }
  void Take(const char* name, std::string* to) { *to = json::TextIn(object_, name); }
  void Refuse(const char* name, absl::string_view wanted) {
    if (wrong_.empty()) wrong_ = absl::StrCat(name, " is not ", wanted);
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Value& object_;
  std::string wrong_;
};

absl::StatusOr<rapidjson::Document> ReadObject(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  rapidjson::Document document = json::Parse(text);
  if (document.HasParseError() || !document.IsObject()) return Unreadable(path, "no JSON object");
  return document;
}

void Put(JsonWriter* json, const char* name, Lsn lsn) {
  if (lsn.valid()) json->Key(name).Text(lsn.ToString());
}

void Put(JsonWriter* json, const char* name, std::optional<Xid> xid) {
  if (xid) json->Key(name).Whole(ToInteger(*xid));
}

void Put(JsonWriter* json, const char* name, const std::vector<Xid>& xids) {
  if (xids.empty()) return;
  json->Key(name).Array();
  for (const Xid xid : xids) json->Whole(ToInteger(xid));
  json->EndArray();
}

}  // namespace

StateFolder::~StateFolder() {
  if (lock_ >= 0) close(lock_);
}

absl::StatusOr<HowFar> StateFolder::ReadHowFar() const {
  const std::string path = path_ + "/recovery.json";
  ASSIGN_OR_RETURN(const rapidjson::Document document, ReadObject(path));
  HowFar how_far;
  Members members(document);
  members.Take("server", &how_far.server);
  members.Take("segment_bytes", &how_far.segment_bytes);
  members.Take("confirmed", &how_far.confirmed);
  members.Take("catalog_xmin", &how_far.catalog_xmin);
  members.Take("free_to", &how_far.free_to);
  members.Take("cut_from", &how_far.cut_from);
  members.Take("settled_to", &how_far.settled_to);
  members.Take("clear_marks", &how_far.clear_marks);
  members.Take("cut_at_ddl", &how_far.cut_at_ddl);
  members.Take("database", &how_far.database);
  members.Take("ahead", &how_far.ahead);
  if (!IsSegmentSize(how_far.segment_bytes))
    members.Refuse("segment_bytes", "a size of WAL segments: a power of two, 1 MiB to 1 GiB");
  if (!members.wrong().empty()) return Unreadable(path, members.wrong());
  return how_far;
}

absl::Status StateFolder::WriteHowFar(const HowFar& how_far) const {
  JsonWriter json;
  json.Object();
  if (!how_far.server.empty()) json.Key("server").Text(how_far.server);
  json.Key("segment_bytes").Whole(how_far.segment_bytes);
  Put(&json, "confirmed", how_far.confirmed);
  Put(&json, "catalog_xmin", how_far.catalog_xmin);
  Put(&json, "free_to", how_far.free_to);
  Put(&json, "cut_from", how_far.cut_from);
  Put(&json, "settled_to", how_far.settled_to);
  json.Key("clear_marks").Flag(how_far.clear_marks);
  json.Key("cut_at_ddl").Flag(how_far.cut_at_ddl);
  if (how_far.database != 0) json.Key("database").Whole(how_far.database);
  json.Key("ahead").Whole(how_far.ahead).EndObject();
  return ReplaceFile(path_ + "/recovery.json", json.text());
}

absl::StatusOr<GateNotes> StateFolder::ReadNotes(const std::string& data_folder) const {
  ASSIGN_OR_RETURN(GateNotes notes, ReadNotes());
  if (notes.data_folder == data_folder) return notes;
  GateNotes none;
  none.data_folder = data_folder;
  return none;
}

absl::StatusOr<GateNotes> StateFolder::ReadNotes() const {
  const std::string path = path_ + "/gate.json";
  GateNotes notes;
  const absl::StatusOr<rapidjson::Document> document = ReadObject(path);
  if (absl::IsNotFound(document.status())) return notes;
  RETURN_IF_ERROR(document.status());
  Members members(*document);
  members.Take("data_folder", &notes.data_folder);
  members.Take("file", &notes.file);
  members.Take("number", &notes.number);
  members.Take("end", &notes.end);
  members.Take("last_record", &notes.last_record);
  members.Take("pruned_to", &notes.pruned_to);
  members.Take("head_begin", &notes.head_begin);
  std::string head;
  members.Take("head", &head);
  notes.head = absl::HexStringToBytes(head);
  members.Take("begun_from", &notes.begun_from);
  members.Take("next_xid", &notes.next_xid);
  members.Take("locked_from", &notes.locked_from);
  members.Take("locked", &notes.locked);
  members.Take("waits_for", &notes.waits_for);
  members.Take("asked", &notes.asked);
  uint64_t since = 0;
  members.Take("waits_since_ms", &since);
  notes.waits_since_ms = static_cast<int64_t>(since);
  members.Take("fetch_ms", &notes.fetch_ms);
  members.Take("system", &notes.system);
  if (const Value* const cut = json::FindObject(*document, "cut")) {
    notes.cut.emplace();
    Members of_cut(*cut);
    of_cut.Take("over", &notes.cut->over);
    of_cut.Take("end", &notes.cut->end);
    of_cut.Take("oldest_running", &notes.cut->oldest_running);
    of_cut.Take("horizon", &notes.cut->horizon);
    of_cut.Take("ddl", &notes.cut->ddl);
    if (!of_cut.wrong().empty()) return Unreadable(path, "its cut is malformed");
  }
  if (!members.wrong().empty()) return Unreadable(path, members.wrong());
  return notes;
}

absl::Status StateFolder::WriteNotes(const GateNotes& notes) const {
  JsonWriter json;
  json.Object().Key("data_folder").Text(notes.data_folder);
  json.Key("file").Text(notes.file).Key("number").Whole(notes.number);
  Put(&json, "end", notes.end);
  Put(&json, "last_record", notes.last_record);
  if (notes.cut) {
    json.Key("cut").Object();
    Put(&json, "over", notes.cut->over);
    Put(&json, "end", notes.cut->end);
    Put(&json, "oldest_running", notes.cut->oldest_running);
    Put(&json, "horizon", notes.cut->horizon);
    if (notes.cut->ddl) json.Key("ddl").Flag(true);
    json.EndObject();
  }
  Put(&json, "pruned_to", notes.pruned_to);
  if (!notes.head.empty()) json.Key("head").Text(absl::BytesToHexString(notes.head));
  Put(&json, "head_begin", notes.head_begin);
  Put(&json, "begun_from", notes.begun_from);
  Put(&json, "next_xid", notes.next_xid);
  Put(&json, "locked_from", notes.locked_from);
  Put(&json, "locked", notes.locked);
  json.Key("fetch_ms").Whole(notes.fetch_ms);
  if (!notes.system.empty()) json.Key("system").Text(notes.system);
  if (!notes.waits_for.empty()) {
    json.Key("asked").Text(notes.asked).Key("waits_for").Text(notes.waits_for);
    json.Key("waits_since_ms").Whole(static_cast<uint64_t>(notes.waits_since_ms));
  }
  json.EndObject();
  return ReplaceFile(path_ + "/gate.json", json.text());
}

absl::Status StateFolder::Lock() {
  const std::string path = path_ + "/gate.lock";
  lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) return Unwritable(path);
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "another gate has ", path, "; each restored server has a folder of its own for --state"));
}

std::string StateFolder::KeptSegment(const std::string& file) const {
  return absl::StrCat(path_, "/", file, ".whole");
}

}  // namespace walduct::recover
