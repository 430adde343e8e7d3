// A model file that is open: its config, its graph, the rules of its masks and its tensors, checked
// as they are read. It knows no torch, so that the trainer, the exporter and Python read the same
// files and refuse the same ones in the same words.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/graph/graph.h"
#include "spikenm/train/mask_rules.h"

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace spikenm::train {

constexpr const char* kModelFormat = "spikenm-model";
constexpr const char* kModelVersion = "1";

// The tensor of that name. An Error names `source` and the tensor where it is missing or has another
// type or shape.
const StoredTensor& find_tensor(const SafetensorsInput& file, const std::string& name,
                                const char* dtype, const std::vector<int64_t>& shape,
                                const std::string& source);

// Throws an Error about values that no training makes: one that is not finite, a negative variance.
void check_trained_values(const std::string& name, std::span<const float> values,
                          const std::string& source);

class ModelInput {
 public:
  // `given`: a model file, or a run folder that holds one.
  explicit ModelInput(const std::filesystem::path& given);

  // The file's path, which begins every message.
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // As it stands in the file; empty where it says nothing of it.
  [[nodiscard]] std::string metadata(const char* key) const;

  // Notes for the user are added to `notes`.
  [[nodiscard]] Config config(const std::vector<std::string>& overrides,
                              std::vector<std::string>& notes) const;
  // Files written before graphs describe their network by a config.
  [[nodiscard]] graph::Graph graph() const;
  // None in files that were written before they said them.
  [[nodiscard]] std::optional<MaskRules> mask_rules() const;
  // Whether it has a mask for that layer, without a look at it.
  [[nodiscard]] bool has_mask(const std::string& layer) const;

  // That every tensor of the graph is there in its shape, before memory is allocated for the
  // network: a file of a few bytes may ask for one of any size.
  void check_shapes(const graph::Graph& graph);
  // Fills `out` with the values of a tensor of the network.
  void read(const std::string& name, const std::vector<int64_t>& shape, std::span<float> out);
  // Adds the bits to a mask, which has its rule already. They must obey it, and what they drop of
  // `weight` must be 0.
  void read_mask(const std::string& layer, const nm::WeightShape& shape,
                 std::span<const float> weight, nm::Mask& mask);
  // Which neurons are kept, bytes 0/1.
  std::vector<uint8_t> read_neuron_mask(const std::string& neurons,
                                        const std::vector<int64_t>& shape);
  // An Error names a tensor that nothing above has asked for.
  void reject_unread() const;

 private:
  const StoredTensor& find(const std::string& name, const char* dtype,
                           const std::vector<int64_t>& shape);
  std::vector<uint8_t> read_bits(const std::string& name, const std::vector<int64_t>& shape);

  std::filesystem::path path_;
  std::string source_;
  SafetensorsInput file_;
  std::set<std::string> read_;
};

}  // namespace spikenm::train
