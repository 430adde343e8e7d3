#include "spikenm/runtime/c_api.h"

#include "spikenm/runtime/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace spikenm::runtime {
namespace {

const std::string kGolden = std::string(SPIKENM_SOURCE_DIR) + "/tests/golden/model_v1.snm";

TEST(CApi, GivesTheScoresOfASession) {
  spikenm_model* const model = spikenm_load(kGolden.c_str());
  ASSERT_NE(model, nullptr) << spikenm_last_error();
  EXPECT_EQ(spikenm_steps(model), 3);
  EXPECT_EQ(spikenm_frames(model), 3);
  EXPECT_EQ(spikenm_classes(model), 2);
  EXPECT_STREQ(spikenm_class_name(model, 1), "dog");
  EXPECT_EQ(spikenm_class_name(model, 2), nullptr);
  EXPECT_STREQ(spikenm_last_error(), "spikenm_class_name: found class 2, wanted one of 2");
  EXPECT_EQ(spikenm_class_name(model, -1), nullptr);
  int64_t shape[3];
  EXPECT_EQ(spikenm_frame_shape(model, shape), 0);
  EXPECT_EQ(shape[0] * shape[1] * shape[2], 128);

  const std::vector<float> values(2 * 3 * 128, 1.0f);
  std::vector<float> scores(4), step(2);
  spikenm_session* const session = spikenm_session_new(model, 2);
  spikenm_free(model);  // the session keeps what it needs
  ASSERT_EQ(spikenm_run(session, values.data(), 2, scores.data()), 0);
  EXPECT_EQ(spikenm_step(session, values.data(), step.data()), 0);
  EXPECT_EQ(spikenm_reset(session), 0);

  Session wanted(Model::load(kGolden));
  const auto found = wanted.run(std::span(values).first(3 * 128));
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(scores[i], found[i % 2]);

  EXPECT_EQ(spikenm_run(session, values.data(), 3, scores.data()), -1);
  EXPECT_NE(std::string(spikenm_last_error()).find("3 samples"), std::string::npos);
  EXPECT_EQ(spikenm_run(session, nullptr, 1, scores.data()), -1);
  spikenm_session_free(session);
}

struct Handles {
  spikenm_model* model = spikenm_load(kGolden.c_str());
  spikenm_session* session = spikenm_session_new(model, 1);

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    spikenm_session_free(session);
    spikenm_free(model);
  }
};

TEST(CApi, SaysWhereAModelComesFrom) {
  const Handles c;
  EXPECT_STREQ(spikenm_provenance(c.model), R"({"seed":7,"commit":"abc"})");
}

TEST(CApi, NamesNeuronsAndTheirRates) {
  const Handles c;
  EXPECT_STREQ(spikenm_neurons_name(c.model, 0), "fire1");
  EXPECT_STREQ(spikenm_neurons_name(c.model, 1), "fire2");
  EXPECT_EQ(spikenm_neurons_name(c.model, 2), nullptr);
  EXPECT_STREQ(spikenm_last_error(),
               "spikenm_neurons_name: found layer 2 of neurons, wanted one of 2");
  EXPECT_EQ(spikenm_neurons_name(c.model, -1), nullptr);
  EXPECT_EQ(spikenm_recorded_rate(c.model, 0), 0.0625);
  EXPECT_TRUE(std::isnan(spikenm_recorded_rate(c.model, 1)));  // it was not recorded

  const std::vector<float> values(3 * 128, 9.0f);  // large, so that all layers fire
  std::vector<float> scores(2);
  ASSERT_EQ(spikenm_run(c.session, values.data(), 1, scores.data()), 0);
  Session wanted(Model::load(kGolden));
  wanted.run(values);
  for (const int64_t neurons : {0, 1}) {
    const auto id = *wanted.model().graph().find(spikenm_neurons_name(c.model, neurons));
    EXPECT_GT(wanted.firing_rate(id), 0);
    EXPECT_EQ(spikenm_firing_rate(c.session, neurons), wanted.firing_rate(id));
  }
  EXPECT_EQ(spikenm_firing_rate(c.session, 2), -1);
  EXPECT_STREQ(spikenm_last_error(),
               "spikenm_firing_rate: found layer 2 of neurons, wanted one of 2");
}

TEST(CApi, AStateIsCopiedOutAndPutBack) {
  const Handles c, other;
  const std::vector<float> frame(128, 1.0f);
  std::vector<float> scores(2), again(2);
  ASSERT_EQ(spikenm_step(c.session, frame.data(), scores.data()), 0);
  std::vector<float> state(static_cast<size_t>(spikenm_state_size(c.session)));
  Session wanted(Model::load(kGolden));
  EXPECT_EQ(state.size(), wanted.state().size());
  ASSERT_EQ(spikenm_get_state(c.session, state.data()), 0);
  ASSERT_EQ(spikenm_set_state(other.session, state.data()), 0);
  for (int t = 0; t < 3; ++t) {
    ASSERT_EQ(spikenm_step(c.session, frame.data(), scores.data()), 0);
    ASSERT_EQ(spikenm_step(other.session, frame.data(), again.data()), 0);
    EXPECT_EQ(scores, again);
  }
  std::vector<float> later(state.size());
  ASSERT_EQ(spikenm_get_state(c.session, later.data()), 0);
  EXPECT_NE(later, state);
}

// What the last call said it found.
std::string complaint() {
  return spikenm_last_error();
}

TEST(CApi, NullIsRefusedByName) {
  const Handles c;
  float value = 0;
  int64_t shape[3];
  EXPECT_EQ(spikenm_steps(nullptr), -1);
  EXPECT_EQ(complaint(), "spikenm_steps: found a null pointer");
  EXPECT_EQ(spikenm_classes(nullptr), -1);
  EXPECT_EQ(complaint(), "spikenm_classes: found a null pointer");
  EXPECT_EQ(spikenm_frames(nullptr), -1);
  EXPECT_EQ(complaint(), "spikenm_frames: found a null pointer");
  EXPECT_EQ(spikenm_frame_shape(nullptr, shape), -1);
  EXPECT_EQ(spikenm_frame_shape(c.model, nullptr), -1);
  EXPECT_EQ(complaint(), "spikenm_frame_shape: found a null pointer");
  EXPECT_EQ(spikenm_class_name(nullptr, 0), nullptr);
  EXPECT_EQ(complaint(), "spikenm_class_name: found a null pointer");
  EXPECT_EQ(spikenm_provenance(nullptr), nullptr);
  EXPECT_EQ(complaint(), "spikenm_provenance: found a null pointer");
  EXPECT_EQ(spikenm_neurons_name(nullptr, 0), nullptr);
  EXPECT_EQ(spikenm_recorded_rate(nullptr, 0), -1);
  EXPECT_EQ(complaint(), "spikenm_recorded_rate: found a null pointer");
  EXPECT_EQ(spikenm_reset(nullptr), -1);
  EXPECT_EQ(complaint(), "spikenm_reset: found a null pointer");
  EXPECT_EQ(spikenm_step(nullptr, &value, &value), -1);
  EXPECT_EQ(spikenm_state_size(nullptr), -1);
  EXPECT_EQ(spikenm_get_state(nullptr, &value), -1);
  EXPECT_EQ(spikenm_get_state(c.session, nullptr), -1);
  EXPECT_EQ(complaint(), "spikenm_get_state: found a null pointer");
  EXPECT_EQ(spikenm_set_state(nullptr, &value), -1);
  EXPECT_EQ(spikenm_set_state(c.session, nullptr), -1);
  EXPECT_EQ(complaint(), "spikenm_set_state: found a null pointer");
  EXPECT_EQ(spikenm_firing_rate(nullptr, 0), -1);
  EXPECT_EQ(complaint(), "spikenm_firing_rate: found a null pointer");
}

TEST(CApi, FailuresAreSentences) {
  EXPECT_EQ(spikenm_load("missing.snm"), nullptr);
  EXPECT_NE(std::string(spikenm_last_error()).find("missing.snm"), std::string::npos);
  EXPECT_EQ(spikenm_load(nullptr), nullptr);
  EXPECT_EQ(spikenm_session_new(nullptr, 1), nullptr);
  spikenm_free(nullptr);
  spikenm_session_free(nullptr);
}

}  // namespace
}  // namespace spikenm::runtime
