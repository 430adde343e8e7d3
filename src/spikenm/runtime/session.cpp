#include "spikenm/runtime/session.h"

#include "spikenm/core/error.h"
#include "spikenm/runtime/session_memory.h"

#include <algorithm>

namespace spikenm::runtime {

Session::Session(std::shared_ptr<const Model> model, const SessionOptions& options)
    : memory_(std::make_unique<Memory>(std::move(model), options)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const Model& Session::model() const {
  return *memory_->model;
}

std::span<const float> Session::run(std::span<const float> input, int64_t samples) {
  SPIKENM_CHECK(samples >= 0 && samples <= memory_->options.batch,
                "session: found {} samples, wanted at most {}", samples, memory_->options.batch);
  const int64_t wanted = memory_->model->frames() * memory_->model->frame_size() * samples;
  SPIKENM_CHECK(static_cast<int64_t>(input.size()) == wanted,
                "session: found an input of {} values, wanted {} ({} samples of {} frames)",
                input.size(), wanted, samples, memory_->model->frames());
  memory_->begin(samples, memory_->model->steps(), /*streams=*/false);
  memory_->take_input(input);
  memory_->run_program();
  return memory_->mean_scores();
}

std::span<const float> Session::step(std::span<const float> frame) {
  SPIKENM_CHECK(static_cast<int64_t>(frame.size()) == memory_->model->frame_size(),
                "session: found a frame of {} values, wanted {}", frame.size(),
                memory_->model->frame_size());
  memory_->begin(1, 1, /*streams=*/true);
  memory_->take_input(frame);
  memory_->run_program();
  return memory_->mean_scores();
}

void Session::reset() {
  memory_->restart_stream();
}

std::span<float> Session::state() {
  return memory_->stream_state();
}
std::span<const float> Session::state() const {
  return memory_->stream_state();
}

double Session::firing_rate(NodeId neurons) const {
  return memory_->firing_rate(neurons);
}

std::vector<float> Session::values(NodeId node, int64_t sample) const {
  return memory_->values(node, sample);
}

void Session::watch(Watch watch) {
  memory_->watch = std::move(watch);
}

int64_t largest(std::span<const float> scores) {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

}  // namespace spikenm::runtime
