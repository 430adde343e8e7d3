// How many events per second does one core read from a mapped file in the page cache, and add to
// frames? 8 M events of a 128 x 128 sensor; a rate below 100 M/s for a reader, or 200 M/s for the
// frames, would make loading rather than training the slow part.
#include "spikenm/core/input_file.h"
#include "spikenm/core/random.h"
#include "spikenm/data/events/aedat2.h"
#include "spikenm/data/events/aedat3.h"
#include "spikenm/data/events/atis_bin.h"
#include "spikenm/data/events/prophesee_dat.h"
#include "spikenm/data/frames.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace spikenm::data {
namespace {

constexpr int64_t kEvents = 8'000'000;
constexpr int64_t kPacket = 4096;  // events in a packet of AEDAT 3.1
constexpr int kSide = 128;

// Places as of a moving edge, times 1 µs apart. Where the format has words that readers skip, one
// word in 64 is such.
struct Draw {
  uint32_t x, y, on, t;
  bool is_pixel;
};
Draw draw(int64_t i) {
  const RandomAddress random(1, 0);
  const uint32_t word = random.word(static_cast<uint64_t>(i));
  const auto edge = static_cast<uint32_t>(i / 2048);
  return {(edge + word % 16) % kSide, (word >> 8) % kSide, (word >> 16) & 1,
          static_cast<uint32_t>(i), (word >> 20) % 64 != 0};
}

void put_be(std::string& out, uint64_t value, int n_bytes) {
  for (int i = n_bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
}
void put_le(std::string& out, uint64_t value, int n_bytes) {
  for (int i = 0; i < n_bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

std::string aedat2() {
  std::string out = "#!AER-DAT2.0\r\n";
  for (int64_t i = 0; i < kEvents; ++i) {
    const Draw e = draw(i);
    put_be(out, (e.is_pixel ? 0 : 0x8000) | e.y << 8 | e.x << 1 | e.on, 4);
    put_be(out, e.t, 4);
  }
  return out;
}

std::string aedat3() {
  std::string out = "#!AER-DAT3.1\r\n#Source 1: DVS128\r\n#!END-HEADER\r\n";
  for (int64_t i = 0; i < kEvents; ++i) {
    if (i % kPacket == 0) {
      const auto n = static_cast<uint64_t>(std::min(kPacket, kEvents - i));
      for (const uint64_t half : {1, 1}) put_le(out, half, 2);
      for (const uint64_t word : {uint64_t{8}, uint64_t{4}, uint64_t{0}, n, n, n})
        put_le(out, word, 4);
    }
    const Draw e = draw(i);
    put_le(out, e.x << 17 | e.y << 2 | e.on << 1 | (e.is_pixel ? 1 : 0), 4);
    put_le(out, e.t, 4);
  }
  return out;
}

std::string atis() {
  std::string out;
  for (int64_t i = 0; i < kEvents; ++i) {
    const Draw e = draw(i);
    put_be(out, e.x << 8 | (e.is_pixel ? e.y : 240), 2);
    put_be(out, e.on << 23 | (e.t & 0x7fffff), 3);
  }
  return out;
}

std::string dat() {
  std::string out("% Version 2\n\x0c\x08", 14);
  for (int64_t i = 0; i < kEvents; ++i) {
    const Draw e = draw(i);
    put_le(out, e.t, 4);
    put_le(out, e.x | e.y << 14 | e.on << 28, 4);
  }
  return out;
}

void count(benchmark::State& state) {
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(kEvents),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

using Read = std::function<void(Bytes, Recording&)>;

// Into memory that an earlier read has touched, as a dataset does.
void read(benchmark::State& state, const std::filesystem::path& path, const Read& read_events) {
  std::vector<uint8_t> file;
  read_bytes(path, file);
  Recording recording;
  read_events(file, recording);
  for (auto _ : state) {
    read_events(file, recording);
    benchmark::DoNotOptimize(recording.events.data());
    benchmark::ClobberMemory();
  }
  count(state);
}

void frames(benchmark::State& state, const std::filesystem::path& path, FrameRule rule) {
  std::vector<uint8_t> file;
  read_bytes(path, file);
  Recording recording;
  read_aedat2(file, "bench", recording);
  const FrameOptions options{.frames = 16, .rule = rule};
  std::vector<float> out(16 * 2 * kSide * kSide);
  for (auto _ : state) {
    integrate(recording.events, options, kSide, kSide, out.data());
    benchmark::ClobberMemory();
  }
  count(state);
}

}  // namespace
}  // namespace spikenm::data

int main(int argc, char** argv) {
  using namespace spikenm::data;
  benchmark::Initialize(&argc, argv);
  const auto dir =
      std::filesystem::temp_directory_path() / ("event_read_bench." + std::to_string(getpid()));
  std::filesystem::create_directories(dir);
  const auto add = [](const std::string& name, const std::function<void(benchmark::State&)>& body) {
    auto* made = benchmark::RegisterBenchmark(name.c_str(), body);
    made->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();
  };
  const auto add_read = [&](const std::string& name, const std::string& content, const Read& body) {
    std::ofstream(dir / name, std::ios::binary) << content;
    add("read/" + name, [=](benchmark::State& state) { read(state, dir / name, body); });
  };
  add_read("aedat2", aedat2(), [](auto bytes, auto& out) { read_aedat2(bytes, "bench", out); });
  add_read("aedat3", aedat3(), [](auto bytes, auto& out) { read_aedat3(bytes, "bench", {}, out); });
  add_read("atis", atis(), [](auto bytes, auto& out) { read_atis_bin(bytes, "bench", out); });
  add_read("dat", dat(), [](auto bytes, auto& out) { read_prophesee_dat(bytes, "bench", out); });
  for (const auto& [name, rule] :
       {std::pair{"number", FrameRule::kNumber}, {"time", FrameRule::kTime}})
    add(std::string("frames/by_") + name,
        [&, rule = rule](benchmark::State& state) { frames(state, dir / "aedat2", rule); });
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(dir);
}
