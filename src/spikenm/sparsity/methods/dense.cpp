#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {
namespace {

// Masks nothing. It has no layers, so effective_weight and harden are never called.
class Dense : public Method {
 public:
  Dense() : Method({}) {}
  Tensor effective_weight(size_t, const Tensor& weight) override { return weight; }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }
  [[nodiscard]] nm::Mask harden(size_t) const override { throw Bug("dense has no layers"); }
};

}  // namespace

std::unique_ptr<Method> make_dense(nn::Network&, const Config&, uint64_t) {
  return std::make_unique<Dense>();
}

}  // namespace spikenm::sparsity
