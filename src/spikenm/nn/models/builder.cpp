#include "spikenm/nn/models/builder.h"

#include "spikenm/core/error.h"
#include "spikenm/ops/flatten.h"

#include <ATen/ATen.h>

#include <variant>

namespace spikenm::nn {

class ChainBuilder::Chain : public Network {
 public:
  explicit Chain(const FrameShape& frame) { frame_ = frame; }

  Tensor forward(Pass& pass, const Tensor& input) override {
    Tensor x = input;
    for (size_t i = 0; i < links.size(); ++i) {
      if (const auto* pool = std::get_if<ops::PoolGeometry>(&links[i])) {
        x = pass.pool(*pool, x);
        continue;
      }
      const Unit& unit = std::get<Unit>(links[i]);
      const bool linear = unit.synapse->weight.size(2) == 1;
      const ops::PoolGeometry* pool = nullptr;  // one that follows is the unit's
      if (unit.neuron != nullptr && i + 1 < links.size())
        pool = std::get_if<ops::PoolGeometry>(&links[i + 1]);
      if (pool != nullptr) ++i;
      x = unit.forward(pass, linear ? ops::flatten(x) : x, pool);
    }
    return vote(x, voters);
  }

  std::vector<std::variant<Unit, ops::PoolGeometry>> links;
  int64_t voters = 1;
};

ChainBuilder::ChainBuilder(const ModelSpec& spec)
    : spec_(spec),
      chain_(std::make_unique<Chain>(spec.frame())),
      channels_(spec.channels),
      height_(spec.height),
      width_(spec.width) {}

ChainBuilder::~ChainBuilder() = default;

ChainBuilder& ChainBuilder::conv(int64_t out_channels) {
  SPIKENM_CHECK(n_linears_ == 0, "model: a convolution cannot follow a linear layer");
  const bool first = n_convs_ == 0;
  chain_->links.emplace_back(add_unit(*chain_,
                                      {.name = fmt::format("conv{}", ++n_convs_),
                                       .shape = {out_channels, channels_, 3, 3},
                                       .geometry = {.stride = 1, .padding = 1},
                                       .neuron = spec_.neuron,
                                       .neurons_maskable = !first},
                                      spec_.seed, spec_.shapes_only));
  channels_ = out_channels;
  return *this;
}

ChainBuilder& ChainBuilder::pool(ops::PoolKind kind, int64_t size) {
  SPIKENM_CHECK(n_linears_ == 0 && height_ >= size && width_ >= size,
                "model: a {0}x{0} pool finds a {1}x{2} map, too small; use larger frames or fewer "
                "pools",
                size, height_, width_);
  const ops::PoolGeometry geometry{.kind = kind, .size = size, .stride = size};
  chain_->links.emplace_back(geometry);
  height_ = geometry.out(height_);
  width_ = geometry.out(width_);
  return *this;
}

ChainBuilder& ChainBuilder::linear(int64_t out_features, const LinearOptions& options) {
  UnitSpec unit{.name = fmt::format("fc{}", ++n_linears_),
                .shape = {out_features, channels_ * height_ * width_, 1, 1},
                .norm = options.norm};
  if (options.neuron) unit.neuron = spec_.neuron;
  chain_->links.emplace_back(add_unit(*chain_, unit, spec_.seed, spec_.shapes_only));
  channels_ = out_features;
  height_ = width_ = 1;
  return *this;
}

std::unique_ptr<Network> ChainBuilder::classify(int64_t voters, bool neuron) {
  linear(spec_.classes * voters, {.norm = false, .neuron = neuron});
  chain_->voters = voters;
  return std::move(chain_);
}

}  // namespace spikenm::nn
