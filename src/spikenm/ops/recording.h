// GPU work that is recorded once and then run again with one call. CUDA calls such a recording a
// graph; in this project a graph is a network.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace spikenm::ops {

// From now on the GPU work of the calling thread goes to a new stream: the default stream cannot be
// recorded.
void use_own_stream();

// Bytes of GPU memory that recordings took: nothing else can use them while the recordings live.
int64_t recorded_memory();

class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay() = 0;

  // Records the work that `work` sends to the current stream, without running it. The tensors that
  // `work` reads and makes keep their memory as long as the recording lives: a replay reads and
  // writes there again. If something cannot be recorded (waiting for a result, for example), this
  // throws, and the GPU is in the same state as before.
  static std::unique_ptr<Recording> record(const std::function<void()>& work);
};

}  // namespace spikenm::ops
