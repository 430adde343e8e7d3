#include "spikenm/core/build_id.h"

#include <fmt/format.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace spikenm {
namespace {

size_t padded(size_t size) {
  return (size + 3) / 4 * 4;
}

// Notes lie one after another: a header, a name and a description, each padded to four bytes.
std::string id_in_notes(std::span<const std::byte> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    const auto& header = *reinterpret_cast<const ElfW(Nhdr)*>(notes.data());
    const size_t name = sizeof(header), description = name + padded(header.n_namesz),
                 end = description + padded(header.n_descsz);
    if (end > notes.size()) break;
    const std::string_view owner(reinterpret_cast<const char*>(notes.data()) + name,
                                 header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && owner == std::string_view("GNU\0", 4)) {
      std::string text;
      for (const std::byte b : notes.subspan(description, header.n_descsz))
        text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
      return text;
    }
    notes = notes.subspan(end);
  }
  return "";
}

// The first object is the program itself; others are not looked at.
int look_at(dl_phdr_info* info, size_t, void* found) {
  for (ElfW(Half) i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers
    const auto* const begin = reinterpret_cast<const std::byte*>(info->dlpi_addr + part.p_vaddr);
    std::string& id = *static_cast<std::string*>(found);
    id = id_in_notes({begin, part.p_memsz});
    if (!id.empty()) break;
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  ::dl_iterate_phdr(look_at, &id);
  return id;
}

}  // namespace spikenm
