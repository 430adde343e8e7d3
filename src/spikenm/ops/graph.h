// A piece of GPU work, recorded once and run again with one call: a CUDA graph.
#pragma once

#include <functional>
#include <memory>

namespace spikenm::ops {

// Gives the calling thread's GPU work a stream of its own from now on: the default one cannot be
// recorded.
void use_own_stream();

class Graph {
 public:
  virtual ~Graph() = default;
  virtual void replay() = 0;

  // Records what `work` gives the current stream; nothing of it runs. Tensors that `work` reads and
  // makes keep their memory for the graph's life: it reads and writes there again. What cannot be
  // recorded (waiting for a result, say) throws, and the GPU is as before.
  static std::unique_ptr<Graph> record(const std::function<void()>& work);
};

}  // namespace spikenm::ops
