#include "spikenm/kernels/credit_product.h"

#include "support/compare.h"
#include "support/normal_values.h"

namespace spikenm::kernels {
namespace {

struct Product {
  std::vector<float> total, credit;
};

Product product_of(int64_t steps, int64_t batch, int64_t n_out, int64_t n_in,
                   const std::vector<float>& grad, const std::vector<float>& x) {
  Product p{std::vector<float>(static_cast<size_t>(n_out * n_in), 99),
            std::vector<float>(static_cast<size_t>(n_out * n_in), 99)};
  credit_product_ref({.steps = steps,
                      .batch = batch,
                      .n_out = n_out,
                      .n_in = n_in,
                      .grad = grad.data(),
                      .x = x.data(),
                      .total = p.total.data(),
                      .credit = p.credit.data()});
  return p;
}

// Two steps of two samples, two outputs, three inputs:
//   g^0 = [1 2]^T [1 0 1] + [3 -1]^T [0 1 1]  = [ 1  3  4;  2 -1  1]
//   g^1 = [-1 0]^T [1 1 1] + [2  1]^T [0 -2 4] = [-1 -5  7;  0 -2  4]
TEST(CreditProduct, TotalIsTheSumAndCreditTheSumOfMagnitudesOfTheStepsProducts) {
  const Product p =
      product_of(2, 2, 2, 3, {1, 2, 3, -1, -1, 0, 2, 1}, {1, 0, 1, 0, 1, 1, 1, 1, 1, 0, -2, 4});
  EXPECT_TRUE(test::all_identical(p.total, {0, -2, 11, 2, -3, 5}));
  EXPECT_TRUE(test::all_identical(p.credit, {2, 8, 11, 2, 3, 5}));
}

TEST(CreditProduct, OfOneStepCreditIsTheMagnitude) {
  const auto grad = test::normal_values<float>(size_t{5} * 7, 1, 1),
             x = test::normal_values<float>(size_t{5} * 9, 1, 2);
  const Product p = product_of(1, 5, 7, 9, grad, x);
  for (size_t i = 0; i < p.total.size(); ++i) EXPECT_EQ(p.credit[i], std::abs(p.total[i]));
}

TEST(CreditProduct, OfNothingIsZero) {
  const Product p = product_of(3, 0, 2, 2, {}, {});
  EXPECT_TRUE(test::all_identical(p.total, {0, 0, 0, 0}));
  EXPECT_TRUE(test::all_identical(p.credit, {0, 0, 0, 0}));
}

}  // namespace
}  // namespace spikenm::kernels
