// Does with a TensorBoardFile what standard input says, for tensorboard_python_test.py.
// tensorboard_writer FOLDER; lines: "add TAG STEP WALL_TIME VALUE",
// "picture TAG STEP WIDTH HEIGHT", whose pixels count up, "histogram TAG STEP N VALUE…", "flush",
// "cut STEP".
#include "spikenm/core/png.h"
#include "spikenm/core/tensorboard_file.h"

#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr double kWallTime = 1.79e9;

void add_picture(spikenm::TensorBoardFile& file) {
  std::string tag;
  int64_t step = 0, width = 0, height = 0;
  std::cin >> tag >> step >> width >> height;
  std::vector<uint8_t> rgb(static_cast<size_t>(3 * width * height));
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i);
  file.add_picture(tag, step, kWallTime,
                   {width, height, spikenm::encode_png(width, height, rgb, tag)});
}

void add_histogram(spikenm::TensorBoardFile& file) {
  std::string tag;
  int64_t step = 0;
  size_t n = 0;
  std::cin >> tag >> step >> n;
  std::vector<float> values(n);
  for (float& value : values) std::cin >> value;
  file.add_histogram(tag, step, kWallTime, spikenm::histogram_of(values));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  spikenm::TensorBoardFile file(argv[1]);
  for (std::string word; std::cin >> word;) {
    if (word == "add") {
      std::string tag, wall_time, value;  // streams read no "nan" as a number
      int64_t step = 0;
      std::cin >> tag >> step >> wall_time >> value;
      file.add(tag, step, std::stod(wall_time), std::stod(value));
    } else if (word == "picture") {
      add_picture(file);
    } else if (word == "histogram") {
      add_histogram(file);
    } else if (word == "flush") {
      file.flush();
    } else if (word == "cut") {
      int64_t step = 0;
      std::cin >> step;
      file.cut_after(step);
    } else {
      return 2;
    }
  }
  return 0;
}
