#include "spikenm/train/epoch_line.h"

#include "spikenm/ops/stream.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace spikenm::train {

std::string clock_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

double memory_in_use(const at::Device& device) {
  if (device.is_cuda()) return static_cast<double>(ops::peak_memory());
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::string epoch_line(const EpochRecord& r, int64_t epochs, const EpochSpeed& speed) {
  std::string line = fmt::format("{} {}/{}  loss {:.4f}  train {:.2f} %", r.phase, r.epoch, epochs,
                                 r.loss, r.train_accuracy);
  if (r.is_validated) line += fmt::format("  val {:.2f} %", r.val_accuracy);
  return line + fmt::format("  lr {:.3g}  {:.0f}/s  left {}  {:.1f} GB", r.lr,
                            speed.samples_per_second, clock_text(speed.seconds_left),
                            speed.memory_bytes / 1e9);
}

}  // namespace spikenm::train
