// Folders of pictures and recordings of one's own.
#pragma once

#include "spikenm/core/file.h"
#include "spikenm/core/png.h"
#include "support/dataset_tree.h"
#include "support/event_files.h"

#include <filesystem>
#include <string>
#include <vector>

namespace spikenm::test {

// A PNG of one colour.
inline void put_png(const std::filesystem::path& path, int64_t width, int64_t height,
                    uint8_t value) {
  std::filesystem::create_directories(path.parent_path());
  write_png(path, width, height,
            std::vector<uint8_t>(static_cast<size_t>(width * height * 3), value));
}

inline void put_image_folder(const std::filesystem::path& root) {
  uint8_t value = 10;
  for (const char* name : {"0", "1"})
    for (int i = 0; i < 4; ++i)
      put_png(root / name / fmt::format("{}.png", i), 40, 36, value += 20);
}

inline void put_event_folder(const std::filesystem::path& root) {
  size_t n = 20;
  for (const char* name : {"0", "1"})
    for (int i = 0; i < 4; ++i)
      put(root / name / fmt::format("{}.aedat", i), aedat2_file(some_events(n++, 128, 128)));
}

}  // namespace spikenm::test
