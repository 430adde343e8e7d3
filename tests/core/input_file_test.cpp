#include "spikenm/core/input_file.h"

#include "spikenm/core/bytes.h"
#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace spikenm {
namespace {

using test::TempDir;

std::string piece(const InputFile& file, uint64_t offset, size_t n) {
  std::vector<uint8_t> out(n);
  file.read(offset, out);
  return std::string(as_text(out));
}

TEST(InputFile, GivesAnyPieceOfTheFile) {
  const TempDir dir;
  write_file_atomically(dir / "a", "0123456789");
  const InputFile file(dir / "a");
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(piece(file, 0, 10), "0123456789");
  EXPECT_EQ(piece(file, 7, 2), "78");
  EXPECT_EQ(piece(file, 10, 0), "");
  std::vector<uint8_t> all(99);
  read_bytes(dir / "a", all);
  EXPECT_EQ(as_text(all), "0123456789");
}

// The small one is left to whoever asked for it: their sentence says more of the work.
TEST(InputFile, AnInterruptEndsTheReadingOfALargeFile) {
  const TempDir dir;
  write_file_atomically(dir / "small", "x");
  write_file_atomically(dir / "large", "x");
  std::filesystem::resize_file(dir / "large", 9 << 20);
  EXPECT_EXIT(
      {
        install_interrupt_handlers();
        ::raise(SIGTERM);
        std::vector<uint8_t> out;
        read_bytes(dir / "small", out);
        try {
          read_bytes(dir / "large", out);
        } catch (const Interrupted& e) {
          ::_exit(e.signal_number());
        }
        ::_exit(0);
      },
      testing::ExitedWithCode(SIGTERM), "");
}

TEST(InputFile, AFileOfSeveralPiecesComesWhole) {
  const TempDir dir;
  std::string content;
  for (int i = 0; content.size() < (9U << 20); ++i) content += std::to_string(i);
  write_file_atomically(dir / "a", content);
  std::vector<uint8_t> all;
  read_bytes(dir / "a", all);
  EXPECT_TRUE(as_text(all) == content);
}

TEST(InputFile, AFileCutWhileItIsOpenIsAnErrorAndNoSignal) {
  const TempDir dir;
  write_file_atomically(dir / "a", std::string(100'000, 'x'));
  const InputFile file(dir / "a");
  EXPECT_EQ(piece(file, 99'998, 2), "xx");
  std::filesystem::resize_file(dir / "a", 5000);
  EXPECT_EQ(piece(file, 4998, 2), "xx");
  EXPECT_ERROR(piece(file, 4998, 3), "a: was cut to 5000 bytes", "wanted 5001");
  EXPECT_ERROR(piece(file, 99'998, 2), "was cut", "wanted 100000");
}

TEST(InputFile, MovesWithoutClosing) {
  const TempDir dir;
  write_file_atomically(dir / "a", "aa");
  write_file_atomically(dir / "b", "b");
  InputFile a(dir / "a");
  InputFile moved(std::move(a));
  EXPECT_EQ(piece(moved, 0, 2), "aa");
  moved = InputFile(dir / "b");
  EXPECT_EQ(piece(moved, 0, 1), "b");
  EXPECT_EQ(moved.path(), dir / "b");
}

TEST(InputFile, NamesWhatItCannotOpen) {
  const TempDir dir;
  EXPECT_ERROR(InputFile(dir / "absent"), "absent", "No such file");
  EXPECT_ERROR(InputFile(dir.path()), "not a file", "wanted a regular file");
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(InputFile(dir / "pipe"), "pipe", "not a file");
}

}  // namespace
}  // namespace spikenm
