// Sweeps over a toy, as a user starts them.
#pragma once

#include "spikenm/report/csv.h"
#include "support/cli.h"

#include <sstream>
#include <string>
#include <string_view>

namespace spikenm::test {

// The lines with this part.
inline int64_t lines_with(const std::string& text, std::string_view part) {
  std::istringstream lines(text);
  int64_t n = 0;
  for (std::string line; std::getline(lines, line);) n += has(line, part) ? 1 : 0;
  return n;
}

class SweepCli : public Cli {
 protected:
  SweepCli() {
    write_file_atomically(dir / "base.toml", R"(
      [data]
      train_size = 60
      test_size = 20
      [model]
      width = 4
      T = 2
      [train]
      epochs = 1
      search_epochs = 1
      batch_size = 20
    )");
  }
  static Arguments grid(const Arguments& more) {
    Arguments arguments{"sweep", "--config", "base.toml", "--out", "s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  report::Csv csv(const std::string& file) {
    return report::parse_csv(read_file(dir / file), file);
  }
};

}  // namespace spikenm::test
