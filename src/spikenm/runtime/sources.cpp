#include "spikenm/runtime/sources.h"

#include <algorithm>
#include <bit>

namespace spikenm::runtime {
namespace {

void add_pixel(const Sources& from, int64_t pixel, const std::vector<int32_t>& map_of,
               Sources& to) {
  const auto p = static_cast<size_t>(pixel);
  for (int32_t s = from.begin[p]; s < from.begin[p + 1]; ++s) {
    const kernels::SpikeSource& source = from.list[static_cast<size_t>(s)];
    to.list.push_back({map_of[static_cast<size_t>(source.map)], source.pixel});
  }
}

// Adds the maps of `from` to those of `to`; returns their places there.
std::vector<int32_t> add_maps(const Sources& from, Sources& to) {
  std::vector<int32_t> places;
  for (const MapPlane& map : from.maps) {
    const auto found = std::find(to.maps.begin(), to.maps.end(), map);
    places.push_back(static_cast<int32_t>(found - to.maps.begin()));
    if (found == to.maps.end()) to.maps.push_back(map);
  }
  return places;
}

void end_pixel(Sources& sources) {
  sources.begin.push_back(static_cast<int32_t>(sources.list.size()));
}

}  // namespace

int64_t Sources::most() const {
  int32_t most = 0;
  for (size_t p = 0; p + 1 < begin.size(); ++p) most = std::max(most, begin[p + 1] - begin[p]);
  return most;
}

void Sources::find_regular() {
  const auto each = static_cast<size_t>(most());
  if (list.size() != each * static_cast<size_t>(height * width)) return;
  const auto at = [&](int64_t pixel, size_t s) -> const kernels::SpikeSource& {
    return list[static_cast<size_t>(pixel) * each + s];
  };
  const auto pixel_of = [&](int64_t pixel, size_t s) { return int64_t{at(pixel, s).pixel}; };
  regular_column = width > 1 ? pixel_of(1, 0) - pixel_of(0, 0) : 0;
  regular_row = height > 1 ? pixel_of(width, 0) - pixel_of(0, 0) : 0;
  for (int64_t p = 0; p < height * width; ++p)
    for (size_t s = 0; s < each; ++s) {
      const int64_t rule = pixel_of(0, s) + p / width * regular_row + p % width * regular_column;
      if (at(p, s).map != at(0, s).map || pixel_of(p, s) != rule) return;
    }
  for (size_t s = 0; s < each; ++s) regular.push_back({at(0, s).map, pixel_of(0, s)});
}

int64_t Sources::planes() const {
  int64_t most = 0;
  for (const MapPlane& map : maps) most = std::max(most, map.plane);
  return most + 1;
}

int64_t Sources::most_count() const {
  int64_t most = 0;
  for (size_t p = 0; p + 1 < begin.size(); ++p) {
    int64_t own = 0;
    for (int32_t s = begin[p]; s < begin[p + 1]; ++s)
      own += int64_t{1} << maps[static_cast<size_t>(list[static_cast<size_t>(s)].map)].plane;
    most = std::max(most, own);
  }
  return most;
}

int64_t count_planes(int64_t most) {
  return static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(most)));
}

Sources own_bits(NodeId id, const graph::Shape& shape) {
  Sources own{
      .height = shape.height, .width = shape.width, .channels = shape.channels, .maps = {{id, 0}}};
  for (int64_t p = 0; p < shape.height * shape.width; ++p) {
    own.list.push_back({0, static_cast<int32_t>(p)});
    own.begin.push_back(static_cast<int32_t>(own.list.size()));
  }
  return own;
}

Sources counted(NodeId id, const graph::Pool& pool, const graph::Shape& shape) {
  const int64_t window = pool.size * pool.size, planes = count_planes(window);
  Sources own{.height = shape.height, .width = shape.width, .channels = shape.channels};
  own.unit = 1.0 / static_cast<double>(window);
  for (int64_t plane = 0; plane < planes; ++plane) own.maps.push_back({id, plane});
  for (int64_t p = 0; p < shape.height * shape.width; ++p) {
    for (int64_t plane = 0; plane < planes; ++plane)
      own.list.push_back({static_cast<int32_t>(plane), static_cast<int32_t>(p)});
    own.begin.push_back(static_cast<int32_t>(own.list.size()));
  }
  return own;
}

Sources pooled(const Sources& in, const graph::Pool& pool, const graph::Shape& out) {
  Sources result{.height = out.height, .width = out.width, .channels = in.channels};
  result.unit = in.unit / static_cast<double>(pool.size * pool.size);
  const std::vector<int32_t> map_of = add_maps(in, result);
  for (int64_t y = 0; y < out.height; ++y)
    for (int64_t x = 0; x < out.width; ++x) {
      const graph::AxisRange rows = pool.inputs(y, in.height), columns = pool.inputs(x, in.width);
      for (int64_t iy = rows.begin; iy < rows.end; ++iy)
        for (int64_t ix = columns.begin; ix < columns.end; ++ix)
          add_pixel(in, iy * in.width + ix, map_of, result);
      end_pixel(result);
    }
  return result;
}

Sources mean_of(const Sources& in) {
  Sources result{.channels = in.channels};
  result.unit = in.unit / static_cast<double>(in.height * in.width);
  const std::vector<int32_t> map_of = add_maps(in, result);
  for (int64_t p = 0; p < in.height * in.width; ++p) add_pixel(in, p, map_of, result);
  end_pixel(result);
  return result;
}

Sources sum_of(const std::vector<const Sources*>& inputs) {
  const Sources& first = *inputs[0];
  Sources result{.height = first.height,
                 .width = first.width,
                 .channels = first.channels,
                 .flattened = first.flattened,
                 .unit = first.unit};
  std::vector<std::vector<int32_t>> map_of;
  for (const Sources* in : inputs) map_of.push_back(add_maps(*in, result));
  for (int64_t p = 0; p < first.height * first.width; ++p) {
    for (size_t i = 0; i < inputs.size(); ++i) add_pixel(*inputs[i], p, map_of[i], result);
    end_pixel(result);
  }
  return result;
}

}  // namespace spikenm::runtime
