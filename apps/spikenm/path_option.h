// Options that name a file or a folder.
#pragma once

#include "spikenm/core/error.h"
#include "spikenm/core/home.h"

#include <CLI/CLI.hpp>

#include <string>

namespace spikenm::cli {

// A leading ~ is the home folder: a shell does not expand it in --out=~/x or in quoted words.
inline CLI::Option* as_path(CLI::Option* option) {
  const auto expand = [](std::string& path) {
    if (path.empty()) return std::string("found no path");
    try {
      path = expand_home(path, "the path").string();
      return std::string();
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  return option->transform(CLI::Validator(expand, "", "path"));
}

}  // namespace spikenm::cli
