// A set of the user's own: a folder for each class, split by folders train/ and test/ or by a seed.
#pragma once

#include "spikenm/data/datasets/file_tree.h"

#include <string>
#include <vector>

namespace spikenm::data {

// What tells one such set from another.
struct ClassFolderKind {
  std::string dataset;                  // its name
  std::string files;                    // "PNG or JPEG pictures", for messages
  std::vector<std::string> extensions;  // lower case; other files are passed over
};

struct ClassFolders {
  std::vector<std::string> classes;
  LabelledFiles files;  // of the parts that are opened
  std::string split;    // how it was split, for results
  std::string source;
  // The first file of each extension, by path; of all files, whether their part is opened or not.
  std::vector<std::filesystem::path> first;
};

// Reads root, classes, split and test_fraction. Where nothing is opened and the folder cannot be
// read, the classes are those that the key names, or else two.
ClassFolders open_class_folders(const Config& config, Extent extent, const ClassFolderKind& kind);

KeyList class_folder_keys();

}  // namespace spikenm::data
