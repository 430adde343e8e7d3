// What a sweep writes itself, when one of its calls goes wrong. Its members are runs of their own, whose
// faults are tried by TrainFaults; here they are finished.
#include "faults/faulty_folder.h"
#include "spikenm/core/md5.h"

namespace spikenm::faults {
namespace {

class SweepFaults : public FaultyFolder {
 protected:
  SweepFaults() {
    ::setenv("PATH", "/nowhere", 1);  // pictures stay SVG: what makes a PNG is not ours
    write_file_atomically(dir / "base.toml", R"(
      threads = 1
      [data]
      train_size = 20
      test_size = 10
      workers = 0
      [model]
      name = "mlp"
      hidden = [8]
      T = 2
      [train]
      epochs = 1
      search_epochs = 1
      batch_size = 10
    )");
  }

  ~SweepFaults() override { ::setenv("PATH", path_.c_str(), 1); }

  [[nodiscard]] std::vector<std::string> command() const {
    return {SPIKENM_PROGRAM, "sweep",          "--config",  (dir / "base.toml").string(),
            "--grid",        "train.lr=0.001", "--against", "lr=0.001",
            "--out",         folder.string()};
  }

  // The hashes of the sweep's files, by name.
  [[nodiscard]] std::map<std::string, std::string> results() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file())
        files[entry.path().filename().string()] = md5_hex(as_bytes(read_file(entry.path())));
    return files;
  }

 private:
  std::string path_ = std::getenv("PATH");
};

TEST_F(SweepFaults, ItsResultsAreThereWhenTheSameCommandRunsAgain) {
  const FaultyEnd first = test::FaultyRun(command(), folder).run();
  ASSERT_EQ(first.code, 0) << first.err;
  const std::map<std::string, std::string> wanted = results();
  for (const char* name : {"results.csv", "summary.csv"})
    EXPECT_TRUE(wanted.contains(name)) << name;
  for (const auto& [name, content] : wanted) fs::remove(folder / name);
  fs::rename(folder, dir / "members");

  const FaultServer sweep(command(), folder);
  for_each_fault(sweep, dir / "members", 12, [&](const Fault& fault, const FaultyEnd& end) {
    check_end(fault, end);
    const FaultyEnd again = sweep.run();
    EXPECT_EQ(again.code, 0) << again.err;
    std::map<std::string, std::string> found = results();
    // What a killed program was writing stays under a name of its own.
    std::erase_if(found,
                  [](const auto& file) { return file.first.find(".part") != file.first.npos; });
    EXPECT_EQ(found, wanted);
  });
}

}  // namespace
}  // namespace spikenm::faults
