// Does with a TensorBoardFile what standard input says, for tensorboard_python_test.py.
// tensorboard_writer FOLDER; lines: "add TAG STEP WALL_TIME VALUE", "flush", "cut STEP".
#include "spikenm/core/tensorboard_file.h"

#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  spikenm::TensorBoardFile file(argv[1]);
  for (std::string word; std::cin >> word;) {
    if (word == "add") {
      std::string tag, wall_time, value;  // streams read no "nan" as a number
      int64_t step = 0;
      std::cin >> tag >> step >> wall_time >> value;
      file.add(tag, step, std::stod(wall_time), std::stod(value));
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
