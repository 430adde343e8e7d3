// Tiny CIFAR sets in the forms they are handed out in: binary records, pickles, tar.gz.
#pragma once

#include "support/containers.h"
#include "support/dataset_tree.h"

#include <map>
#include <utility>

namespace spikenm::test {

using NamedFiles = std::map<std::string, std::string>;  // name -> content
using CifarLists = std::vector<std::pair<std::string, std::vector<int64_t>>>;

struct CifarBatch {
  int number;
  std::vector<int64_t> labels;  // one per image
};

// Which Python wrote a pickle: the official protocol 2 of Python 2; Python 3's protocol 2 of what
// it had loaded with bytes as keys; or its protocol 4 with text as keys.
enum class Dialect { kPython2, kBytes, kText };

inline std::string cifar_pixels(int batch, size_t image) {
  std::string pixels;
  for (size_t k = 0; k < 3072; ++k)
    pixels += static_cast<char>(static_cast<size_t>(batch) * 37 + image * 11 + k + k / 251);
  return pixels;
}
inline std::vector<float> cifar_image(int batch, size_t image) {
  const std::string pixels = cifar_pixels(batch, image);
  const Bytes bytes = as_bytes(pixels);
  return {bytes.begin(), bytes.end()};
}

inline void put_all(const std::filesystem::path& folder, const NamedFiles& files) {
  for (const auto& [name, content] : files) put(folder / name, content);
}

// `coarse` is empty, or has CIFAR-100's first label of each record.
inline std::string binary_batch(const CifarBatch& batch, const std::vector<int64_t>& coarse) {
  std::string file;
  for (size_t i = 0; i < batch.labels.size(); ++i) {
    if (!coarse.empty()) file += static_cast<char>(coarse[i]);
    file += static_cast<char>(batch.labels[i]) + cifar_pixels(batch.number, i);
  }
  return file;
}

// The opcodes in which the dialects differ.
struct PickleWriter {
  Dialect dialect;

  [[nodiscard]] static std::string unicode(const std::string& utf8) {
    return "X" + le(static_cast<uint32_t>(utf8.size())) + utf8;
  }
  // What Python 2 calls str.
  [[nodiscard]] std::string bytes(const std::string& content) const {
    const auto size = static_cast<uint32_t>(content.size());
    if (dialect == Dialect::kPython2)
      return content.size() < 256 ? "U" + le(static_cast<uint8_t>(size)) + content
                                  : "T" + le(size) + content;
    if (dialect == Dialect::kText) return "B" + le(size) + content;
    // Protocol 2 has no bytes: they are Latin-1 text, encoded again by the reader.
    std::string utf8;
    for (const char c : content) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80)
        utf8 += c;
      else
        utf8 += {static_cast<char>(0xc0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3f))};
    }
    return "c_codecs\nencode\n" + unicode(utf8) + unicode("latin1") + "\x86R";
  }
  // Keys of the batch.
  [[nodiscard]] std::string key(const std::string& name) const {
    return dialect == Dialect::kText ? unicode(name) : bytes(name);
  }
  // Texts of numpy's own.
  [[nodiscard]] std::string text(const std::string& name) const {
    return dialect == Dialect::kPython2 ? bytes(name) : unicode(name);
  }
  [[nodiscard]] std::string global(const std::string& module, const std::string& name) const {
    if (dialect != Dialect::kText) return "c" + module + "\n" + name + "\n";
    return unicode(module) + unicode(name) + "\x93";
  }
  [[nodiscard]] static std::string integer(int64_t value) {
    if (value >= 0 && value < 256) return "K" + le(static_cast<uint8_t>(value));
    return "J" + le(static_cast<int32_t>(value));
  }

  [[nodiscard]] std::string array(const std::string& data, const std::string& type, int64_t rows,
                                  int64_t columns) const {
    const std::string core = dialect == Dialect::kPython2 ? "numpy.core" : "numpy._core";
    const std::string order = type == "u1" ? "|" : "<";
    return global(core + ".multiarray", "_reconstruct") + global("numpy", "ndarray") + integer(0) +
           "\x85" + bytes("b") + "\x87R(" + integer(1) + integer(rows) + integer(columns) + "\x86" +
           global("numpy", "dtype") + text(type) +
           (dialect == Dialect::kPython2 ? integer(0) + integer(1) : "\x89\x88") + "\x87R(" +
           integer(3) + text(order) + "NNN" + integer(-1) + integer(-1) + integer(0) + "tb" +
           "\x89" + bytes(data) + "tb";
  }
};

// `shape` may lie about the pixels, which stay those of the batch.
inline std::string pickled_batch(const CifarBatch& batch, const CifarLists& lists, Dialect dialect,
                                 std::vector<int64_t> shape = {}, const std::string& type = "u1") {
  const PickleWriter writer{dialect};
  std::string pixels;
  for (size_t i = 0; i < batch.labels.size(); ++i) pixels += cifar_pixels(batch.number, i);
  if (shape.empty()) shape = {static_cast<int64_t>(batch.labels.size()), 3072};
  std::string file = dialect == Dialect::kText ? "\x80\x04}(" : "\x80\x02}q\x01(";
  file += writer.key("batch_label") + writer.key("training batch 1 of 5");
  for (const auto& [name, labels] : lists) {
    file += writer.key(name) + "](";
    for (const int64_t label : labels) file += PickleWriter::integer(label);
    file += "e";
  }
  return file + writer.key("data") + writer.array(pixels, type, shape[0], shape[1]) +
         writer.key("filenames") + "](" + writer.key("a.png") + "eu.";
}

// Ten train images in five batches and three test images.
inline std::vector<std::pair<std::string, CifarBatch>> cifar10_batches() {
  return {{"data_batch_1", {1, {0, 1, 2}}}, {"data_batch_2", {2, {3, 4}}},
          {"data_batch_3", {3, {5}}},       {"data_batch_4", {4, {6, 7}}},
          {"data_batch_5", {5, {8, 9}}},    {"test_batch", {6, {9, 0, 5}}}};
}
inline NamedFiles cifar10_binary() {
  NamedFiles files;
  for (const auto& [name, batch] : cifar10_batches())
    files[name + ".bin"] = binary_batch(batch, {});
  return files;
}
inline NamedFiles cifar10_python(Dialect dialect) {
  NamedFiles files;
  for (const auto& [name, batch] : cifar10_batches())
    files[name] = pickled_batch(batch, {{"labels", batch.labels}}, dialect);
  files["batches.meta"] = "not read";
  return files;
}

inline NamedFiles cifar100_binary() {
  return {{"train.bin", binary_batch({1, {99, 0, 41}}, {19, 0, 8})},
          {"test.bin", binary_batch({6, {7, 98}}, {1, 19})}};
}
inline NamedFiles cifar100_python(Dialect dialect) {
  const auto batch = [&](const CifarBatch& b, const std::vector<int64_t>& coarse) {
    return pickled_batch(b, {{"fine_labels", b.labels}, {"coarse_labels", coarse}}, dialect);
  };
  return {{"train", batch({1, {99, 0, 41}}, {19, 0, 8})},
          {"test", batch({6, {7, 98}}, {1, 19})},
          {"meta", "not read"}};
}

// A ustar archive of folder/<name>, packed.
inline std::string tar_gz(const std::string& folder, const NamedFiles& files) {
  const auto member = [](const std::string& name, const std::string& content, char type) {
    std::string block = name;
    block.resize(100);
    block += std::string(
                 "0000644\0"
                 "0000000\0"
                 "0000000\0",
                 24) +
             fmt::format("{:011o}", content.size()) + '\0' + "00000000000" + '\0' + "        " +
             type;
    block.resize(257);
    block += std::string(
        "ustar\0"
        "00",
        8);
    block.resize(512);
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    block.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    return block + content + std::string((512 - content.size() % 512) % 512, '\0');
  };
  std::string archive = member(folder + "/", "", '5');
  for (const auto& [name, content] : files) archive += member(folder + "/" + name, content, '0');
  return gzip_file(archive + std::string(1024, '\0'));
}

}  // namespace spikenm::test
