#include "spikenm/core/folder.h"

#include "spikenm/core/error.h"

namespace spikenm {
namespace fs = std::filesystem;

std::vector<fs::path> list_folder(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator entry;
  do entry = fs::directory_iterator(folder, error);
  while (error == std::errc::interrupted);
  if (error == std::errc::no_such_file_or_directory) return entries;
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  SPIKENM_CHECK(!error, "{}: cannot read the folder: {}", folder.string(), error.message());
  return entries;
}

}  // namespace spikenm
