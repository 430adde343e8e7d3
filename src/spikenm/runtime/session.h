// Runs a model on samples. A session holds the memory that a run needs and allocates no more; any
// number of sessions share a model, each used by one thread at a time.
//
//   const auto model = Model::load("m.snm");
//   Session session(model);
//   const int64_t label = largest(session.run(sample));             // a whole sample
//
//   session.reset();                                                // or frame by frame
//   while (camera.next(frame)) use(session.step(frame));
#pragma once

#include "spikenm/runtime/model.h"
#include "spikenm/runtime/node_ops.h"

#include <functional>
#include <optional>
#include <span>

namespace spikenm::runtime {

struct SessionOptions {
  int64_t batch = 1;  // most samples at once
  // The level that it runs at. Another than the model's, for which its plan was made, gives the same
  // spikes, slower.
  std::optional<Isa> isa = std::nullopt;
};

class Session {
 public:
  // An Error says how much memory was wanted when it is more than half of the machine's.
  explicit Session(std::shared_ptr<const Model> model, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Model& model() const;

  // One score for each class, the mean over all steps: [samples, classes]. `input` is samples of
  // [frames, channels, height, width], the frames of the model's encoding. The state of a stream is
  // not touched. The result is good until the next call.
  std::span<const float> run(std::span<const float> input, int64_t samples = 1);

  // The scores of one more step, [classes], of one stream. `frame` is [channels, height, width].
  std::span<const float> step(std::span<const float> frame);
  // A stream begins anew. Its first step touches the memory of its state; state() does it before.
  void reset();
  // The membranes of a stream: all that step() remembers. It may be copied out and put back.
  [[nodiscard]] std::span<float> state();
  [[nodiscard]] std::span<const float> state() const;

  // After run() or step(): the share of a node's neurons that fired, over steps and samples.
  [[nodiscard]] double firing_rate(graph::NodeId neurons) const;
  // After run() or step(): the values of a node for one sample, [steps, C, H, W], for tests. Nodes
  // that became part of a layer have none and give an empty list.
  [[nodiscard]] std::vector<float> values(graph::NodeId node, int64_t sample = 0) const;

  // Called around each step of the program, for profiles; null: nobody.
  using Watch = std::function<void(const Step& step, bool begins)>;
  void watch(Watch watch);

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

// The class with the largest score; the first of equals.
int64_t largest(std::span<const float> scores);

}  // namespace spikenm::runtime
