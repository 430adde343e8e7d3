// Runs the program as a user does, in a folder of its own, and shows what it printed and left.
#pragma once

#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::test {

using Arguments = std::vector<std::string>;

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// A few seconds of work, or less.
inline const Arguments kTiny{"data.train_size=60",  "data.test_size=20",  "model.width=4",
                             "model.T=2",           "train.epochs=2",     "train.search_epochs=1",
                             "train.batch_size=20", "method.name=spikenm"};

struct Outcome {
  int code = -1;
  std::string out, err;
};

class Cli : public testing::Test {
 protected:
  // Starts the program in the test's folder. `streams`: the beginning of the names of the files
  // that receive its output, for programs that run at the same time.
  pid_t start(const Arguments& arguments, const std::string& streams = "") {
    const pid_t child = ::fork();
    if (child != 0) return child;
    std::vector<std::string> words{SPIKENM_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (::chdir(dir.path().c_str()) != 0) ::_exit(99);
    const std::string out = streams + "out", err = streams + "err";
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(99);
  }

  Outcome finish(pid_t child, const std::string& streams = "") {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
            read_file(dir / (streams + "out")), read_file(dir / (streams + "err"))};
  }

  Outcome run(const Arguments& arguments) { return finish(start(arguments)); }

  static Arguments tiny(Arguments first, const Arguments& more = {}) {
    first.insert(first.end(), kTiny.begin(), kTiny.end());
    first.insert(first.end(), more.begin(), more.end());
    return first;
  }

  // The program fails with this code, one line that holds every part, and no output.
  void expect_failure(const Arguments& arguments, int code, const Arguments& parts) {
    const Outcome found = run(arguments);
    EXPECT_EQ(found.code, code) << found.err;
    for (const std::string& part : parts)
      EXPECT_NE(found.err.find(part), std::string::npos) << found.err << "lacks: " << part;
    EXPECT_EQ(std::count(found.err.begin(), found.err.end(), '\n'), 1) << found.err;
    EXPECT_EQ(found.out, "");
  }

  // What was said on stderr, without the lines of epochs and what they warn of.
  static std::string without_epochs(const std::string& err) {
    std::string kept;
    std::istringstream lines(err);
    for (std::string line; std::getline(lines, line);)
      if (!has(line, "/s  left ") && !has(line, "on validation in ")) kept += line + "\n";
    return kept;
  }

  // What a run's result warns of, as its terminal showed it.
  std::string warnings_in(const std::string& folder) {
    const Json result = Json::parse(read_file(dir / (folder + "/result.json")));
    std::string lines;
    for (const Json& warning : result.at("warnings"))
      lines += "warning: " + warning.get<std::string>() + "\n";
    return lines;
  }

  std::set<std::string> files_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir / folder))
      names.insert(entry.path().filename().string());
    return names;
  }

  test::TempDir dir;
};

}  // namespace spikenm::test
