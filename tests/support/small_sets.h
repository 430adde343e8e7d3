// For every name of the dataset registry a small copy of that set, where it reads one.
#pragma once

#include "spikenm/core/config.h"
#include "support/cifar_files.h"
#include "support/event_files.h"
#include "support/hdf5_file.h"
#include "support/temp_dir.h"

#include <string>

namespace spikenm::test {

class SmallSet {
 public:
  explicit SmallSet(const std::string& name) : name_(name) {
    if (name == "cifar10" || name == "image-events")
      put_all(dir_ / "cifar-10-batches-bin", cifar10_binary());
    if (name == "cifar100") put_all(dir_ / "cifar-100-binary", cifar100_binary());
    if (name.ends_with("mnist") && name != "n-mnist") put_idx();
    if (name == "n-mnist") put_n_mnist();
    if (name == "cifar10-dvs") put_cifar10_dvs();
    if (name == "dvs-gesture") put_gesture();
    if (name == "shd") put_shd();
  }

  [[nodiscard]] bool has_root() const { return name_ != "moving-shapes"; }
  [[nodiscard]] const std::filesystem::path& root() const { return dir_.path(); }
  // A [data] section.
  [[nodiscard]] Config config() const {
    Config config;
    if (has_root()) config.override_with(fmt::format("root='{}'", dir_.path().string()));
    return config;
  }

 private:
  void put_idx() const {
    for (const auto& [part, n] : {std::pair<std::string, uint32_t>{"train", 3}, {"t10k", 2}}) {
      std::string labels = be<uint32_t>(0x801) + be(n);
      std::string images = be<uint32_t>(0x803) + be(n) + be<uint32_t>(28) + be<uint32_t>(28);
      for (uint32_t i = 0; i < n; ++i) {
        labels += static_cast<char>(i);
        images += std::string(28 * 28, static_cast<char>(i + 1));
      }
      put(dir_ / (part + "-labels-idx1-ubyte"), labels);
      put(dir_ / (part + "-images-idx3-ubyte"), images);
    }
  }

  // Recordings of different length, so that no two samples are equal.
  void put_n_mnist() const {
    for (size_t digit = 0; digit < 10; ++digit) {
      const std::string file = atis_bin_file(some_events(20 + digit, 34, 34));
      for (const char* part : {"Train", "Test"})
        put(dir_ / fmt::format("{}/{}/0.bin", part, digit), file);
    }
  }

  void put_cifar10_dvs() const {
    size_t n = 20;
    for (const char* name : {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog",
                             "horse", "ship", "truck"}) {
      for (int i = 0; i < 4; ++i)
        put(dir_ / fmt::format("extract/{}/cifar10_{}_{}.aedat", name, name, i),
            aedat2_file(some_events(n++, 128, 128)));
    }
  }

  void put_gesture() const {
    for (const char* user : {"user01", "user24"}) {
      put(dir_ / fmt::format("DvsGesture/{}.aedat", user),
          aedat3_file(some_events(100, 128, 128, /*start=*/1000)));
      put(dir_ / fmt::format("DvsGesture/{}_labels.csv", user),
          "class,startTime_usec,endTime_usec\n1,1000,1200\n11,1200,1700\n");
    }
    put(dir_ / "DvsGesture/trials_to_train.txt", "user01.aedat\n");
    put(dir_ / "DvsGesture/trials_to_test.txt", "user24.aedat\n");
  }

  void put_shd() const {
    Hdf5Writer writer;
    const uint64_t times =
        writer.add_rows<double>(hdf5_float64(), {{0.0, 0.25, 1.0}, {0.1, 0.5}, {0.5}});
    const uint64_t units =
        writer.add_rows<int64_t>(hdf5_integer(8, true), {{0, 699, 5}, {3, 4}, {42}});
    const uint64_t labels =
        writer.add_dataset(hdf5_integer(8, true), 3, hdf5_data(std::vector<int64_t>{3, 19, 0}));
    const uint64_t spikes = writer.add_group({{"times", times}, {"units", units}});
    const std::string file =
        writer.file(writer.add_group({{"spikes", spikes}, {"labels", labels}}));
    put(dir_ / "shd_train.h5", file);
    put(dir_ / "shd_test.h5", file);
  }

  std::string name_;
  TempDir dir_;
};

}  // namespace spikenm::test
