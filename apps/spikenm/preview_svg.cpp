#include "preview_svg.h"

#include "spikenm/core/png.h"
#include "spikenm/report/svg_canvas.h"
#include "spikenm/report/text_width.h"

namespace spikenm::cli {

std::string preview_svg(const data::Picture& picture, const data::TileGrid& grid,
                        const std::vector<std::string>& captions) {
  constexpr double kSize = 11;
  constexpr report::Color kInk{20, 20, 20};
  const auto width = static_cast<double>(picture.width);
  const auto height = static_cast<double>(picture.height);
  report::SvgCanvas svg(width, height);
  svg.picture({0, 0}, width, height,
              encode_png(picture.width, picture.height, picture.rgb, "preview"));
  const auto room = static_cast<double>(grid.factor() * grid.tile_width);
  for (size_t i = 0; i < captions.size(); ++i) {
    const auto tile = static_cast<int64_t>(i);
    const double needed = report::text_width(captions[i], kSize);
    svg.text({static_cast<double>(grid.left(tile)), static_cast<double>(grid.top(tile)) - 4},
             captions[i], {kInk, needed > room ? kSize * room / needed : kSize});
  }
  return svg.document();
}

}  // namespace spikenm::cli
