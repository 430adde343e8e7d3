#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {
namespace {

// Masks nothing.
class Dense : public Method {
 public:
  Dense() : Method({}) {}
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }
};

}  // namespace

std::unique_ptr<Method> make_dense(nn::Network&, const Config&, uint64_t) {
  return std::make_unique<Dense>();
}

}  // namespace spikenm::sparsity
