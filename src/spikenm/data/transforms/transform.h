// Transforms of a sample between dataset and batch.
#pragma once

#include "spikenm/core/plane_edit.h"
#include "spikenm/core/random.h"
#include "spikenm/core/registry.h"
#include "spikenm/data/sample.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::data {

// What a transform may need to know about the dataset.
struct TransformContext {
  SampleShape shape;              // of the samples that reach this transform
  bool events = false;            // frames of event counts, not pixels
  std::vector<int64_t> mirrored;  // label of a sample's mirror image; empty: the same label
  std::vector<double> mean;       // per channel, of pixels in 0..1; empty: black
};

// The random numbers of one transform on one sample in one epoch. They depend on nothing else, so
// an epoch is the same with any number of workers.
class Draws {
 public:
  // `slot` distinguishes the transforms of a chain.
  Draws(uint64_t seed, int64_t epoch, int64_t sample, uint32_t slot)
      : address_(seed, random_stream(RandomUse::kAugment, slot), static_cast<uint32_t>(epoch)),
        base_(static_cast<uint64_t>(sample) << 24) {}

  // Number `index` of this transform, for index < 2^24: enough for one number per pixel.
  [[nodiscard]] double uniform(uint64_t index) const { return address_.uniform(base_ + index); }
  [[nodiscard]] double uniform(uint64_t index, double low, double high) const {
    return address_.uniform(base_ + index, low, high);
  }
  [[nodiscard]] uint32_t below(uint64_t index, uint32_t n) const {
    return address_.below(base_ + index, n);
  }

 private:
  RandomAddress address_;
  uint64_t base_;
};

// Safe to call from several threads at once. Every plane of a sample (all frames, all channels)
// gets the same draw.
class Transform {
 public:
  virtual ~Transform() = default;
  virtual void apply(Sample& sample, const Draws& draws) const = 0;
};

// The arguments after the name in "name:1:word", split at ':'.
struct TransformArguments {
  std::vector<double> numbers;
  std::vector<std::string> words;  // arguments that are not numbers
};

using TransformFactory = std::function<std::unique_ptr<Transform>(
    const TransformArguments& arguments, const TransformContext& context)>;

const Registry<TransformFactory>& transforms();

// Transforms in order, from texts such as "crop:4", "flip", "roll:5|rotate:30" (one of these two,
// with equal probability). `key` names the config key in messages.
class TransformChain {
 public:
  TransformChain() = default;
  TransformChain(const std::vector<std::string>& texts, const TransformContext& context,
                 std::string_view key);

  // `index` is the sample's index in its part of the dataset.
  void apply(Sample& sample, uint64_t seed, int64_t epoch, int64_t index) const;
  [[nodiscard]] bool empty() const { return steps_.empty(); }

  // Why the chain cannot be one edit per sample, "'rotate:30' …"; empty: it can.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }
  // Everything that apply() would do to a sample of this shape. Must not be called if there is an
  // obstacle.
  [[nodiscard]] PlaneEdit edit(const SampleShape& shape, int64_t& label, uint64_t seed,
                               int64_t epoch, int64_t index) const;
  // The colour of that edit's hole, [C]; empty: it has no hole.
  [[nodiscard]] const std::vector<float>& fill() const { return fill_; }

 private:
  // One step of the chain: a transform, or several of which one is drawn.
  using Choice = std::vector<std::unique_ptr<Transform>>;
  template <class Body>
  void for_each_drawn(uint64_t seed, int64_t epoch, int64_t index, Body&& body) const;
  void look_for_obstacle(const Choice& choice, const std::string& text);

  std::vector<Choice> steps_;
  std::string obstacle_;
  std::vector<float> fill_;
};

}  // namespace spikenm::data
