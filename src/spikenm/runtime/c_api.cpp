#include "spikenm/runtime/c_api.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/runtime/session.h"

#include <algorithm>
#include <memory>
#include <string>

using spikenm::runtime::Model;
using spikenm::runtime::Session;

struct spikenm_model {
  std::shared_ptr<const Model> model;
};
struct spikenm_session {
  Session session;
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
  return model->model->steps();
}
int64_t spikenm_classes(const spikenm_model* model) {
  return model->model->classes();
}
int64_t spikenm_frames(const spikenm_model* model) {
  return model->model->frames();
}

void spikenm_frame_shape(const spikenm_model* model, int64_t shape[3]) {
  const spikenm::graph::FrameShape& frame = model->model->graph().frame();
  shape[0] = frame.channels;
  shape[1] = frame.height;
  shape[2] = frame.width;
}

const char* spikenm_class_name(const spikenm_model* model, int64_t label) {
  const auto& classes = model->model->graph().classes();
  const bool known = label >= 0 && label < static_cast<int64_t>(classes.size());
  return known ? classes[static_cast<size_t>(label)].c_str() : nullptr;
}

spikenm_session* spikenm_session_new(const spikenm_model* model, int64_t batch) {
  return guarded<spikenm_session*>(nullptr, [&] {
    SPIKENM_CHECK(model != nullptr, "spikenm_session_new: found no model");
    return std::make_unique<spikenm_session>(Session(model->model, {.batch = batch})).release();
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

void spikenm_reset(spikenm_session* session) {
  session->session.reset();
}

void spikenm_set_threads(int threads) {
  spikenm::set_threads(threads);
}

}  // extern "C"
