#include "recover/gate.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recover/judgement.h"
#include "recover/segment_file.h"
#include "recover/state.h"
#include "recover/wal_segment.h"

namespace walduct::recover {
namespace {

constexpr absl::Duration kLookAgain = absl::Milliseconds(20);
// What is waited for is noted then: most waits are short.
constexpr absl::Duration kNoteWait = absl::Milliseconds(100);

GateAnswer NotYet(std::string said = "") { return {{kNotThereYet, 0}, std::move(said)}; }
GateAnswer StopsTheServer(std::string said) { return {{kStopsTheServer, 0}, std::move(said)}; }

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

// One restore of a backup, as opposed to another that has the same path.
std::string IdentityOf(const std::string& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return "";
  return absl::StrCat(status.st_dev, ":", status.st_ino);
}

// Of the cluster that the data folder is of: what pg_control begins with. Empty: it cannot be read.
std::string SystemOf(const std::string& data_folder) {
  uint64_t system = 0;
  std::ifstream control(data_folder + "/global/pg_control", std::ios::binary);
  control.read(reinterpret_cast<char*>(&system), sizeof system);
  return control.gcount() == sizeof system ? absl::StrCat(system) : "";
}

bool HasRoom(const std::string& folder, uint64_t bytes) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) return true;
  return static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize >= bytes;
}

class Gate {
 public:
  Gate(const GateRequest& request, const Environment& environment,
       const std::function<CommandEnd()>& fetch)
      : request_(request),
        environment_(environment),
        fetch_(fetch),
        folder_(request.state_folder),
        file_(request.asked.file),
        path_(request.asked.path),
        data_folder_(FolderOf(FolderOf(request.asked.path))),
        kept_(folder_.KeptSegment(request.asked.file)),
        had_(absl::StrCat(FolderOf(request.asked.path), "/", request.asked.file)) {}

  GateAnswer Answer() {
    if (EndsRecovery()) {
      return StopsTheServer(
          absl::StrCat("this server has recovery.signal and no standby.signal: it would be "
                       "promoted at the first "
                       "segment that is held back; create standby.signal in its data folder"));
    }
    const std::optional<WalName> name = WalName::OfSegment(file_);
    if (!name) return {fetch_(), ""};
    if (const absl::Status locked = folder_.Lock(); !locked.ok())
      return NotYet(std::string(locked.message()));
    const absl::Duration until = environment_.clock->Monotonic() + request_.wait;
    while (true) {
      if (const absl::Status read = Read(); !read.ok())
        return NotYet(absl::StrCat(file_, " is held back: ", read.message()));
      number_ = name->Number(how_far_.segment_bytes);
      const Judgement judgement = Judge(how_far_, notes_, number_);
      const bool waits =
          judgement.step == Step::kWait || (judgement.step == Step::kUpToCut && HasUpToCut());
      if (!waits) return HandOut(judgement);
      const absl::Duration left = until - environment_.clock->Monotonic();
      if (left <= absl::ZeroDuration()) return Waits(judgement.waits_for, judgement.why);
      if (request_.wait - left >= kNoteWait) NoteWait(judgement.waits_for).IgnoreError();
      environment_.poller->WaitReadable({}, std::min(left, kLookAgain));
    }
  }

 private:
  bool EndsRecovery() const {
    std::error_code error;
    const std::filesystem::path data(data_folder_);
    return std::filesystem::exists(data / "recovery.signal", error) &&
           !std::filesystem::exists(data / "standby.signal", error);
  }

  absl::Status Read() {
    absl::StatusOr<HowFar> how_far = folder_.ReadHowFar();
    if (!how_far.ok()) return how_far.status();
    how_far_ = *std::move(how_far);
    // Of another restore, whose slot says nothing of this one.
    if (!how_far_.server.empty() && how_far_.server != IdentityOf(data_folder_)) {
      how_far_.confirmed = how_far_.free_to = Lsn();
      how_far_.catalog_xmin.reset();
    }
    absl::StatusOr<GateNotes> notes = folder_.ReadNotes(IdentityOf(data_folder_));
    if (!notes.ok()) return notes.status();
    notes_ = *std::move(notes);
    if (notes_.system.empty()) notes_.system = SystemOf(data_folder_);
    return absl::OkStatus();
  }

  absl::Status NoteWait(const std::string& waits_for) {
    const auto number_of = [](absl::string_view file) {
      return file.substr(std::min<size_t>(file.size(), 8));
    };
    if (notes_.waits_for == waits_for && number_of(notes_.asked) == number_of(file_))
      return absl::OkStatus();
    notes_.waits_for = waits_for;
    notes_.asked = file_;
    notes_.waits_since_ms = absl::ToUnixMillis(environment_.clock->Now());
    is_new_ = true;
    return folder_.WriteNotes(notes_);
  }

  // The server asks for what it waits for again and again, and for each timeline: said once.
  GateAnswer Waits(const std::string& waits_for, const std::string& why) {
    const absl::Status written = NoteWait(waits_for);
    if (!is_new_) return NotYet();
    return NotYet(absl::StrCat(
        file_, " is held back: ", written.ok() ? why : std::string(written.message())));
  }

  bool WasCut() const {
    const Lsn begin(number_ * how_far_.segment_bytes);
    return notes_.file == file_ && notes_.cut && notes_.cut->end > begin &&
           notes_.end.value() < begin.value() + how_far_.segment_bytes;
  }

  // Asked for as long as it waits; the server does not write there meanwhile.
  bool HasUpToCut() {
    if (!has_up_to_cut_) {
      const MappedFile kept(kept_);
      const absl::StatusOr<SegmentHeader> header = ReadSegmentHeader(kept.bytes());
      has_up_to_cut_ = false;
      if (WasCut() && header.ok()) {
        std::string copy;
        const absl::string_view as_given =
            WithoutMarks(kept.bytes(), ReadRecords(*header, kept.bytes(), "", Lsn()), &copy);
        has_up_to_cut_ = Has(had_, as_given, OffsetOf(notes_.cut->end));
      }
    }
    return *has_up_to_cut_;
  }

  // The segment as it is handed out.
  absl::string_view WithoutMarks(absl::string_view segment, const SegmentRecords& records,
                                 std::string* copy) const {
    if (!how_far_.clear_marks || !IsCut(how_far_, number_) || records.prunings.empty())
      return segment;
    *copy = std::string(segment);
    for (const CatalogPruning& pruning : records.prunings) {
      for (const CatalogPruning::Edit& edit : pruning.edits) (*copy)[edit.at] = edit.to;
    }
    return *copy;
  }

  uint64_t OffsetOf(Lsn lsn) const { return lsn.value() - number_ * how_far_.segment_bytes; }

  // What the archive lacks is asked for again and again, and since when is kept.
  CommandEnd Fetch() {
    if (notes_.waits_for != "archive") NoteWait("fetch").IgnoreError();
    const absl::Duration begun = environment_.clock->Monotonic();
    const CommandEnd end = fetch_();
    notes_.fetch_ms =
        static_cast<uint64_t>((environment_.clock->Monotonic() - begun) / absl::Milliseconds(1));
    return end;
  }

  // The archive has no such file, or its command failed.
  GateAnswer NotFetched(CommandEnd end) {
    const bool lacks = end.signal == 0 && end.exit_code < kStopsTheServer;
    // Only told; the answer is the command's.
    if (lacks) NoteWait("archive").IgnoreError();
    return {end, ""};
  }

  GateAnswer HandOut(const Judgement& judgement) {
    bool was_kept = ::access(kept_.c_str(), R_OK) == 0;
    if (was_kept && !IsItself(kept_)) {
      unlink(kept_.c_str());
      was_kept = false;
    }
    if (!was_kept) {
      if (!HasRoom(FolderOf(path_), how_far_.segment_bytes))
        return Waits("disk", absl::StrCat("the disk of ", data_folder_, " has no room for it"));
      if (const CommandEnd end = Fetch(); end.signal != 0 || end.exit_code != 0)
        return NotFetched(end);
    }
    const MappedFile file(was_kept ? kept_ : path_);
    const absl::StatusOr<SegmentHeader> header = ReadSegmentHeader(file.bytes());
    if (absl::IsUnimplemented(header.status()))
      return StopsTheServer(absl::StrCat(file_, ": ", header.status().message()));
    // The server says what is wrong with it, and asks again.
    if (!header.ok()) return HandedOn("is not a segment of the WAL");
    if (header->segment_bytes != how_far_.segment_bytes) {
      return StopsTheServer(absl::StrCat(file_, " has ", header->segment_bytes,
                                         " bytes, but recovery.json says segment_bytes ",
                                         how_far_.segment_bytes));
    }
    if (OffsetOf(header->begin) != 0)
      return HandedOn(absl::StrCat("holds the WAL of ", header->begin.ToString()));
    return HandOut(judgement, *header, file.bytes(), was_kept);
  }

  // As good as none: what the archive has under that name is something else.
  GateAnswer HandedOn(absl::string_view what) {
    NoteWait("archive").IgnoreError();
    return {{0, 0}, absl::StrCat(file_, " ", what)};
  }

  bool IsItself(const std::string& path) const {
    const MappedFile file(path);
    const absl::StatusOr<SegmentHeader> header = ReadSegmentHeader(file.bytes());
    return header.ok() && header->segment_bytes == how_far_.segment_bytes &&
           OffsetOf(header->begin) == 0;
  }

  GateAnswer HandOut(const Judgement& judgement, const SegmentHeader& header,
                     absl::string_view segment, bool was_kept) {
    const bool follows = !notes_.file.empty() && number_ == notes_.number + 1;
    const bool again = !notes_.file.empty() && number_ == notes_.number;
    if (follows) {
      begun_from_ = notes_.next_xid;
      locked_from_ = notes_.locked;
    }
    if (again) {
      begun_from_ = notes_.begun_from;
      locked_from_ = notes_.locked_from;
    }
    const SegmentRecords records = ReadRecords(header, segment, follows ? notes_.head : "",
                                               notes_.head_begin, begun_from_, locked_from_);
    std::optional<Cut> cut;
    if (judgement.step == Step::kUpToCut) cut = notes_.cut;
    if (judgement.step == Step::kNextPart) {
      cut = NextCut(how_far_, records, judgement);
      notes_.pruned_to = judgement.pruned_to;
    }
    if (cut && OffsetOf(cut->end) == 0) {
      notes_.cut = cut;
      notes_.waits_for.clear();  // so that it is noted, whatever was waited for before
      return Waits("confirmed", absl::StrCat("the WAL is cut at ", cut->end.ToString()));
    }
    const bool was_cut = WasCut();
    if (const absl::Status noted = Note(records, cut); !noted.ok())
      return NotYet(absl::StrCat(file_, " is held back: ", noted.message()));
    const uint64_t bytes =
        cut ? std::min<uint64_t>(OffsetOf(cut->end), segment.size()) : segment.size();
    if (const absl::Status placed = Place(segment, records, bytes, was_kept, was_cut); !placed.ok())
      return NotYet(absl::StrCat(file_, " is held back: ", placed.message()));
    return {{0, 0}, ""};
  }

  // Before it is handed out: what was not handed out is asked for again, what was and is not noted
  // would be handed out twice.
  absl::Status Note(const SegmentRecords& records, const std::optional<Cut>& cut) {
    const Lsn end((number_ + 1) * how_far_.segment_bytes);
    if (notes_.file.empty() || number_ >= notes_.number) {
      notes_.number = number_;
      notes_.file = file_;
      notes_.end = cut ? std::min(cut->end, end) : end;
      notes_.last_record = cut ? cut->over : records.last_begin;
      notes_.head = cut ? "" : records.head;
      notes_.head_begin = cut ? Lsn() : records.head_begin;
      notes_.begun_from = begun_from_;
      notes_.next_xid = records.next_xid;
      notes_.locked_from = locked_from_;
      notes_.locked = records.lock_catalogs;
    }
    if (cut) notes_.cut = cut;
    notes_.waits_for.clear();
    return folder_.WriteNotes(notes_);
  }

  absl::Status Place(absl::string_view segment, const SegmentRecords& records, uint64_t bytes,
                     bool was_kept, bool was_cut) {
    std::string copy;
    const absl::string_view given = WithoutMarks(segment, records, &copy);
    const bool whole = bytes == segment.size();
    if (!was_kept && whole && !was_cut && given.data() == segment.data()) return absl::OkStatus();
    if (!was_kept && !whole) {
      const absl::Status kept = WriteUpTo(segment, segment.size(), kept_);
      if (!kept.ok()) return kept;
    }
    const absl::Status placed =
        was_cut ? GrowTo(given, bytes, had_, path_) : WriteUpTo(given, bytes, path_);
    if (placed.ok() && whole) unlink(kept_.c_str());
    return placed;
  }

  const GateRequest& request_;
  const Environment& environment_;
  const std::function<CommandEnd()>& fetch_;
  StateFolder folder_;
  const std::string file_, path_, data_folder_, kept_, had_;
  uint64_t number_ = 0;
  std::optional<Xid> begun_from_;  // transactions from that number on, in this segment
  std::vector<Xid> locked_from_;   // have a catalog locked where it begins
  HowFar how_far_;
  GateNotes notes_;
  std::optional<bool> has_up_to_cut_;
  bool is_new_ = false;  // what it waits for
};

}  // namespace

GateAnswer AnswerAtGate(const GateRequest& request, const Environment& environment,
                        const std::function<CommandEnd()>& fetch) {
  return Gate(request, environment, fetch).Answer();
}

}  // namespace walduct::recover
