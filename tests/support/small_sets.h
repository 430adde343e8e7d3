// Small copies of the datasets that read files, one row per name of their registry.
#pragma once

#include "spikenm/core/config.h"
#include "support/cifar_files.h"
#include "support/class_folder_files.h"
#include "support/event_files.h"
#include "support/hdf5_file.h"
#include "support/temp_dir.h"

#include <map>
#include <string>

namespace spikenm::test {

inline void put_cifar10(const std::filesystem::path& root) {
  put_all(root / "cifar-10-batches-bin", cifar10_binary());
}

inline void put_cifar100(const std::filesystem::path& root) {
  put_all(root / "cifar-100-binary", cifar100_binary());
}

inline void put_mnist(const std::filesystem::path& root) {
  for (const auto& [part, n] : {std::pair<std::string, uint32_t>{"train", 3}, {"t10k", 2}}) {
    std::string labels = be<uint32_t>(0x801) + be(n);
    std::string images = be<uint32_t>(0x803) + be(n) + be<uint32_t>(28) + be<uint32_t>(28);
    for (uint32_t i = 0; i < n; ++i) {
      labels += static_cast<char>(i);
      images += std::string(28 * 28, static_cast<char>(i + 1));
    }
    put(root / (part + "-labels-idx1-ubyte"), labels);
    put(root / (part + "-images-idx3-ubyte"), images);
  }
}

// Recordings of different length, so that no two samples are equal.
inline void put_n_mnist(const std::filesystem::path& root) {
  for (size_t digit = 0; digit < 10; ++digit) {
    const std::string file = atis_bin_file(some_events(20 + digit, 34, 34));
    for (const char* part : {"Train", "Test"})
      put(root / fmt::format("{}/{}/0.bin", part, digit), file);
  }
}

inline void put_cifar10_dvs(const std::filesystem::path& root) {
  size_t n = 20;
  for (const char* name :
       {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}) {
    for (int i = 0; i < 4; ++i)
      put(root / fmt::format("extract/{}/cifar10_{}_{}.aedat", name, name, i),
          aedat2_file(some_events(n++, 128, 128)));
  }
}

inline void put_dvs_gesture(const std::filesystem::path& root) {
  for (const char* user : {"user01", "user24"}) {
    put(root / fmt::format("DvsGesture/{}.aedat", user),
        aedat3_file(some_events(100, 128, 128, /*start=*/1000)));
    put(root / fmt::format("DvsGesture/{}_labels.csv", user),
        "class,startTime_usec,endTime_usec\n1,1000,1200\n11,1200,1700\n");
  }
  put(root / "DvsGesture/trials_to_train.txt", "user01.aedat\n");
  put(root / "DvsGesture/trials_to_test.txt", "user24.aedat\n");
}

inline void put_shd(const std::filesystem::path& root) {
  Hdf5Writer writer;
  const uint64_t times =
      writer.add_rows<double>(hdf5_float64(), {{0.0, 0.25, 1.0}, {0.1, 0.5}, {0.5}});
  const uint64_t units =
      writer.add_rows<int64_t>(hdf5_integer(8, true), {{0, 699, 5}, {3, 4}, {42}});
  const uint64_t labels =
      writer.add_dataset(hdf5_integer(8, true), 3, hdf5_data(std::vector<int64_t>{3, 19, 0}));
  const uint64_t spikes = writer.add_group({{"times", times}, {"units", units}});
  const std::string file = writer.file(writer.add_group({{"spikes", spikes}, {"labels", labels}}));
  put(root / "shd_train.h5", file);
  put(root / "shd_test.h5", file);
}

using WriteSmallSet = void (*)(const std::filesystem::path& root);

// A dataset without a row reads no files. The conformance tests check both directions.
inline const std::map<std::string, WriteSmallSet>& small_sets() {
  static const std::map<std::string, WriteSmallSet> rows{
      {"cifar10", put_cifar10},           {"cifar100", put_cifar100},
      {"cifar10-dvs", put_cifar10_dvs},   {"dvs-gesture", put_dvs_gesture},
      {"event-folder", put_event_folder}, {"fashion-mnist", put_mnist},
      {"image-events", put_cifar10},  // of its usual source
      {"image-folder", put_image_folder}, {"mnist", put_mnist},
      {"n-mnist", put_n_mnist},           {"shd", put_shd},
  };
  return rows;
}

// The small copy of one set, for as long as this lives.
class SmallSet {
 public:
  explicit SmallSet(const std::string& name) : has_root_(small_sets().contains(name)) {
    if (has_root_) small_sets().at(name)(root());
  }

  [[nodiscard]] bool has_root() const { return has_root_; }
  [[nodiscard]] const std::filesystem::path& root() const { return dir_.path(); }
  // A [data] section.
  [[nodiscard]] Config config() const {
    Config config;
    if (has_root()) config.override_with(fmt::format("root='{}'", root().string()));
    return config;
  }

 private:
  bool has_root_;
  TempDir dir_;
};

}  // namespace spikenm::test
