#include "spikenm/data/cache.h"

#include "spikenm/core/file.h"
#include "spikenm/core/input_file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/md5.h"
#include "spikenm/data/packed_sample.h"
#include "spikenm/data/walk.h"
#include "spikenm/data/wrapped_dataset.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;

// The file, all numbers little-endian:
//
//   magic (16) | md5 of the state (32) | n_train u64 | n_test u64
//   sample 0, sample 1, …      packed (packed_sample.h), then zstd with its checksum
//   offset of every sample, and the end of the last: (n_train + n_test + 1) u64
//   place of the offsets u64 | magic (16)
constexpr std::string_view kMagic = "SPIKENM frames 1";
constexpr size_t kHeader = 16 + 32 + 8 + 8;
constexpr size_t kFooter = 8 + 16;
constexpr int kZstdLevel = 1;

constexpr const char* kWayOut =
    "data.cache_dir may name another folder, and data.cache=off does without";

// The absolute path; unchanged when there is no working folder.
std::string whole_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path.string() : whole.string();
}

// A hash of the source files as they are now: a cache made from other files is out of date.
std::string state_of(const Dataset& dataset) {
  std::string text = dataset.cache_key();
  for (const SourceFile& file : dataset.files()) {
    std::error_code error;
    const auto size = fs::file_size(file.path, error);
    const auto time = fs::last_write_time(file.path, error).time_since_epoch().count();
    text += fmt::format("\n{} {} {}", whole_path(file.path), size, time);
  }
  return md5_hex(as_bytes(text));
}

std::string number(uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string compress(std::string_view plain) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kZstdLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const size_t size =
      ZSTD_compress2(context.get(), packed.data(), packed.size(), plain.data(), plain.size());
  SPIKENM_ASSERT(!ZSTD_isError(size));
  packed.resize(size);
  return packed;
}

// An open file: its index is checked and kept, its samples are read when needed. It is not mapped:
// it is open during the whole training, and if it is shortened meanwhile, that must be an Error.
class FrameFile {
 public:
  // Returns nothing when the file is missing, cut, or made from something else.
  static std::optional<FrameFile> open(const fs::path& path, const std::string& state,
                                       uint64_t n_train, uint64_t n_test) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    FrameFile file(path);
    const uint64_t n = n_train + n_test, index_size = (n + 1) * 8, size = file.file_.size();
    const std::string header = std::string(kMagic) + state + number(n_train) + number(n_test);
    if (size < kHeader + index_size + kFooter) return std::nullopt;

    const std::vector<uint8_t> head = file.piece(0, kHeader);
    const std::vector<uint8_t> foot = file.piece(size - kFooter, kFooter);
    const uint64_t place = size - kFooter - index_size;
    if (as_text(head) != header || as_text(foot) != number(place) + std::string(kMagic))
      return std::nullopt;

    const std::vector<uint8_t> index = file.piece(place, index_size);
    for (uint64_t i = 0; i <= n; ++i)
      file.offsets_.push_back(load_le<uint64_t>(index.data() + 8 * i));
    if (file.offsets_.front() != kHeader || file.offsets_.back() != place) return std::nullopt;
    if (!std::is_sorted(file.offsets_.begin(), file.offsets_.end())) return std::nullopt;
    return file;
  }

  void read(uint64_t index, std::span<float> values) const {
    static thread_local std::vector<uint8_t> packed, plain;
    static thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(
        ZSTD_createDCtx(), &ZSTD_freeDCtx);
    packed.resize(offsets_[index + 1] - offsets_[index]);
    try {
      file_.read(offsets_[index], packed);
    } catch (const Error& e) {
      fail("{}; start again to have the cache made anew", e.what());
    }

    plain.resize(1 + values.size() * sizeof(float));
    const size_t size = ZSTD_decompressDCtx(context.get(), plain.data(), plain.size(),
                                            packed.data(), packed.size());
    SPIKENM_CHECK(!ZSTD_isError(size),
                  "{}: sample {} of the cache is damaged: {}; delete the file to have it made anew",
                  file_.path().string(), index, ZSTD_getErrorName(size));
    unpack_sample({plain.data(), size}, values, file_.path().string());
  }

 private:
  explicit FrameFile(const fs::path& path) : file_(path) {}
  [[nodiscard]] std::vector<uint8_t> piece(uint64_t offset, size_t n) const {
    std::vector<uint8_t> bytes(n);
    file_.read(offset, bytes);
    return bytes;
  }

  InputFile file_;
  std::vector<uint64_t> offsets_;  // of every sample, and the end of the last
};

// Held while a cache is made, by one process at a time. The destructor removes its file.
class BuildLock {
 public:
  explicit BuildLock(std::string path) : path_(std::move(path)) {
    while (!try_take()) {
      throw_if_interrupted("while another process made a cache");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  ~BuildLock() {
    ::unlink(path_.c_str());
    ::close(file_);
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  bool try_take() {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    SPIKENM_CHECK(file_ >= 0, "{}: cannot be written: {}; {}", path_, std::strerror(errno),
                  kWayOut);
    // On a file system without locks, two processes may make the same file; the last one remains.
    const bool busy = ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    // The previous holder may have removed this file after we opened it.
    struct stat ours{}, current{};
    ::fstat(file_, &ours);
    if (!busy && ::stat(path_.c_str(), &current) == 0 && ours.st_ino == current.st_ino) return true;
    ::close(file_);
    return false;
  }

  std::string path_;
  int file_ = -1;
};

void write_cache(const Dataset& dataset, const fs::path& path, const std::string& state,
                 const ProgressCallback& progress) {
  const int64_t n_train = dataset.size(Part::kTrain), n = n_train + dataset.size(Part::kTest);
  AtomicFile file(path);
  const auto write = [&](std::string_view bytes) {
    try {
      file.write(bytes);
    } catch (const Error& e) {  // a full disk
      fail("{}; {}", e.what(), kWayOut);
    }
  };

  write(std::string(kMagic) + state + number(static_cast<uint64_t>(n_train)) +
        number(static_cast<uint64_t>(n - n_train)));
  std::string offsets = number(kHeader);
  uint64_t end = kHeader;

  const ProgressCallback each_round = [&](double fraction, std::string_view what) {
    throw_if_interrupted("while caching " + dataset.info().name);
    if (progress) progress(fraction, what);
  };
  walk(
      n, "sample", each_round,
      [&](int64_t at) {
        std::vector<float> values(static_cast<size_t>(dataset.info().sample_size()));
        const bool train = at < n_train;
        dataset.read(train ? Part::kTrain : Part::kTest, train ? at : at - n_train, values.data());
        return compress(pack_sample(values));
      },
      [&](int64_t, const std::string& sample) {
        write(sample);
        end += sample.size();
        offsets += number(end);
      });

  write(offsets + number(end) + std::string(kMagic));
  file.commit();
}

class DiskCache : public WrappedDataset {
 public:
  DiskCache(std::shared_ptr<const Dataset> dataset, const fs::path& folder)
      : WrappedDataset(std::move(dataset)), path_(cache_file(inner(), folder)) {}

  void prepare(const ProgressCallback& progress) const override {
    const std::scoped_lock lock(mutex_);
    if (file_) return;
    const std::string state = state_of(inner());
    if (open(state)) return;
    std::error_code error;
    fs::create_directories(path_.parent_path(), error);
    SPIKENM_CHECK(!error, "{}: cannot be made: {}; {}", path_.parent_path().string(),
                  error.message(), kWayOut);

    const BuildLock build_lock(path_.string() + ".lock");
    if (open(state)) return;  // another process made it while we waited
    write_cache(inner(), path_, state, progress);
    SPIKENM_CHECK(open(state), "{}: cannot be read back after writing it", path_.string());
  }

  void read(Part part, int64_t index, float* out) const override {
    if (!ready_) prepare({});
    const int64_t at = part == Part::kTrain ? index : size(Part::kTrain) + index;
    file_->read(static_cast<uint64_t>(at), {out, static_cast<size_t>(info().sample_size())});
  }

 private:
  bool open(const std::string& state) const {
    file_ = FrameFile::open(path_, state, static_cast<uint64_t>(size(Part::kTrain)),
                            static_cast<uint64_t>(size(Part::kTest)));
    ready_ = file_.has_value();
    return ready_;
  }

  fs::path path_;
  mutable std::mutex mutex_;
  mutable std::atomic<bool> ready_ = false;
  mutable std::optional<FrameFile> file_;
};

}  // namespace

fs::path default_cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0')
    return fs::path(xdg) / "spikenm";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "spikenm";
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  SPIKENM_CHECK(!error,
                "the cache has no folder: neither XDG_CACHE_HOME nor HOME is set, and TMPDIR is "
                "not a folder ({}); {}",
                error.message(), kWayOut);
  return temporary / "spikenm";
}

fs::path cache_file(const Dataset& dataset, const fs::path& folder) {
  const std::vector<SourceFile> files = dataset.files();
  const std::string made_of =
      dataset.cache_key() + (files.empty() ? "" : "\n" + whole_path(files[0].path));
  return folder /
         fmt::format("{}-{}.frames", dataset.info().name, md5_hex(as_bytes(made_of)).substr(0, 16));
}

std::shared_ptr<const Dataset> with_disk_cache(std::shared_ptr<const Dataset> dataset,
                                               const fs::path& folder) {
  SPIKENM_ASSERT(!dataset->cache_key().empty());
  return std::make_shared<DiskCache>(std::move(dataset), folder);
}

}  // namespace spikenm::data
