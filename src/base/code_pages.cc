#include "base/code_pages.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace walduct {
namespace {

// With many connectors all would read the same pages in again all the time.
constexpr absl::Duration kBetween = absl::Seconds(8);

void ReleaseSegment(uintptr_t begin, uintptr_t size) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = begin & ~(page - 1);
  // Fails for the kernel's own, which belongs to nobody.
  madvise(reinterpret_cast<void*>(first),  // NOLINT(performance-no-int-to-ptr)
          begin + size - first, MADV_DONTNEED);
}

// What is writable, or was while it was loaded, cannot be read from the file again.
int ReleaseObject(dl_phdr_info* object, size_t /*size*/, void* /*closure*/) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) == 0)
      ReleaseSegment(object->dlpi_addr + header.p_vaddr, header.p_memsz);
  }
  return 0;
}

}  // namespace

void ReleaseCodePages() { dl_iterate_phdr(ReleaseObject, nullptr); }

void ReleaseCodePagesAgain(absl::Duration now) {
  static std::atomic<int64_t> not_before{0};
  const int64_t at = absl::ToInt64Nanoseconds(now);
  int64_t due = not_before;
  if (at >= due && not_before.compare_exchange_strong(due, at + absl::ToInt64Nanoseconds(kBetween)))
    ReleaseCodePages();
}

}  // namespace walduct
