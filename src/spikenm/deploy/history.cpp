#include "spikenm/deploy/history.h"

#include "spikenm/core/config.h"
#include "spikenm/core/crc32c.h"
#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/data/frames.h"

namespace spikenm::deploy {
namespace {

using graph::NodeId;
using runtime::StoredModel;

void add_result(const Json& result, StoredModel& model) {
  for (const char* key : {"test_accuracy", "seed", "versions", "subset"})
    if (result.contains(key)) model.provenance[key] = result[key];
  if (!result.contains("firing_rate") || !result["firing_rate"].is_object()) return;
  for (const auto& [name, rate] : result["firing_rate"].items()) {
    const std::optional<NodeId> id = model.graph.find(name);
    if (id && model.graph.node(*id).as<graph::Neuron>() != nullptr && rate.is_number() &&
        rate.get<double>() >= 0 && rate.get<double>() <= 1)
      model.rates[*id] = rate.get<double>();
  }
}

}  // namespace

void add_history(const train::ModelInput& file, StoredModel& model) {
  const std::string text = file.metadata("config");
  model.provenance["config_crc32c"] = fmt::format("{:08x}", crc32c(as_bytes(text)));
  const Config config = Config::from_resolved(text, file.source() + " (config)");
  const data::FrameOptions frames = data::read_frame_options(config.section("data"), {});
  model.input.frames_by_time = frames.rule == data::FrameRule::kTime;
  model.input.binary = frames.binary;
  model.input.resize = frames.resize;

  std::error_code error;
  const std::filesystem::path result = file.path().parent_path() / RunDir::kResult;
  if (std::filesystem::exists(result, error))
    add_result(parse_json_object(read_file(result), result.string()), model);
}

void add_history(const std::filesystem::path& run, StoredModel& model) {
  add_history(train::ModelInput(run), model);
}

}  // namespace spikenm::deploy
