// What do threads cost beside a busy process? The short loops of a small network's step (three
// layers: 3x3 convolution and its two gradients, neurons forward and backward; T = 8, batch 25),
// with one thread and with two, alone and beside a process that never sleeps. The four take turns,
// so that other load on the machine slows all of them alike; times are by the wall clock.
#include "spikenm/core/parallel.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/kernels/conv3x3.h"
#include "spikenm/kernels/neuron_seq.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

namespace spikenm::kernels {
namespace {

constexpr int64_t kSteps = 8, kBatch = 25;
constexpr int kRounds = 15, kTurn = 5;  // network steps between two changes of the setting

// A process of its own that takes all the time it can get, while this lives.
class BusyProcess {
 public:
  BusyProcess() : child_(::fork()) {
    if (child_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const volatile bool forever = true; forever;) {
    }
  }
  ~BusyProcess() {
    if (child_ < 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

 private:
  pid_t child_;
};

class Layer {
 public:
  Layer(int64_t side, int64_t channels)
      : shape_{.images = kSteps * kBatch,
               .height = side,
               .width = side,
               .cin = channels,
               .cout = channels},
        x_(values()),
        current_(values()),
        spikes_(values()),
        membrane_(values()),
        weight_(static_cast<size_t>(9 * channels * channels), 0.05f),
        grad_weight_(weight_.size()),
        workspace_(static_cast<size_t>(conv3x3_workspace(shape_))) {
    for (size_t i = 0; i < x_.size(); ++i) x_[i] = i * 2654435761u % 7 == 0 ? 1.0f : 0.0f;
  }

  void step() {
    conv3x3_forward(shape_, x_.data(), weight_.data(), current_.data(), workspace_.data());
    const int64_t n = std::ssize(x_) / kSteps;
    neuron_forward_cpu(NeuronForward<float>{.params = {},
                                            .steps = kSteps,
                                            .n = n,
                                            .x = current_.data(),
                                            .spikes = spikes_.data(),
                                            .h = membrane_.data()},
                       active_isa());
    neuron_backward_cpu(NeuronBackward<float>{.params = {},
                                              .steps = kSteps,
                                              .n = n,
                                              .grad_spikes = x_.data(),
                                              .h = membrane_.data(),
                                              .grad_x = current_.data()},
                        active_isa());
    conv3x3_grad_weight(shape_, x_.data(), current_.data(), grad_weight_.data(), workspace_.data());
    conv3x3_grad_input(shape_, current_.data(), weight_.data(), spikes_.data(), workspace_.data());
  }

 private:
  [[nodiscard]] size_t values() const {
    return static_cast<size_t>(shape_.images * shape_.height * shape_.width * shape_.cin);
  }

  Conv3x3 shape_;
  std::vector<float> x_, current_, spikes_, membrane_, weight_, grad_weight_, workspace_;
};

struct Setting {
  int threads;
  bool busy;
  std::vector<double> milliseconds{};  // per step, one value for each turn

  [[nodiscard]] double quantile(double q) {
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds[static_cast<size_t>(q * static_cast<double>(milliseconds.size() - 1))];
  }
};

std::string load_average() {
  std::ifstream file("/proc/loadavg");
  std::string minute;
  file >> minute;
  return minute;
}

void run() {
  std::vector<Layer> network;
  for (const auto& [side, channels] : {std::pair{16, 16}, {8, 32}, {4, 64}})
    network.emplace_back(side, channels);
  const auto take_turn = [&](Setting& setting) {
    set_threads(setting.threads);
    const Stopwatch watch;
    for (int i = 0; i < kTurn; ++i) {
      for (Layer& layer : network) layer.step();
    }
    setting.milliseconds.push_back(1000 * watch.seconds() / kTurn);
  };
  std::array<Setting, 4> settings{
      {{.threads = 1, .busy = false}, {2, false}, {1, true}, {2, true}}};
  Setting warm_up{.threads = 2, .busy = false};
  fmt::print("{} cores, {}, load average {} before\n", ::sysconf(_SC_NPROCESSORS_ONLN),
             isa_name(active_isa()), load_average());
  take_turn(warm_up);
  for (int round = 0; round < kRounds; ++round) {
    take_turn(settings[0]);
    take_turn(settings[1]);
    const BusyProcess busy;
    take_turn(settings[2]);
    take_turn(settings[3]);
  }
  fmt::print("{:<22}{:>10}{:>12}   {}\n", "", "threads", "median ms", "quartiles");
  for (Setting& s : settings) {
    fmt::print("{:<22}{:>10}{:>12.2f}   {:.2f}–{:.2f}\n",
               s.busy ? "beside a busy process" : "alone", s.threads, s.quantile(0.5),
               s.quantile(0.25), s.quantile(0.75));
  }
  fmt::print(
      "two threads over one: alone {:.2f}, beside a busy process {:.2f} (wanted: at most 1.2)\n",
      settings[1].quantile(0.5) / settings[0].quantile(0.5),
      settings[3].quantile(0.5) / settings[2].quantile(0.5));
}

}  // namespace
}  // namespace spikenm::kernels

int main() {
  spikenm::kernels::run();
}
