#include "slot/start/slot_hold.h"

#include "absl/strings/str_cat.h"
#include "base/amount_text.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/errors/error_policy.h"
#include "slot/world/source.h"

namespace walduct::slot {
namespace {

absl::StatusOr<Lsn> MakeAnew(const HoldParts& parts) {
  if (parts.drops) RETURN_IF_ERROR(parts.source->DropSlot());
  SourcePlan plan;
  plan.holds = true;
  return parts.source->CreateSlot(plan, parts.stopping);
}

}  // namespace

absl::Status AndReset(const absl::Status& usable,
                      const std::optional<offset::StoredOffset>& stored) {
  const std::string reason = ErrorReason(usable);
  if (!stored || reason != "slot_wrong_plugin") return usable;
  return Error(usable.code(), reason, usable.message(),
               absl::StrCat(ErrorHint(usable),
                            "; then walduct offsets reset NAME --accept-loss: the stored position "
                            "is of a slot that is gone, and all tables are read anew"));
}

namespace {

constexpr absl::string_view kChoose =
    "choose: the gap is in a base backup that ended before the position and in the WAL archive: "
    "keep both, and walduct recover run streams it from there, deletes too (docs/recover.md has "
    "what to type); or give the states in between up: walduct recover read compares the tables "
    "with the topics, and publishes rows and deletes that differ; or read all tables anew "
    "(walduct offsets reset): deletes in the gap are then never told. Until then the slot keeps "
    "WAL";

// Neither recover run nor recover read is for them.
constexpr absl::string_view kOfSeveral =
    "read all tables anew (walduct offsets reset): the gap of a connector with several slots can "
    "neither be streamed nor compared, and deletes in it are never told. Until then the slot keeps "
    "WAL";

}  // namespace

absl::Status SlotHeld(const offset::StoredOffset& stored, Lsn slot) {
  const Lsn position = stored.position.commit_end;
  return Error(
      absl::StatusCode::kFailedPrecondition, "lost_slot_held",
      absl::StrCat("the replication slot was lost and made anew, and holds WAL and catalogs from ",
                   slot.ToString(),
                   " on (walduct.slot.lost=hold): what was committed between the "
                   "stored position ",
                   position.ToString(), " and there, in ",
                   BytesText(slot.value() - position.value()),
                   " of WAL, cannot be read from it; the position stays, and nothing is streamed "
                   "over the gap"),
      stored.slots > 1 ? kOfSeveral : kChoose);
}

bool IsMadeAnew(const absl::Status& why) {
  const std::string reason = ErrorReason(why);
  return reason != "lost_slot_held" && reason != "slot_other_name";
}

absl::Status HoldSlot(const HoldParts& parts) {
  // Before the slot is there: no start may take it for one that reaches back to the position.
  if (!parts.stored->slot_held) {
    offset::StoredOffset marked = *parts.stored;
    marked.slot_held = true;
    RETURN_IF_ERROR(parts.save(marked));
  }
  log::Warn(absl::StrCat(parts.why->message(), "; making it anew to hold WAL and catalogs"),
            {{"reason", ErrorReason(*parts.why)},
             {"position", parts.stored->position.commit_end.ToString()}});
  const absl::StatusOr<Lsn> made = MakeAnew(parts);
  if (made.ok()) return SlotHeld(*parts.stored, *made);
  if (engine::MayPass(made.status())) return made.status();
  return Error(
      absl::StatusCode::kFailedPrecondition, "lost_slot_not_held",
      absl::StrCat(parts.why->message(), "; and walduct.slot.lost=hold could not make it anew: ",
                   made.status().message()),
      absl::StrCat(
          "every minute counts, as nothing keeps WAL and catalogs: ", ErrorHint(made.status()),
          "; then start again. docs/recover.md: how the gap is got back"));
}

}  // namespace walduct::slot
