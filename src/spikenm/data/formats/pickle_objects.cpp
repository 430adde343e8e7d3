#include "spikenm/data/formats/pickle_objects.h"

#include "spikenm/data/formats/member_name.h"
#include "spikenm/data/formats/python_text.h"

#include <algorithm>

namespace spikenm::data {
namespace {

constexpr int kMaxDepth = 64;

struct AllowedName {
  std::string_view module, name;
  PickleName meaning;
};

// numpy renamed its core in version 2; __builtin__ is from Python 2.
constexpr AllowedName kAllowed[] = {
    {"numpy.core.multiarray", "_reconstruct", PickleName::kReconstruct},
    {"numpy._core.multiarray", "_reconstruct", PickleName::kReconstruct},
    {"numpy.core.numeric", "_frombuffer", PickleName::kFromBuffer},
    {"numpy._core.numeric", "_frombuffer", PickleName::kFromBuffer},
    {"numpy.core.multiarray", "scalar", PickleName::kScalar},
    {"numpy._core.multiarray", "scalar", PickleName::kScalar},
    {"numpy", "ndarray", PickleName::kArray},
    {"numpy", "dtype", PickleName::kType},
    {"_codecs", "encode", PickleName::kEncode},
    {"__builtin__", "bytes", PickleName::kBytes},
    {"builtins", "bytes", PickleName::kBytes},
};

using Values = std::vector<PickleValue>;

const std::string& text_at(const Values& values, size_t index, std::string_view source) {
  const std::string* text = index < values.size() ? values[index].text() : nullptr;
  SPIKENM_CHECK(text != nullptr, "{}: damaged: wanted text as part {} of a numpy object", source,
                index);
  return *text;
}

const NpyType& type_at(const Values& values, size_t index, std::string_view source) {
  const NpyType* type = index < values.size() ? values[index].shared<NpyType>().get() : nullptr;
  SPIKENM_CHECK(type != nullptr, "{}: damaged: wanted a dtype as part {} of a numpy object", source,
                index);
  return *type;
}

std::vector<int64_t> shape_at(const Values& values, size_t index, std::string_view source) {
  const Values* sizes = index < values.size() ? values[index].items() : nullptr;
  std::vector<int64_t> shape;
  bool whole = sizes != nullptr;
  for (size_t i = 0; whole && i < sizes->size(); ++i) {
    const int64_t* size = (*sizes)[i].integer();
    whole = size != nullptr;
    if (whole) shape.push_back(*size);
  }
  SPIKENM_CHECK(whole, "{}: damaged: wanted a shape as part {} of a numpy object", source, index);
  return shape;
}

// Python 2 may write a flag as a number.
bool flag_at(const Values& values, size_t index, std::string_view source) {
  const bool* flag = index < values.size() ? values[index].boolean() : nullptr;
  const int64_t* number = index < values.size() ? values[index].integer() : nullptr;
  SPIKENM_CHECK(flag != nullptr || number != nullptr,
                "{}: damaged: wanted a flag as part {} of a numpy object", source, index);
  return flag != nullptr ? *flag : *number != 0;
}

// `values[index]` is the text whose bytes are the array's numbers.
PickleArray make_array(const NpyType& type, std::vector<int64_t> shape, bool fortran_order,
                       const Values& values, size_t index, std::string_view source) {
  text_at(values, index, source);
  PickleArray made;
  made.bytes = values[index].shared<const std::string>();
  static_cast<NpyType&>(made.array) = type;
  made.array.fortran_order = fortran_order;
  made.array.shape = std::move(shape);
  made.array.data = as_bytes(*made.bytes);
  SPIKENM_CHECK(
      npy_byte_count(made.array.shape, type.item_size) == static_cast<int64_t>(made.bytes->size()),
      "{}: damaged: an array of shape ({}) with {} bytes each lies in {} bytes", source,
      fmt::join(made.array.shape, ","), type.item_size, made.bytes->size());
  return made;
}

PickleValue make_type(const Values& arguments, std::string_view source) {
  const NpyType type = parse_npy_type(text_at(arguments, 0, source), source);
  SPIKENM_CHECK(type.kind != 'V', "{}: holds an array of records, wanted numbers", source);
  return PickleValue(std::make_shared<NpyType>(type));
}

PickleValue make_scalar(const Values& arguments, std::string_view source) {
  const NpyType& type = type_at(arguments, 0, source);
  const PickleArray one = make_array(type, {}, false, arguments, 1, source);
  if (type.kind == 'f') return PickleValue(npy_values<double>(one.array, source)[0]);
  const int64_t value = npy_values<int64_t>(one.array, source)[0];
  return type.kind == 'b' ? PickleValue(value != 0) : PickleValue(value);
}

PickleValue encode(const Values& arguments, size_t& budget, std::string_view source) {
  const std::string& text = text_at(arguments, 0, source);
  const std::string& encoding = text_at(arguments, 1, source);
  SPIKENM_CHECK(encoding == "latin1" || encoding == "latin-1",
                "{}: found text in encoding '{}', wanted latin1", source, excerpt(encoding));
  auto bytes = std::make_shared<const std::string>(latin1_of_utf8(text, source));
  SPIKENM_CHECK(bytes->size() <= budget, "{}: encodes more text than it holds", source);
  budget -= bytes->size();
  return PickleValue(std::move(bytes));
}

}  // namespace

void PickleItems::add(PickleValue item, std::string_view source) {
  SPIKENM_CHECK(!is_held, "{}: damaged: a container changes after it was put in another", source);
  if (const auto child = item.shared<PickleItems>()) {
    SPIKENM_CHECK(child.get() != this, "{}: a container holds itself", source);
    child->is_held = true;
    depth = std::max(depth, child->depth + 1);
    SPIKENM_CHECK(depth <= kMaxDepth, "{}: its containers are nested deeper than {}", source,
                  kMaxDepth);
  }
  items.push_back(std::move(item));
}

PickleName allowed_name(std::string_view module, std::string_view name, std::string_view source) {
  for (const AllowedName& allowed : kAllowed) {
    if (allowed.module == module && allowed.name == name) return allowed.meaning;
  }
  fail("{}: asks for Python's '{}.{}', wanted plain data and numpy arrays; nothing was executed",
       source, excerpt(module), excerpt(name));
}

PickleValue construct(PickleName name, const Values& arguments, size_t& budget,
                      std::string_view source) {
  switch (name) {
    case PickleName::kReconstruct: {
      const PickleName* of = arguments.empty() ? nullptr : arguments[0].name();
      SPIKENM_CHECK(of != nullptr && *of == PickleName::kArray,
                    "{}: found an object of another class, wanted numpy's ndarray", source);
      auto empty = std::make_shared<PickleArray>();
      empty->bytes = std::make_shared<const std::string>();
      static_cast<NpyType&>(empty->array) = {'u', 1, false};
      empty->array.shape = {0};
      return PickleValue(std::move(empty));
    }
    case PickleName::kFromBuffer: {
      const std::string& order = text_at(arguments, 3, source);
      SPIKENM_CHECK(order == "C" || order == "F", "{}: found array order '{}', wanted C or F",
                    source, excerpt(order));
      return PickleValue(std::make_shared<PickleArray>(
          make_array(type_at(arguments, 1, source), shape_at(arguments, 2, source), order == "F",
                     arguments, 0, source)));
    }
    case PickleName::kScalar:
      return make_scalar(arguments, source);
    case PickleName::kType:
      return make_type(arguments, source);
    case PickleName::kEncode:
      return encode(arguments, budget, source);
    case PickleName::kBytes:
      SPIKENM_CHECK(arguments.empty(), "{}: makes bytes of something, wanted none", source);
      return PickleValue(std::make_shared<const std::string>());
    case PickleName::kArray:
      break;
  }
  fail("{}: makes an array in a way that numpy does not", source);
}

// A type's state is (version, byte order, …); an array's (version, shape, type, is Fortran, bytes).
void set_state(const PickleValue& object, const Values& state, std::string_view source) {
  if (const auto& type = object.shared<NpyType>()) {
    const std::string& order = text_at(state, 1, source);
    SPIKENM_CHECK(order == "<" || order == ">" || order == "|" || order == "=",
                  "{}: found byte order '{}', wanted one of < > | =", source, excerpt(order));
    type->big_endian = order == ">";
  } else if (const auto& array = object.shared<PickleArray>()) {
    SPIKENM_CHECK(state.size() == 5, "{}: damaged: an array's state has {} parts, wanted 5", source,
                  state.size());
    *array = make_array(type_at(state, 2, source), shape_at(state, 1, source),
                        flag_at(state, 3, source), state, 4, source);
  } else {
    fail("{}: gives a state to what is no numpy object; nothing was executed", source);
  }
}

}  // namespace spikenm::data
