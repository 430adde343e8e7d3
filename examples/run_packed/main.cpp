// Loads a .snm file and answers once, in C++. run_packed_cpp MODEL.snm
#include "spikenm/runtime/session.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  using namespace spikenm::runtime;
  if (argc != 2) {
    std::fprintf(stderr, "usage: run_packed_cpp MODEL.snm\n");
    return 2;
  }
  try {
    const auto model = Model::load(argv[1]);
    Session session(model);

    // A sample of ones; a real one comes from a file or a camera.
    const auto values = static_cast<size_t>(model->frames() * model->frame_size());
    const std::span<const float> scores = session.run(std::vector<float>(values, 1.0f));
    const auto label = static_cast<size_t>(largest(scores));
    std::printf("%s (%g)\n", model->graph().classes()[label].c_str(), scores[label]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
