// What the files of the module share: its parts, and values that become arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace spikenm::python {

namespace nb = nanobind;

// Each adds its functions and classes to the module.
void bind_data(nb::module_& module);
void bind_files(nb::module_& module);
void bind_runtime(nb::module_& module);

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::c_contig>;
// An argument that is never converted: the Python side has checked type and layout and refuses by
// name what does not fit.
template <class T>
using Values = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

// The values as a NumPy array, without a copy.
template <class T>
Array<T> array_of(std::vector<T> values, const std::vector<int64_t>& shape) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  std::vector<size_t> sizes(shape.size());
  std::transform(shape.begin(), shape.end(), sizes.begin(),
                 [](int64_t n) { return static_cast<size_t>(n); });
  return Array<T>(kept->data(), sizes.size(), sizes.data(), owner);
}

}  // namespace spikenm::python
