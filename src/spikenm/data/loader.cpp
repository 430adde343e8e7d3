#include "spikenm/data/loader.h"

#include "spikenm/data/shuffle.h"
#include "spikenm/data/transforms/normalize.h"

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>

namespace spikenm::data {
namespace {

constexpr int64_t kAhead = 2;  // batches per worker that may be made ahead of the trainer

void mix(Mix how, const BatchMemory& memory, Batch& batch) {
  if (how.partner.empty()) return;
  for (const int64_t partner : how.partner)
    batch.partner_labels.push_back(batch.labels[static_cast<size_t>(partner)]);
  batch.share = how.share;
  if (batch.is_raw()) {
    batch.raw.mix = std::move(how);
    return;
  }

  const std::shared_ptr<float[]> own = std::move(batch.frames);
  batch.frames = memory.take<float>();
  apply_mix(how, batch.shape, batch.size(), own.get(), batch.frames.get());
}

// The edit of every channel of a raw batch.
std::vector<ChannelEdit> channel_edits(const Pipeline& pipeline, int64_t channels) {
  std::vector<ChannelEdit> edits(static_cast<size_t>(channels));
  for (size_t c = 0; c < edits.size(); ++c) {
    if (!pipeline.mean.empty()) edits[c] = normalizing(pipeline.mean[c], pipeline.std[c]);
    if (pipeline.augment && !pipeline.augment->fill().empty())
      edits[c].fill = pipeline.augment->fill()[c];
  }
  return edits;
}

}  // namespace

std::string raw_obstacle(const Dataset& dataset, const Pipeline& pipeline) {
  const DatasetInfo& info = dataset.info();
  const Part part = dataset.size(Part::kTrain) > 0 ? Part::kTrain : Part::kTest;
  const bool has_samples = dataset.size(part) > 0;  // a set of Extent::kNothing has none
  if (info.frames > 0 || (has_samples && dataset.bytes(part, 0) == nullptr))
    return fmt::format("{} holds no still images as bytes", info.name);
  return pipeline.augment ? pipeline.augment->obstacle() : "";
}

// Threads that make the batches of one epoch. Each takes the next free batch number, at most a few
// ahead of the trainer. Finished batches are kept under their number until take().
class Loader::Workers {
 public:
  Workers(const Loader& loader, int64_t n_threads, int64_t first)
      : loader_(loader),
        n_batches_(loader.batches()),
        ahead_(kAhead * n_threads),
        next_(first),
        wanted_(first) {
    try {
      for (int64_t i = 0; i < n_threads; ++i)
        threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
    } catch (const std::system_error& e) {
      fail(
          "data.workers: found {}, and the system gives no more threads ({}); lower it, or threads",
          n_threads, e.code().message());
    }
  }

  ~Workers() {
    // All are asked to stop first; each is joined by its destructor.
    for (std::jthread& thread : threads_) thread.request_stop();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  Batch take(int64_t index) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return done_.contains(index); });
    Result result = std::move(done_.at(index));
    done_.erase(index);
    wanted_ = index + 1;
    lock.unlock();
    room_.notify_all();
    if (result.error) std::rethrow_exception(result.error);
    return std::move(result.batch);
  }

 private:
  struct Result {
    Batch batch;
    std::exception_ptr error;
  };

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (true) {
      room_.wait(lock, stop, [&] { return next_ >= n_batches_ || next_ < wanted_ + ahead_; });
      if (stop.stop_requested() || next_ >= n_batches_) return;
      const int64_t index = next_++;
      lock.unlock();
      Result result;
      try {
        result.batch = loader_.make(index);
      } catch (...) {
        result.error = std::current_exception();  // rethrown by take()
      }

      lock.lock();
      done_.emplace(index, std::move(result));
      finished_.notify_all();
    }
  }

  const Loader& loader_;
  const int64_t n_batches_, ahead_;
  std::mutex mutex_;
  std::condition_variable_any room_;  // for workers
  std::condition_variable finished_;  // for the trainer
  int64_t next_, wanted_;
  std::map<int64_t, Result> done_;
  std::vector<std::jthread> threads_;  // last, so that they are destroyed first
};

Loader::Loader(View view, LoaderOptions options)
    : view_(std::move(view)),
      options_(std::move(options)),
      memory_(static_cast<size_t>(options_.batch_size * view_.info().sample_size()) *
                  (options_.pipeline.raw ? sizeof(uint8_t) : sizeof(float)),
              options_.memory) {
  SPIKENM_ASSERT(options_.batch_size > 0 && options_.workers >= 0);
  SPIKENM_CHECK(batches() > 0, "train.batch_size: found {}, more than the {} samples of the split",
                options_.batch_size, view_.size());
  start_epoch(0);
}

Loader::~Loader() = default;

int64_t Loader::batches() const {
  const int64_t n = view_.size(), size = options_.batch_size;
  return options_.shuffle ? n / size : (n + size - 1) / size;
}

void Loader::start_epoch(int64_t epoch, int64_t first) {
  SPIKENM_ASSERT(first >= 0 && first <= batches());
  workers_.reset();
  epoch_ = epoch;
  position_ = first;
  order_.resize(static_cast<size_t>(view_.size()));
  std::iota(order_.begin(), order_.end(), int64_t{0});
  if (options_.shuffle)
    shuffle(order_, RandomAddress(options_.seed, random_stream(RandomUse::kShuffle),
                                  static_cast<uint32_t>(epoch)));
}

std::vector<int64_t> Loader::samples_in(int64_t batch) const {
  const int64_t first = batch * options_.batch_size;
  const int64_t end = std::min(first + options_.batch_size, view_.size());
  std::vector<int64_t> samples;
  for (int64_t i = first; i < end; ++i)
    samples.push_back(view_.index_in_part(order_[static_cast<size_t>(i)]));
  return samples;
}

Batch Loader::next() {
  SPIKENM_ASSERT(position_ < batches());
  const int64_t index = position_++;
  if (options_.workers == 0) return make(index);
  if (!workers_)
    workers_ =
        std::make_unique<Workers>(*this, std::min(options_.workers, batches() - index), index);
  Batch batch = workers_->take(index);
  if (position_ == batches()) workers_.reset();
  return batch;
}

Batch Loader::make(int64_t index) const {
  const Pipeline& pipeline = options_.pipeline;
  const int64_t first = index * options_.batch_size;
  const int64_t B = std::min(options_.batch_size, view_.size() - first);
  Batch batch{.shape = view_.info().shape(), .has_time = view_.info().frames > 0};

  if (pipeline.raw)
    read_raw(first, B, batch);
  else
    read_finished(first, B, batch);
  mix(draw_mix(pipeline.mix, batch.shape, B, options_.seed, epoch_, index), memory_, batch);
  return batch;
}

void Loader::read_finished(int64_t first, int64_t B, Batch& batch) const {
  const Pipeline& pipeline = options_.pipeline;
  const SampleShape& shape = batch.shape;
  const int64_t frame = shape.channels * shape.plane();
  batch.frames = memory_.take<float>();

  Sample sample{.shape = shape, .values = std::vector<float>(static_cast<size_t>(shape.size()))};
  for (int64_t b = 0; b < B; ++b) {
    const int64_t i = order_[static_cast<size_t>(first + b)];
    view_.read(i, sample.values.data());
    sample.label = view_.label(i);
    if (pipeline.augment)
      pipeline.augment->apply(sample, options_.seed, epoch_, view_.index_in_part(i));
    SPIKENM_ASSERT(sample.shape == shape);
    if (!pipeline.mean.empty()) normalize(sample, pipeline.mean, pipeline.std);

    for (int64_t t = 0; t < shape.frames; ++t)
      std::copy_n(sample.values.data() + t * frame, frame,
                  batch.frames.get() + (t * B + b) * frame);
    batch.labels.push_back(sample.label);
  }
}

void Loader::read_raw(int64_t first, int64_t B, Batch& batch) const {
  const Pipeline& pipeline = options_.pipeline;
  const SampleShape& shape = batch.shape;
  batch.raw.pixels = memory_.take<uint8_t>();
  batch.raw.channels = channel_edits(pipeline, shape.channels);
  for (int64_t b = 0; b < B; ++b) {
    const int64_t i = order_[static_cast<size_t>(first + b)];
    std::copy_n(view_.bytes(i), shape.size(), batch.raw.pixels.get() + b * shape.size());

    int64_t label = view_.label(i);
    batch.raw.edits.push_back(
        pipeline.augment
            ? pipeline.augment->edit(shape, label, options_.seed, epoch_, view_.index_in_part(i))
            : whole_plane(shape.height, shape.width));
    batch.labels.push_back(label);
  }
}

}  // namespace spikenm::data
