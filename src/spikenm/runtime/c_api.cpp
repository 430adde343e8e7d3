#include "spikenm/runtime/c_api.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/runtime/session.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using spikenm::runtime::Model;
using spikenm::runtime::Session;

struct spikenm_model {
  explicit spikenm_model(std::shared_ptr<const Model> loaded)
      : model(std::move(loaded)), provenance(model->provenance().dump()) {
    const auto& nodes = model->graph().nodes();
    for (size_t id = 0; id < nodes.size(); ++id)
      if (nodes[id].as<spikenm::graph::Neuron>() != nullptr) neurons.push_back(id);
  }

  std::shared_ptr<const Model> model;
  std::string provenance;
  std::vector<size_t> neurons;  // their nodes
};
struct spikenm_session {
  spikenm_session(const spikenm_model& model, int64_t batch)
      : session(model.model, {.batch = batch}), neurons(model.neurons) {}

  Session session;
  std::vector<size_t> neurons;
};

namespace {

thread_local std::string last_error;

// Runs `body`; no exception leaves a C function.
template <class Result, class Body>
Result guarded(Result on_failure, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& e) {
    try {
      last_error = e.what();
    } catch (...) {  // no memory even for the sentence
      last_error.clear();
    }
  } catch (...) {
    last_error.clear();
  }
  return on_failure;
}

int copy_scores(std::span<const float> found, float* scores) {
  std::copy(found.begin(), found.end(), scores);
  return 0;
}

void check_handle(const void* handle, const char* function) {
  SPIKENM_CHECK(handle != nullptr, "{}: found a null pointer", function);
}

// What `get` finds in a model or session; `none` without one.
template <class Result, class Handle, class Get>
Result found_in(Handle* handle, const char* function, Result none, Get&& get) {
  return guarded(none, [&]() -> Result {
    check_handle(handle, function);
    return get(*handle);
  });
}

size_t neurons_at(const std::vector<size_t>& all, int64_t index, const char* function) {
  SPIKENM_CHECK(index >= 0 && index < static_cast<int64_t>(all.size()),
                "{}: found layer {} of neurons, wanted one of {}", function, index, all.size());
  return all[static_cast<size_t>(index)];
}

}  // namespace

extern "C" {

const char* spikenm_last_error(void) {
  return last_error.c_str();
}

spikenm_model* spikenm_load(const char* path) {
  return guarded<spikenm_model*>(nullptr, [&] {
    SPIKENM_CHECK(path != nullptr, "spikenm_load: found no path");
    return std::make_unique<spikenm_model>(Model::load(path)).release();
  });
}

void spikenm_free(spikenm_model* model) {
  delete model;
}

int64_t spikenm_steps(const spikenm_model* model) {
  return found_in<int64_t>(model, __func__, -1, [](auto& own) { return own.model->steps(); });
}
int64_t spikenm_classes(const spikenm_model* model) {
  return found_in<int64_t>(model, __func__, -1, [](auto& own) { return own.model->classes(); });
}
int64_t spikenm_frames(const spikenm_model* model) {
  return found_in<int64_t>(model, __func__, -1, [](auto& own) { return own.model->frames(); });
}

int spikenm_frame_shape(const spikenm_model* model, int64_t shape[3]) {
  return found_in(model, __func__, -1, [&](auto& own) {
    check_handle(shape, "spikenm_frame_shape");
    const spikenm::graph::FrameShape& frame = own.model->graph().frame();
    shape[0] = frame.channels;
    shape[1] = frame.height;
    shape[2] = frame.width;
    return 0;
  });
}

const char* spikenm_class_name(const spikenm_model* model, int64_t label) {
  return found_in<const char*>(model, __func__, nullptr, [&](auto& own) {
    const auto& classes = own.model->graph().classes();
    SPIKENM_CHECK(label >= 0 && label < static_cast<int64_t>(classes.size()),
                  "spikenm_class_name: found class {}, wanted one of {}", label, classes.size());
    return classes[static_cast<size_t>(label)].c_str();
  });
}

const char* spikenm_provenance(const spikenm_model* model) {
  return found_in<const char*>(model, __func__, nullptr,
                               [](auto& own) { return own.provenance.c_str(); });
}

const char* spikenm_neurons_name(const spikenm_model* model, int64_t neurons) {
  return found_in<const char*>(model, __func__, nullptr, [&](auto& own) {
    const size_t node = neurons_at(own.neurons, neurons, "spikenm_neurons_name");
    return own.model->graph().node(node).name.c_str();
  });
}

double spikenm_recorded_rate(const spikenm_model* model, int64_t neurons) {
  return found_in(model, __func__, -1.0, [&](auto& own) {
    const auto& rates = own.model->stored().rates;
    const auto found = rates.find(neurons_at(own.neurons, neurons, "spikenm_recorded_rate"));
    return found == rates.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  });
}

spikenm_session* spikenm_session_new(const spikenm_model* model, int64_t batch) {
  return guarded<spikenm_session*>(nullptr, [&] {
    SPIKENM_CHECK(model != nullptr, "spikenm_session_new: found no model");
    return std::make_unique<spikenm_session>(*model, batch).release();
  });
}

void spikenm_session_free(spikenm_session* session) {
  delete session;
}

int spikenm_run(spikenm_session* session, const float* values, int64_t samples, float* scores) {
  return guarded(-1, [&] {
    SPIKENM_CHECK(session != nullptr && values != nullptr && scores != nullptr && samples >= 0,
                  "spikenm_run: found a null pointer or {} samples", samples);
    const Model& model = session->session.model();
    const auto size = static_cast<size_t>(model.frames() * model.frame_size());
    return copy_scores(session->session.run({values, size * static_cast<size_t>(samples)}, samples),
                       scores);
  });
}

int spikenm_step(spikenm_session* session, const float* frame, float* scores) {
  return guarded(-1, [&] {
    SPIKENM_CHECK(session != nullptr && frame != nullptr && scores != nullptr,
                  "spikenm_step: found a null pointer");
    const auto size = static_cast<size_t>(session->session.model().frame_size());
    return copy_scores(session->session.step({frame, size}), scores);
  });
}

int spikenm_reset(spikenm_session* session) {
  return found_in(session, __func__, -1, [](auto& own) {
    own.session.reset();
    return 0;
  });
}

int64_t spikenm_state_size(const spikenm_session* session) {
  return found_in<int64_t>(session, __func__, -1, [](auto& own) {
    return static_cast<int64_t>(own.session.state().size());
  });
}

int spikenm_get_state(const spikenm_session* session, float* state) {
  return found_in(session, __func__, -1, [&](auto& own) {
    check_handle(state, "spikenm_get_state");
    std::ranges::copy(own.session.state(), state);
    return 0;
  });
}

int spikenm_set_state(spikenm_session* session, const float* state) {
  return found_in(session, __func__, -1, [&](auto& own) {
    check_handle(state, "spikenm_set_state");
    const std::span<float> to = own.session.state();
    std::copy_n(state, to.size(), to.begin());
    return 0;
  });
}

double spikenm_firing_rate(const spikenm_session* session, int64_t neurons) {
  return found_in(session, __func__, -1.0, [&](auto& own) {
    return own.session.firing_rate(neurons_at(own.neurons, neurons, "spikenm_firing_rate"));
  });
}

void spikenm_set_threads(int threads) {
  spikenm::set_threads(threads);
}

}  // extern "C"
