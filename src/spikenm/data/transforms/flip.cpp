#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/plane_transform.h"

namespace spikenm::data {
namespace {

class Flip : public PlaneTransform {
 public:
  Flip(double probability, std::vector<int64_t> mirrored)
      : probability_(probability), mirrored_(std::move(mirrored)) {}

  [[nodiscard]] PlaneEdit choose(const SampleShape& shape, int64_t& label,
                                 const Draws& draws) const override {
    PlaneEdit edit = whole_plane(shape.height, shape.width);
    if (draws.uniform(0) >= probability_) return edit;
    edit.mirrored = true;
    edit.dx = edit.kept.right - 1;
    if (mirrored_.empty()) return edit;
    SPIKENM_ASSERT(label >= 0 && label < static_cast<int64_t>(mirrored_.size()));
    label = mirrored_[static_cast<size_t>(label)];
    return edit;
  }

 private:
  double probability_;
  std::vector<int64_t> mirrored_;  // new label per label; empty: labels stay
};

// The labels of mirror images. If left and right are different classes, the config must say what
// happens to their labels.
std::vector<int64_t> labels_after(const std::string& word, const std::vector<int64_t>& mirrored) {
  SPIKENM_CHECK(word.empty() || word == "label-swap" || word == "upr-literal",
                "found '{}' after a ':', wanted a probability, label-swap or upr-literal", word);
  SPIKENM_CHECK(word.empty() || !mirrored.empty(),
                "found '{}', but no two classes of this set are each other's mirror image; a flip "
                "needs no word here",
                word);
  SPIKENM_CHECK(!word.empty() || mirrored.empty(),
                "left and right are classes of this set; wanted flip:label-swap, which swaps their "
                "labels, or flip:upr-literal, which leaves every label as it is");
  return word == "label-swap" ? mirrored : std::vector<int64_t>{};
}

}  // namespace

std::unique_ptr<Transform> make_flip(const TransformArguments& arguments,
                                     const TransformContext& context) {
  const Arguments given(arguments, 1, 1);
  return std::make_unique<Flip>(given.real(0, 0.5, 0, 1),
                                labels_after(given.word(), context.mirrored));
}

}  // namespace spikenm::data
