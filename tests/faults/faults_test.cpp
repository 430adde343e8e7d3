// Every call on files that core/file makes goes wrong once, in every way. Afterwards each file has
// its old content or its new one, never a mixture.
#include "support/faults.h"
#include "old_and_new.h"
#include "support/expect_error.h"

#include <csignal>

namespace spikenm::faults {
namespace {

using test::Fault;
using test::FaultyEnd;

const std::vector<std::string> kCalls{"open", "write", "fsync", "rename", "mkdir", "truncate"};

bool is_part(const fs::path& file) {
  return file.filename().string().find(".part") != std::string::npos;
}

std::vector<fs::path> parts_in(const fs::path& folder) {
  std::vector<fs::path> parts;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (is_part(entry.path())) parts.push_back(entry.path());
  return parts;
}

class Faults : public testing::Test {
 protected:
  // Checks that each file has its old or its new content. torn: the process was killed in the
  // middle of a write, so the last line may be cut.
  void expect_old_or_new(bool torn) {
    const auto one_of = [&](const char* name, const std::string& before, const std::string& after) {
      const std::string found = read_file(folder / name);
      EXPECT_TRUE(found == before || found == after) << name << " has " << found.size() << " bytes";
    };
    one_of("whole", kOldText, kNewText);
    one_of("moved", kOldText, kNewText);
    one_of("cut", kUncut, kUncut.substr(0, kKept));
    const std::string lines = read_file(folder / "lines");
    EXPECT_TRUE(lines == kOldLines || (torn && (kOldLines + kNewLine).starts_with(lines)) ||
                lines == kOldLines + kNewLine)
        << lines;
    const SafetensorsFile found = read_safetensors(folder / "tensors");
    const uint8_t state = found.metadata.at("state") == "2" ? 2 : 1;
    EXPECT_EQ(encode_safetensors(found), encode_safetensors(tensors(state)));
  }

  void expect_new() {
    EXPECT_EQ(read_file(folder / "whole"), kNewText);
    EXPECT_EQ(read_file(folder / "moved"), kNewText);
    EXPECT_EQ(read_file(folder / "cut"), kUncut.substr(0, kKept));
    EXPECT_TRUE(read_file(folder / "lines").ends_with(kNewLine));
    EXPECT_EQ(read_safetensors(folder / "tensors").metadata.at("state"), "2");
  }

  Faults() {
    make_folders(dir / "old");
    write_old(dir / "old");
    make_old();
    whole = writer.run().calls;
  }

  void make_old() {
    fs::remove_all(folder);
    fs::copy(dir / "old", folder);
  }

  void expect_failure(const FaultyEnd& end, const std::string& reason) {
    EXPECT_EQ(end.code, 1);
    EXPECT_TRUE(end.err.starts_with(folder.string())) << end.err;
    EXPECT_TRUE(end.err.ends_with(": " + reason + "\n")) << end.err;
    EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
    EXPECT_TRUE(parts_in(folder).empty()) << parts_in(folder).front();
  }

  // Runs the writer with a fault of this kind, for every n of each of these calls.
  template <class Check>
  void for_each(const std::string& kind, bool lasts, const std::vector<std::string>& calls,
                Check check) {
    for (const std::string& call : calls)
      for (int n = 1; n <= count_of(whole, call); ++n) {
        const Fault fault{.call = call, .kind = kind, .at = n, .lasts = lasts};
        SCOPED_TRACE(fault.text());
        make_old();
        check(fault, writer.run(fault));
        expect_old_or_new(kind == "torn");
        if (HasFailure()) return;
        fs::resize_file(folder / "cut", kUncut.size());  // so that it can be cut again
        EXPECT_EQ(writer.run().code, 0);
        expect_new();
      }
  }

  const test::InMemory in_memory;
  test::TempDir dir;
  fs::path folder = dir / "f";
  const test::FaultyRun writer{{SPIKENM_FAULT_WRITER, folder.string()}, folder};
  std::vector<test::FileCall> whole;  // the calls of a run without a fault
};

TEST_F(Faults, TheShimSeesEveryCall) {
  expect_new();
  EXPECT_EQ(count_of(whole, "mkdir"), 2);
  EXPECT_EQ(count_of(whole, "rename"), 4);
  EXPECT_EQ(count_of(whole, "truncate"), 1);
  EXPECT_EQ(count_of(whole, "unlink"), 0);
  EXPECT_EQ(count_of(whole, "write"), 6);  // a file of two tensors takes three writes
  // Two new folders; three files, each with its folder; a file that is appended to and synced with
  // its folder; a cut file; a move between two folders.
  EXPECT_EQ(count_of(whole, "fsync"), 2 + 3 * 2 + 2 + 1 + 2);
  EXPECT_EQ(count_of(whole, "open"), 2 + 2 + 3 * 2 + 3 + 1 + 2);  // the first two are read
}

TEST_F(Faults, AnInterruptedCallIsMadeAgain) {
  for_each("EINTR", false, kCalls, [&](const Fault&, const FaultyEnd& end) {
    EXPECT_EQ(end.code, 0) << end.err;
    expect_new();
  });
}

TEST_F(Faults, AShortWriteIsGoneOnWith) {
  for (const bool lasts : {false, true})
    for_each("short", lasts, {"write"}, [&](const Fault&, const FaultyEnd& end) {
      EXPECT_EQ(end.code, 0) << end.err;
      expect_new();
      EXPECT_EQ(read_file(folder / "lines"), kOldLines + kNewLine);
    });
}

TEST_F(Faults, AFailureIsOneSentenceAndLeavesNoPart) {
  for (const auto& [kind, reason] : {std::pair{"ENOSPC", "No space left on device"},
                                     {"EIO", "Input/output error"},
                                     {"EACCES", "Permission denied"}})
    for (const bool lasts : {false, true})
      for_each(kind, lasts, kCalls, [&](const Fault& fault, const FaultyEnd& end) {
        // A folder that may not be opened is not synced. Everything else is an error.
        if (fault.kind == "EACCES" && fault.call == "open" && end.code == 0) {
          EXPECT_TRUE(fs::is_directory(call_at(whole, "open", fault.at).path));
          return expect_new();
        }
        expect_failure(end, reason);
      });
}

TEST_F(Faults, ADiskThatFillsUpTakesBackWhatFitted) {
  for_each("full", false, {"write"}, [&](const Fault&, const FaultyEnd& end) {
    expect_failure(end, "No space left on device");
  });
}

TEST_F(Faults, AKillLeavesTheOldOrTheNew) {
  for_each("kill", false, kCalls,
           [&](const Fault&, const FaultyEnd& end) { EXPECT_EQ(end.code, -SIGKILL); });
  for_each("torn", false, {"write"},
           [&](const Fault&, const FaultyEnd& end) { EXPECT_EQ(end.code, -SIGKILL); });
}

}  // namespace
}  // namespace spikenm::faults
