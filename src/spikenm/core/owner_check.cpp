#include "spikenm/core/owner_check.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/run_dir.h"

namespace spikenm {

void check_still_owned(const std::filesystem::path& folder) {
  const NoInterrupts shield;  // an interrupt is not about this file
  const auto has = [&](std::string_view name) {
    std::error_code error;
    return std::filesystem::exists(folder / name, error) || error;
  };
  if (!has(RunOwner::kFile)) {
    // Somebody may have removed the record alone; the run is still here.
    SPIKENM_CHECK(has(RunDir::kConfig),
                  "{}: the folder was removed or moved away while the run was going on",
                  folder.string());
    return;
  }

  const std::filesystem::path file = folder / RunOwner::kFile;
  const std::optional<OwnerRecord> found = parse_owner(read_file(file), file.string());
  const OwnerRecord mine = owner_of_now();
  // Not the name of the host, which may change.
  SPIKENM_CHECK(found && found->pid == mine.pid && found->started == mine.started,
                "{}: the folder was taken by {} while the run was going on", folder.string(),
                describe(found.value_or(OwnerRecord{})));
}

}  // namespace spikenm
