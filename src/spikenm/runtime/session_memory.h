// The buffers of a session and the calls that fill them.
#pragma once

#include "spikenm/runtime/session.h"

namespace spikenm::runtime {

class Session::Memory {
 public:
  Memory(std::shared_ptr<const Model> model, const SessionOptions& options);

  // Sets how much of the buffers the next run uses.
  void begin(int64_t samples, int64_t steps, bool streams);
  void take_input(std::span<const float> input);
  void run_program();
  std::span<const float> mean_scores();

  // The membranes of a stream, of one sample. Their memory is not touched before somebody asks.
  std::span<float> stream_state();
  void restart_stream();
  [[nodiscard]] double firing_rate(NodeId neurons) const;
  [[nodiscard]] std::vector<float> values(NodeId node, int64_t sample) const;

  std::shared_ptr<const Model> model;
  SessionOptions options;
  Watch watch;

 private:
  // What a node's values need. A node of the program has floats, bits, both or neither.
  struct NodeMemory {
    AlignedBytes real, bits;
    size_t state = 0, states = 0;  // where its membranes begin in a state, and how many they are
  };

  // What one thread needs for the sample that it is at.
  struct Room {
    AlignedBytes state;  // of neurons that are no layer's
    std::vector<BitsView> maps;
    std::vector<RealView> inputs;
  };

  void allocate();
  void rest(std::span<float> state) const;
  void connect_layers();
  void run_step(const Step& step);
  void run_layer(size_t index);
  void run_pool(const Step& step);
  void pool_step(const Step& step, int64_t sample, int64_t t) const;
  // The steps whose samples are run one by one.
  void run_samples(const Step& step);
  void run_neurons(NodeId id, int64_t sample, Room& room);
  void run_real(const Step& step, int64_t sample, Room& room);

  // The steps that a node's values have in the current run.
  [[nodiscard]] int64_t steps_of(NodeId id) const;
  [[nodiscard]] RealView real(NodeId id, int64_t sample) const;
  // An average pool has several maps of bits.
  [[nodiscard]] BitsView bits(NodeId id, int64_t sample, int64_t plane = 0) const;
  [[nodiscard]] int64_t planes_of(NodeId id) const;
  // Words of all samples and steps of one plane.
  [[nodiscard]] int64_t plane_words(NodeId id) const;
  [[nodiscard]] const graph::Node& node(NodeId id) const { return model->graph().node(id); }

  int64_t samples_ = 1, steps_ = 1;
  bool streams_ = false;
  int lanes_ = 1;
  double bytes_ = 0;  // of all memory but that of the kernels
  std::vector<NodeMemory> nodes_;
  std::vector<kernels::SpikeLayer> layers_;
  std::vector<std::vector<const uint64_t*>> layer_maps_;  // by layer: what its input points to
  std::vector<std::vector<int64_t>> layer_map_pixels_;
  std::vector<std::vector<int32_t>> layer_map_planes_;
  std::vector<Room> rooms_;    // of each lane that may run samples
  std::vector<float> scores_;  // [batch, classes]
  AlignedBytes stream_, scratch_;
  bool streamed_ = false;  // the memory of `stream_` holds a state
};

}  // namespace spikenm::runtime
