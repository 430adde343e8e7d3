// Runs every target on its corpus, and on every file of it cut short and with bytes changed: what
// fuzzing found is tested without a fuzzer. fuzz_replay CORPUS_FOLDER [TARGET]
#include "targets.h"

#include "spikenm/core/file.h"
#include "spikenm/core/random.h"

#include <cstdio>

namespace {

namespace fs = std::filesystem;
using spikenm::Bytes;

constexpr uint64_t kVariants = 200;

void replay(const spikenm::fuzz::Target& target, const fs::path& file) {
  const std::string content = spikenm::read_file(file);
  spikenm::fuzz::run_one(target, spikenm::as_bytes(content));
  const spikenm::RandomAddress random(1, 1);
  for (uint64_t v = 0; v < kVariants && !content.empty(); ++v) {
    std::string changed = content;
    const auto size = static_cast<uint32_t>(content.size());
    if (v % 2 == 0) changed.resize(random.below(3 * v, size));
    if (v % 2 == 1)
      changed[random.below(3 * v + 1, size)] = static_cast<char>(random.word(3 * v + 2));
    spikenm::fuzz::run_one(target, spikenm::as_bytes(changed));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fuzz_replay CORPUS_FOLDER [TARGET]\n");
    return 2;
  }
  for (const auto& target : spikenm::fuzz::targets()) {
    if (argc > 2 && target.name != argv[2]) continue;
    int n_files = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(argv[1]) / target.name)) {
      replay(target, entry.path());
      ++n_files;
    }
    std::printf("%s: %d files\n", target.name.c_str(), n_files);
    if (n_files == 0) return 1;
  }
  return 0;
}
