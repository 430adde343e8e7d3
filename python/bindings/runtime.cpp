// Trained networks (.snm) on NumPy arrays.
#include "bindings.h"
#include "samples.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/runtime/session.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <mutex>

namespace spikenm::python {
namespace {

using runtime::Model;
using runtime::Session;

// As of a file: one value that is no number would make nonsense of all that follow it.
void check_finite(const Values<float>& values, const char* name) {
  const float* const end = values.data() + values.size();
  const float* const bad =
      std::find_if_not(values.data(), end, [](float v) { return std::isfinite(v); });
  SPIKENM_CHECK(bad == end, "{}: found the value {}, wanted finite numbers", name, *bad);
}

// A model and one session of it. Python's threads may share it: calls wait for each other.
class Runtime {
 public:
  Runtime(const std::filesystem::path& path, int threads, int64_t batch)
      : threads_(threads), batch_(batch) {
    const nb::gil_scoped_release release;
    set_threads(threads_);
    session_.emplace(Model::load(path), runtime::SessionOptions{.batch = batch});
  }

  // [samples, frames, channels, height, width] -> [samples, classes]
  Array<float> run(const Values<float>& input, int64_t samples) {
    const Model& model = session_->model();
    const int64_t size = model.frames() * model.frame_size();
    SPIKENM_CHECK(static_cast<int64_t>(input.size()) == samples * size,
                  "frames: found {} values, wanted {} samples of {}", input.size(), samples, size);
    std::vector<float> scores;
    {
      const nb::gil_scoped_release release;
      check_finite(input, "frames");
      const std::lock_guard<std::mutex> lock(mutex_);
      set_threads(threads_);
      scores.reserve(static_cast<size_t>(samples * model.classes()));
      for (int64_t at = 0; at < samples; at += batch_) {
        const int64_t n = std::min(batch_, samples - at);
        const auto found =
            session_->run({input.data() + at * size, static_cast<size_t>(n * size)}, n);
        scores.insert(scores.end(), found.begin(), found.end());
      }
    }
    return array_of(std::move(scores), {samples, model.classes()});
  }

  Array<float> step(const Values<float>& frame) {
    const Model& model = session_->model();
    SPIKENM_CHECK(static_cast<int64_t>(frame.size()) == model.frame_size(),
                  "frame: found {} values, wanted {}", frame.size(), model.frame_size());
    std::vector<float> scores;
    {
      const nb::gil_scoped_release release;
      check_finite(frame, "frame");
      const std::lock_guard<std::mutex> lock(mutex_);
      set_threads(threads_);
      const auto found = session_->step({frame.data(), frame.size()});
      scores.assign(found.begin(), found.end());
    }
    return array_of(std::move(scores), {model.classes()});
  }

  void reset() {
    const nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> lock(mutex_);
    session_->reset();
  }

  Array<float> state() {
    std::vector<float> copy;
    {
      const nb::gil_scoped_release release;
      const std::lock_guard<std::mutex> lock(mutex_);
      const std::span<float> found = session_->state();
      copy.assign(found.begin(), found.end());
    }
    const auto n = static_cast<int64_t>(copy.size());
    return array_of(std::move(copy), {n});
  }
  void set_state(const Values<float>& state) {
    const nb::gil_scoped_release release;
    check_finite(state, "state");
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::span<float> own = session_->state();
    SPIKENM_CHECK(state.size() == own.size(), "state: found {} values, wanted {}", state.size(),
                  own.size());
    std::copy_n(state.data(), own.size(), own.begin());
  }

  Array<float> read(const std::filesystem::path& path) {
    std::vector<float> values;
    {
      const nb::gil_scoped_release release;
      values = run::read_sample(path, session_->model());
    }
    return sample_array(std::move(values));
  }
  Array<float> normalize(const Values<float>& pixels) {
    const Model& model = session_->model();
    const int64_t size = model.frames() * model.frame_size();
    SPIKENM_CHECK(static_cast<int64_t>(pixels.size()) == size, "pixels: found {} values, wanted {}",
                  pixels.size(), size);
    check_finite(pixels, "pixels");
    std::vector<float> values(pixels.data(), pixels.data() + pixels.size());
    run::normalize(values, model);
    return sample_array(std::move(values));
  }

  // Facts about the model as JSON.
  [[nodiscard]] std::string facts() const {
    const Model& model = session_->model();
    const graph::FrameShape& frame = model.graph().frame();
    Json layers = Json::array();
    for (size_t i = 0; i < model.program().layers.size(); ++i) {
      const runtime::ModelLayer& own = model.layer(i);
      layers.push_back({{"layer", model.graph().node(model.program().layers[i].synapse).name},
                        {"pattern", own.pattern},
                        {"type", runtime::weight_type_name(own.type)},
                        {"weights", own.weights},
                        {"stored", own.stored},
                        {"kernel", own.plan.kernel},
                        {"reason", own.plan.reason}});
    }
    return Json{{"network", model.graph().name()},
                {"steps", model.steps()},
                {"classes", model.graph().classes()},
                {"events", model.input().events},
                {"frames", model.frames()},
                {"frame", {frame.channels, frame.height, frame.width}},
                {"provenance", model.provenance()},
                {"layers", layers}}
        .dump();
  }

 private:
  Array<float> sample_array(std::vector<float> values) const {
    const Model& model = session_->model();
    const graph::FrameShape& frame = model.graph().frame();
    return array_of(std::move(values), {model.frames(), frame.channels, frame.height, frame.width});
  }

  int threads_;
  int64_t batch_;
  std::optional<Session> session_;
  std::mutex mutex_;
};

}  // namespace

void bind_runtime(nb::module_& module) {
  nb::class_<Runtime>(module, "Runtime")
      .def(nb::init<const std::filesystem::path&, int, int64_t>(), nb::arg("path"),
           nb::arg("threads"), nb::arg("batch"))
      .def("run", &Runtime::run, nb::arg("frames"), nb::arg("samples"))
      .def("step", &Runtime::step, nb::arg("frame"))
      .def("reset", &Runtime::reset)
      .def("state", &Runtime::state)
      .def("set_state", &Runtime::set_state, nb::arg("state"))
      .def("read", &Runtime::read, nb::arg("path"))
      .def("normalize", &Runtime::normalize, nb::arg("pixels"))
      .def("facts", &Runtime::facts);
}

}  // namespace spikenm::python
