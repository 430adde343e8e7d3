// A network that is ready to run: loaded once, shared by any number of sessions on any threads.
#pragma once

#include "spikenm/runtime/layer_rows.h"
#include "spikenm/runtime/plan.h"
#include "spikenm/runtime/program.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace spikenm::runtime {

// What a model holds for one layer of its program.
struct ModelLayer {
  LayerPlan plan;
  PreparedRows rows;
  std::vector<uint64_t> alive;  // [pixels, blocks]: neurons that a mask keeps; empty: all
  std::string pattern;          // "2:4", "dense"
  int64_t weights = 0;          // of the dense layer
  int64_t stored = 0;           // that the file has a place for
  WeightType type = WeightType::kFloat;
};

class Model {
 public:
  // The weights of `stored` are laid out for the kernels and then freed. Which kernels pay depends on
  // the level that they run at.
  explicit Model(StoredModel stored, Isa isa = active_isa());
  static std::shared_ptr<const Model> load(const std::filesystem::path& path);

  [[nodiscard]] Isa isa() const { return isa_; }

  [[nodiscard]] const graph::Graph& graph() const { return stored_.graph; }
  [[nodiscard]] int64_t steps() const { return stored_.steps; }
  [[nodiscard]] const InputEncoding& input() const { return stored_.input; }
  [[nodiscard]] const Json& provenance() const { return stored_.provenance; }
  [[nodiscard]] int64_t classes() const { return graph().nodes().back().out.channels; }
  // Values of one sample: [frames, channels, height, width]; an image has one frame.
  [[nodiscard]] int64_t frames() const { return input().events ? steps() : 1; }
  [[nodiscard]] int64_t frame_size() const { return graph().node(0).out.values(); }

  // All but the weights.
  [[nodiscard]] const StoredModel& stored() const { return stored_; }
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const ModelLayer& layer(size_t index) const { return layers_[index]; }

  // Sets what is added to the currents of a layer, for all its outputs alike: a firing rate by hand.
  // No session of the model may run meanwhile.
  void set_layer_shift(size_t layer, float shift);

 private:
  Isa isa_;
  StoredModel stored_;
  Program program_;
  std::vector<ModelLayer> layers_;  // by layer of the program
};

}  // namespace spikenm::runtime
