#include "spikenm/train/state_copy.h"

#include "spikenm/core/md5.h"
#include "spikenm/ops/stream.h"
#include "spikenm/train/tensor_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace spikenm::train {
namespace {

// A copy where the tensor is; on the CPU if a GPU has no room for it.
at::Tensor copy_beside(const at::Tensor& tensor) {
  try {
    return tensor.clone();
  } catch (const c10::OutOfMemoryError&) {
    return tensor.cpu();
  }
}

class Copier : public nn::StateVisitor {
 public:
  StateCopy copy;

 protected:
  void on_tensor(const std::string& name, const at::Tensor& value) override {
    copy.tensors.push_back({name, copy_beside(value.detach())});
  }
  void on_value(const std::string& name, Json& value) override { copy.values[name] = value; }
};

class Loader : public nn::StateVisitor {
 public:
  Loader(const SafetensorsInput& file, const Json& values, std::string source)
      : file_(file), values_(values), source_(std::move(source)) {}

  [[nodiscard]] bool loads() const override { return true; }

  void reject_unread() const {
    for (const StoredTensor& t : file_.header().tensors)
      SPIKENM_CHECK(read_.contains(t.name), "{}: found a tensor '{}' that this run does not have",
                    source_, t.name);
    for (const auto& [name, value] : values_.items())
      SPIKENM_CHECK(read_.contains(name), "{}: found a value '{}' that this run does not have",
                    source_, name);
  }

 protected:
  void on_tensor(const std::string& name, const at::Tensor& value) override {
    const StoredTensor* const stored = file_.header().find(name);
    SPIKENM_CHECK(stored != nullptr, "{}: found no tensor '{}'", source_, name);
    const std::vector<int64_t> shape = value.sizes().vec();
    SPIKENM_CHECK(stored->dtype == file_type(value.scalar_type()) && stored->shape == shape,
                  "{}: tensor '{}': found {} [{}], wanted {} [{}]", source_, name, stored->dtype,
                  fmt::join(stored->shape, ","), file_type(value.scalar_type()),
                  fmt::join(shape, ","));
    read_.insert(name);

    const at::NoGradGuard no_grad;
    const std::vector<uint8_t> bytes = file_.bytes(*stored);
    const at::Tensor read = at::empty(shape, at::dtype(value.scalar_type()));
    if (!bytes.empty()) std::memcpy(read.mutable_data_ptr(), bytes.data(), bytes.size());
    at::Tensor(value).copy_(read);
  }

  void on_value(const std::string& name, Json& value) override {
    SPIKENM_CHECK(values_.contains(name), "{}: found no value '{}'", source_, name);
    read_.insert(name);
    value = values_[name];
  }

  [[nodiscard]] std::string source() const override { return source_; }

 private:
  const SafetensorsInput& file_;
  const Json& values_;
  std::string source_;
  std::set<std::string> read_;
};

class Hasher : public nn::StateVisitor {
 public:
  [[nodiscard]] std::string hash() const { return md5_hex(as_bytes(text_)); }

 protected:
  void on_tensor(const std::string& name, const at::Tensor& value) override {
    const at::Tensor flat = value.detach().cpu().contiguous();
    text_ += fmt::format("{} {} [{}] {}\n", name, file_type(flat.scalar_type()),
                         fmt::join(flat.sizes().vec(), ","), md5_hex(bytes_of(flat)));
  }
  void on_value(const std::string& name, Json& value) override {
    if (name.find("seconds") == std::string::npos)
      text_ += fmt::format("{} {}\n", name, value.dump());
  }

 private:
  std::string text_;
};

}  // namespace

StateCopy copy_state(const ShowState& show) {
  Copier copier;
  show(copier);
  // Another thread, with another stream, will read what the GPU has copied.
  const auto is_on_gpu = [](const nn::NamedTensor& t) { return t.tensor.is_cuda(); };
  const std::vector<nn::NamedTensor>& copied = copier.copy.tensors;
  if (std::any_of(copied.begin(), copied.end(), is_on_gpu)) ops::synchronize();
  return std::move(copier.copy);
}

void load_state(const ShowState& show, const SafetensorsInput& file, const Json& values,
                const std::string& source) {
  Loader loader(file, values, source);
  show(loader);
  loader.reject_unread();
}

std::string hash_state(const ShowState& show) {
  Hasher hasher;
  show(hasher);
  return hasher.hash();
}

}  // namespace spikenm::train
