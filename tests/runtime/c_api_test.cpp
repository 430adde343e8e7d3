#include "spikenm/runtime/c_api.h"

#include "spikenm/runtime/session.h"

#include <gtest/gtest.h>

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
  int64_t shape[3];
  spikenm_frame_shape(model, shape);
  EXPECT_EQ(shape[0] * shape[1] * shape[2], 128);

  const std::vector<float> values(2 * 3 * 128, 1.0f);
  std::vector<float> scores(4), step(2);
  spikenm_session* const session = spikenm_session_new(model, 2);
  spikenm_free(model);  // the session keeps what it needs
  ASSERT_EQ(spikenm_run(session, values.data(), 2, scores.data()), 0);
  EXPECT_EQ(spikenm_step(session, values.data(), step.data()), 0);
  spikenm_reset(session);

  Session wanted(Model::load(kGolden));
  const auto found = wanted.run(std::span(values).first(3 * 128));
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(scores[i], found[i % 2]);

  EXPECT_EQ(spikenm_run(session, values.data(), 3, scores.data()), -1);
  EXPECT_NE(std::string(spikenm_last_error()).find("3 samples"), std::string::npos);
  EXPECT_EQ(spikenm_run(session, nullptr, 1, scores.data()), -1);
  spikenm_session_free(session);
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
