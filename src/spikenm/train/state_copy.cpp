#include "spikenm/train/state_copy.h"

#include "spikenm/core/md5.h"
#include "spikenm/train/model_input.h"
#include "spikenm/train/tensor_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

namespace spikenm::train {
namespace {

class Copier : public nn::StateVisitor {
 public:
  StateCopy copy;  // its tensors are still the state's own
  std::vector<nn::NamedTensor> constants;

 protected:
  void on_tensor(const std::string& name, const at::Tensor& value) override {
    copy.tensors.push_back({name, value});
  }
  void on_constant(const std::string& name, const at::Tensor& value) override {
    constants.push_back({name, value});
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
    const at::ScalarType type = value.scalar_type();
    const StoredTensor& stored =
        find_tensor(file_, name, file_type(type), value.sizes().vec(), source_);
    read_.insert(name);

    const at::NoGradGuard no_grad;
    at::Tensor(value).copy_(read_tensor(file_, stored, type));
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
  std::vector<nn::NamedTensor>& tensors = copier.copy.tensors;
  copy_tensors(tensors);
  tensors.insert(tensors.end(), copier.constants.begin(), copier.constants.end());
  return std::move(copier.copy);
}

void load_state(const ShowState& show, const SafetensorsInput& file, const Json& values,
                const std::string& source) {
  Loader loader(file, values, source);
  show(loader);
  loader.reject_unread();
}

void load_part_of_state(const ShowState& show, const SafetensorsInput& file, const Json& values,
                        const std::string& source) {
  Loader loader(file, values, source);
  show(loader);
}

std::string hash_state(const ShowState& show) {
  Hasher hasher;
  show(hasher);
  return hasher.hash();
}

}  // namespace spikenm::train
