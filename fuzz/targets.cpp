#include "targets.h"

#include "spikenm/core/config.h"
#include "spikenm/core/crc32c.h"
#include "spikenm/core/event_records.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/owner_record.h"
#include "spikenm/core/png.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/data/datasets/cifar_batch.h"
#include "spikenm/data/datasets/gesture_table.h"
#include "spikenm/data/events/aedat2.h"
#include "spikenm/data/events/aedat3.h"
#include "spikenm/data/events/aedat4.h"
#include "spikenm/data/events/atis_bin.h"
#include "spikenm/data/events/numpy_events.h"
#include "spikenm/data/events/prophesee_dat.h"
#include "spikenm/data/events/recognize.h"
#include "spikenm/data/formats/hdf5.h"
#include "spikenm/data/formats/idx.h"
#include "spikenm/data/formats/inflate.h"
#include "spikenm/data/formats/npz.h"
#include "spikenm/data/formats/pickle.h"
#include "spikenm/data/formats/picture_file.h"
#include "spikenm/data/formats/tar.h"
#include "spikenm/data/formats/zip.h"
#include "spikenm/graph/drawing.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/report/published.h"
#include "spikenm/runtime/session.h"
#include "spikenm/runtime/snm_file.h"
#include "spikenm/runtime/snm_sections.h"
#include "spikenm/sweep/spec_file.h"
#include "spikenm/train/mask_rules.h"

namespace spikenm::fuzz {
namespace {

using namespace spikenm::data;  // NOLINT: every target is a parser of it

constexpr const char* kSource = "input";
constexpr size_t kLimit = size_t{16} << 20;

template <class Read>
std::function<void(Bytes)> recording(Read read) {
  return [read](Bytes input) {
    Recording out;
    read(input, kSource, out);
  };
}

void read_members(Bytes input) {
  const ZipReader zip(input, kSource);
  for (const ZipMember& member : zip.members())
    if (member.size <= kLimit) static_cast<void>(zip.read(member));
}

void read_arrays(Bytes input) {
  const NpzReader npz(input, kSource);
  for (const std::string& key : npz.keys())
    static_cast<void>(npy_values<float>(npz.read(key).array, kSource));
}

// A pickle begins with its protocol; label bytes go to 99.
void read_cifar(Bytes input) {
  ImagePart part;
  const auto read = !input.empty() && input[0] == 0x80 ? append_cifar_pickle : append_cifar_binary;
  read(input, {}, kSource, part);
}

// The datasets of SHD.
void read_spikes(Bytes input) {
  const Hdf5Objects objects(input, kSource);
  for (const char* path : {"labels", "spikes/times", "spikes/units"}) {
    const Hdf5Dataset dataset(objects, path, kSource);
    if (!dataset.has_rows()) {
      static_cast<void>(npy_values<double>(dataset.values(), kSource));
      continue;
    }
    for (int64_t i = 0; i < std::min<int64_t>(dataset.size(), 100); ++i)
      static_cast<void>(npy_values<double>(dataset.row(i), kSource));
  }
}

// A window that opens and closes within most files.
void read_window(Bytes input, std::string_view source, Recording& out) {
  read_aedat3(input, source, {.begin = 100, .end = 100'000}, out);
}

void read_sweep(Bytes input) {
  sweep::Spec spec = sweep::parse_spec(as_text(input), kSource);
  sweep::expand(spec);
}

// A file that was read must be the same after it is written and read again. A flipped bit in it
// must be refused, or must not change the content (for example a capital letter in an escape of
// JSON).
void read_safetensors_file(Bytes input) {
  const std::string whole = encode_safetensors(decode_safetensors(as_text(input), kSource));
  std::string damaged = whole;
  const size_t bit = crc32c(input) % (8 * whole.size());
  damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
  try {
    if (encode_safetensors(decode_safetensors(whole, kSource)) != whole)
      throw Bug("a file read back is another");
  } catch (const Error& e) {
    throw Bug(fmt::format("a file that was read cannot be written: {}", e.what()));
  }
  if (encode_safetensors(decode_safetensors(damaged, kSource)) != whole)
    throw Bug(fmt::format("bit {} was flipped and the file is read as good", bit));
}

// What was read is written and read again as the same graph, in both forms.
void check_round_trip(const graph::Graph& graph) {
  const std::string text = graph::graph_to_json(graph).dump();
  const graph::Graph from_json = graph::graph_from_json(parse_json_object(text, kSource), kSource);
  const graph::Graph from_toml = graph::from_toml(graph::to_toml(graph), kSource);
  for (const graph::Graph* again : {&from_json, &from_toml})
    if (graph::graph_to_json(*again).dump() != text)
      throw Bug("a graph read back is another: " + text);
}

// What was read is written and read again as the same.
void read_mask_rules(Bytes input) {
  const train::MaskRules rules =
      train::mask_rules_from_json(parse_json_object(as_text(input), kSource), kSource);
  Json json = Json::object();
  for (const auto& [layer, rule] : rules) json[layer] = train::to_json(rule);
  if (train::mask_rules_from_json(json, kSource) != rules)
    throw Bug("rules read back are others: " + json.dump());
}

// An object of JSON begins with a brace, which no TOML does.
void read_and_draw_graph(Bytes input) {
  const bool is_json = !input.empty() && input[0] == '{';
  const graph::Graph graph =
      is_json ? graph::graph_from_json(parse_json_object(as_text(input), kSource), kSource)
              : graph::from_toml(as_text(input), kSource);
  try {
    check_round_trip(graph);
    static_cast<void>(graph::draw_svg(graph));
  } catch (const Error& e) {
    throw Bug(fmt::format("a graph that was read cannot be written: {}", e.what()));
  }
}

// Values and products of one run.
double work_of(const runtime::StoredModel& model) {
  double work = 0;
  for (const graph::Node& node : model.graph.nodes()) {
    const auto* const synapse = node.as<graph::Synapse>();
    const auto each = synapse == nullptr ? 1 : synapse->shape.numel() / synapse->shape.cout;
    work += static_cast<double>(node.out.values()) * static_cast<double>(each);
  }
  return work * static_cast<double>(model.steps);
}

// A network that was read can be laid out, and run where that takes a moment.
void run_network(runtime::StoredModel stored) {
  constexpr double kMostWork = 1e6;
  const bool runs = work_of(stored) <= kMostWork;
  const auto model = std::make_shared<const runtime::Model>(std::move(stored));
  if (!runs) return;
  runtime::Session session(model);
  const std::vector<float> input(static_cast<size_t>(model->frames() * model->frame_size()), 1.0f);
  const std::span<const float> all(input);
  static_cast<void>(session.run(all));
  static_cast<void>(session.step(all.first(static_cast<size_t>(model->frame_size()))));
}

// A file that was read is written and read again as the same. The checksums of most damaged files
// are wrong, so each is also read with sums that fit.
void read_snm_file(Bytes input) {
  std::string fitting(as_text(input));
  runtime::fit_sums(fitting);
  for (const Bytes bytes : {input, as_bytes(fitting)}) {
    try {
      runtime::StoredModel model = runtime::decode_snm(bytes, kSource);
      const std::string whole = runtime::encode_snm(model);
      if (runtime::encode_snm(runtime::decode_snm(as_bytes(whole), kSource)) != whole)
        throw Bug("a .snm file read back is another");
      for (const auto& [node, tensor] : model.synapses) {
        if (tensor.type == runtime::WeightType::kFloat)
          static_cast<void>(runtime::unpack_floats(tensor));
        else
          static_cast<void>(runtime::unpack_int8(tensor));
      }
      run_network(std::move(model));
    } catch (const Error&) {  // an answer
    }
  }
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all{
      {"aedat2", recording(read_aedat2)},
      {"aedat3",
       recording([](Bytes b, std::string_view s, Recording& o) { read_aedat3(b, s, {}, o); })},
      {"aedat3_window", recording(read_window)},
      {"aedat4",
       recording([](Bytes b, std::string_view s, Recording& o) { read_aedat4(b, s, o); })},
      {"atis_bin", recording(read_atis_bin)},
      {"prophesee_dat", recording(read_prophesee_dat)},
      {"npz_events",
       recording([](Bytes b, std::string_view s, Recording& o) { read_npz_events(b, s, o); })},
      {"npy_events",
       recording([](Bytes b, std::string_view s, Recording& o) { read_npy_events(b, s, {}, o); })},
      {"event_file",
       [](Bytes input) { static_cast<void>(to_text(summarize(read_event_file(input, kSource)))); }},
      {"gzip", [](Bytes input) { static_cast<void>(gunzip(input, kSource, {kLimit, "a key"})); }},
      {"zip", read_members},
      {"tar", [](Bytes input) { static_cast<void>(read_tar(input, kSource)); }},
      {"npy",
       [](Bytes input) {
         static_cast<void>(npy_values<int64_t>(parse_npy(input, kSource), kSource));
       }},
      {"npz", read_arrays},
      {"pickle", [](Bytes input) { static_cast<void>(parse_pickle(input, kSource)); }},
      {"idx", [](Bytes input) { static_cast<void>(parse_idx(input, kSource)); }},
      {"hdf5", read_spikes},
      {"cifar", read_cifar},
      {"gesture_table",
       [](Bytes input) { static_cast<void>(parse_gesture_table(as_text(input), kSource)); }},
      {"safetensors", read_safetensors_file},
      {"json", [](Bytes input) { static_cast<void>(parse_json_object(as_text(input), kSource)); }},
      {"event_records", [](Bytes input) { static_cast<void>(whole_records(input)); }},
      {"owner", [](Bytes input) { static_cast<void>(parse_owner(as_text(input), kSource)); }},
      {"config",
       [](Bytes input) { static_cast<void>(Config::from_text(as_text(input), kSource)); }},
      {"published",
       [](Bytes input) { static_cast<void>(report::parse_published(as_text(input), kSource)); }},
      {"sweep", read_sweep},
      {"graph", read_and_draw_graph},
      {"snm", read_snm_file},
      {"mask_rules", read_mask_rules},
      {"picture",
       [](Bytes input) {
         static_cast<void>(read_picture(input, input.size() % 2, kSource, {kLimit, "limit"}));
       }},
      {"png", [](Bytes input) { static_cast<void>(read_png(input, input.size() % 2, kSource)); }},
  };
  return all;
}

void run_one(const Target& target, Bytes input) {
  try {
    target.run(input);
  } catch (const Error&) {
  }
}

const Target& find_target(const std::string& name) {
  for (const Target& target : targets())
    if (target.name == name) return target;
  std::string known;
  for (const Target& target : targets()) known += " " + target.name;
  fail("target '{}' is not known; known:{}", name, known);
}

}  // namespace spikenm::fuzz
