// Where the notes of ends lie: written in a folder of this user's, WALDUCT_STATE_DIRECTORY, else
// that of systemd's unit (STATE_DIRECTORY), else walduct-UID among the temporary files; read there
// and in those of other users, as far as this one may.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace walduct::cli {

// Of this user; it need not exist.
std::string NotesFolder();

// Whole or not at all. FailedPrecondition: the file and why.
absl::Status WriteNote(const std::string& path, const std::string& text);
// Whether notes can be written in NotesFolder, which is made. FailedPrecondition as above.
absl::Status CheckNotes();

// There is one that another user wrote, and that may not be this one's to replace.
bool IsForeign(const std::string& path);
// Empty: there is none, or it is not this user's to read, which denied tells (may be null).
std::string ReadNote(const std::string& path, std::vector<std::string>* denied);
// Of that name, in all folders; denied: "user 998", whose folder or note it may not read.
std::vector<std::string> ReadNotes(const std::string& name, std::vector<std::string>* denied);

}  // namespace walduct::cli
