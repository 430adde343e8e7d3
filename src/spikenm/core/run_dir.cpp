#include "spikenm/core/run_dir.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace spikenm {
namespace fs = std::filesystem;

RunDir RunDir::create(const fs::path& path, bool force) {
  std::error_code error;
  SPIKENM_CHECK(!fs::exists(path, error) || fs::is_directory(path, error),
                "{}: exists and is not a folder; name another with --out", path.string());
  fs::create_directories(path, error);
  SPIKENM_CHECK(!error, "{}: cannot make the output folder: {}", path.string(), error.message());
  SPIKENM_CHECK(::access(path.c_str(), W_OK) == 0, "{}: cannot write into the output folder: {}",
                path.string(), std::strerror(errno));
  if (!fs::is_empty(path)) {
    SPIKENM_CHECK(fs::exists(path / kConfig),
                  "{}: the output folder is not empty and holds no run; name another with --out",
                  path.string());
    SPIKENM_CHECK(
        force,
        "{}: holds a run already; name another folder with --out, or replace it with --force",
        path.string());
    // The result goes first and the config last: a crash in between never leaves a folder that
    // looks whole.
    for (const std::string_view name : {kResult, kModel, kBestModel, kMetrics, kConfig}) {
      fs::remove(path / name);
    }
  }
  return RunDir(path);
}

void RunDir::write(std::string_view name, std::string_view content) const {
  write_file_atomically(file(name), content);
}

void RunDir::append_line(std::string_view name, const Json& line) const {
  std::ofstream out(file(name), std::ios::app);
  out << line.dump() << '\n';
  out.flush();
  SPIKENM_CHECK(out.good(), "{}: cannot write: {}", file(name).string(), std::strerror(errno));
}

}  // namespace spikenm
