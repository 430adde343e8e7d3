#include "spikenm/report/spike_record.h"

#include "spikenm/core/error.h"
#include "spikenm/core/json_text.h"

namespace spikenm::report {
namespace {

constexpr int64_t kMostSide = 1 << 24;  // then products of four sides are checked in double
constexpr double kMostValues = 1 << 28;

// A field that must be there and be of this kind.
const Json& field(const Json& object, const char* key, bool (Json::*is_kind)() const,
                  const std::string& source) {
  const auto found = object.find(key);
  SPIKENM_CHECK(found != object.end() && ((*found).*is_kind)(),
                "{}: found no good '{}' in the record of spikes", source, key);
  return *found;
}

int64_t side(const Json& value, const std::string& source) {
  SPIKENM_CHECK(value.is_number_integer() && value.get<double>() >= 1 &&
                    value.get<double>() <= static_cast<double>(kMostSide),
                "{}: found the size {}, wanted 1 to {}", source, value.dump(), kMostSide);
  return value.get<int64_t>();
}

SpikeLayer read_layer(const Json& json, const std::string& source) {
  SPIKENM_CHECK(json.is_object(), "{}: found a layer of spikes that is no object", source);
  SpikeLayer layer;
  layer.name = field(json, "name", &Json::is_string, source).get<std::string>();
  layer.neurons = side(field(json, "neurons", &Json::is_number, source), source);
  const Json& steps = field(json, "spikes", &Json::is_array, source);
  layer.steps = static_cast<int64_t>(steps.size());
  const double size = static_cast<double>(layer.steps) * static_cast<double>(layer.neurons);
  SPIKENM_CHECK(layer.steps > 0 && size <= kMostValues, "{}: found {} steps of {} neurons", source,
                layer.steps, layer.neurons);
  layer.spikes.resize(static_cast<size_t>(size));
  for (size_t t = 0; t < steps.size(); ++t) {
    SPIKENM_CHECK(steps[t].is_array(), "{}: found a step of spikes that is no list", source);
    for (const Json& neuron : steps[t]) {
      SPIKENM_CHECK(neuron.is_number_unsigned() &&
                        neuron.get<uint64_t>() < static_cast<uint64_t>(layer.neurons),
                    "{}: found the neuron {}, wanted 0 to {}", source, neuron.dump(),
                    layer.neurons - 1);
      layer.spikes[t * static_cast<size_t>(layer.neurons) + neuron.get<size_t>()] = 1;
    }
  }
  return layer;
}

}  // namespace

Json to_json(const SpikeRecord& record) {
  Json layers = Json::array();
  for (const SpikeLayer& layer : record.layers) {
    Json steps = Json::array();
    for (int64_t t = 0; t < layer.steps; ++t) {
      Json fired = Json::array();
      for (int64_t n = 0; n < layer.neurons; ++n)
        if (layer.fired(t, n)) fired.push_back(static_cast<uint64_t>(n));
      steps.push_back(std::move(fired));
    }
    layers.push_back(
        {{"name", layer.name}, {"neurons", layer.neurons}, {"spikes", std::move(steps)}});
  }
  return {{"sample", record.sample},
          {"class", record.right},
          {"answer", record.answer},
          {"events", record.events},
          {"shape", {record.frames, record.channels, record.height, record.width}},
          {"input", record.input},
          {"layers", std::move(layers)}};
}

SpikeRecord read_spike_record(std::string_view text, const std::string& source) {
  const Json json = parse_json_object(text, source);
  SpikeRecord record;
  record.sample = field(json, "sample", &Json::is_string, source).get<std::string>();
  record.right = field(json, "class", &Json::is_string, source).get<std::string>();
  record.answer = field(json, "answer", &Json::is_string, source).get<std::string>();
  record.events = field(json, "events", &Json::is_boolean, source).get<bool>();
  const Json& shape = field(json, "shape", &Json::is_array, source);
  SPIKENM_CHECK(shape.size() == 4, "{}: found a shape of {} sides, wanted 4", source, shape.size());
  record.frames = side(shape[0], source);
  record.channels = side(shape[1], source);
  record.height = side(shape[2], source);
  record.width = side(shape[3], source);
  const double size = static_cast<double>(record.frames) * static_cast<double>(record.channels) *
                      static_cast<double>(record.height) * static_cast<double>(record.width);
  for (const Json& value : field(json, "input", &Json::is_array, source)) {
    SPIKENM_CHECK(value.is_number(), "{}: found {} in the input, wanted a number", source,
                  value.dump());
    record.input.push_back(value.get<float>());
  }
  SPIKENM_CHECK(static_cast<double>(record.input.size()) == size,
                "{}: found {} values of the input, wanted {}", source, record.input.size(), size);
  for (const Json& layer : field(json, "layers", &Json::is_array, source))
    record.layers.push_back(read_layer(layer, source));
  return record;
}

}  // namespace spikenm::report
