#include "spikenm/data/formats/npy.h"

#include "spikenm/data/formats/member_name.h"
#include "spikenm/data/formats/npy_convert.h"

#include <algorithm>
#include <charconv>

namespace spikenm::data {
namespace {

// The header: a Python dict literal of the three keys numpy writes, and nothing more.
//   {'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }
//   {'descr': [('x', '<i2'), ('', '|V2'), ('t', '<i8')], 'fortran_order': False, 'shape': (9,), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  NpyArray parse() {
    NpyArray array;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      bool* seen = key == "descr"           ? &has_type
                   : key == "fortran_order" ? &has_order
                   : key == "shape"         ? &has_shape
                                            : nullptr;
      SPIKENM_CHECK(seen != nullptr && !*seen, "{}: the npy header has a key '{}' too many",
                    source_, excerpt(key));
      *seen = true;
      expect(':');
      if (seen == &has_type) parse_type(array);
      if (seen == &has_order) array.fortran_order = boolean();
      if (seen == &has_shape) parse_shape(array);
      if (!accept(',')) expect('}', /*take=*/false);
    }

    if (!at_end()) refuse("its end");
    SPIKENM_CHECK(has_type && has_order && has_shape,
                  "{}: the npy header lacks descr, fortran_order or shape", source_);
    return array;
  }

 private:
  void parse_type(NpyArray& array) {
    if (!accept('[')) {
      static_cast<NpyType&>(array) = parse_npy_type(quoted(), source_);
      SPIKENM_CHECK(array.kind != 'V', "{}: holds bytes of no type, wanted numbers", source_);
      return;
    }

    while (!accept(']')) {
      expect('(');
      NpyField field;
      field.name = quoted();
      expect(',');
      static_cast<NpyType&>(field) = parse_npy_type(quoted(), source_);
      expect(')');
      field.offset = array.item_size;
      array.item_size += field.item_size;
      add_field(array, std::move(field));
      if (!accept(',')) expect(']', /*take=*/false);
    }
    SPIKENM_CHECK(!array.fields.empty(), "{}: holds records without fields", source_);
  }

  void add_field(NpyArray& array, NpyField field) {
    if (field.kind == 'V') return;  // padding
    SPIKENM_CHECK(std::none_of(array.fields.begin(), array.fields.end(),
                               [&](const NpyField& other) { return other.name == field.name; }),
                  "{}: two fields are called '{}'", source_, excerpt(field.name));
    array.fields.push_back(std::move(field));
  }

  void parse_shape(NpyArray& array) {
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      int64_t size = -1;
      const auto [stop, error] = std::from_chars(text_.begin(), text_.end(), size);
      if (error != std::errc() || size < 0) refuse("a size");
      text_.remove_prefix(static_cast<size_t>(stop - text_.begin()));
      if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2's long
      array.shape.push_back(size);
      if (!accept(',')) expect(')', /*take=*/false);
    }
  }

  bool boolean() {
    skip_spaces();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    refuse("True or False");
  }

  std::string quoted() {
    skip_spaces();
    if (!text_.starts_with('\'') && !text_.starts_with('"')) refuse("a quoted text");
    const size_t end = text_.find(text_.front(), 1);
    if (end == text_.npos) refuse("a closing quote");
    const std::string value(text_.substr(1, end - 1));
    if (value.find('\\') != value.npos) refuse("a text without a backslash");
    text_.remove_prefix(end + 1);
    return value;
  }

  void skip_spaces() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size()));
  }
  bool at_end() {
    skip_spaces();
    return text_.empty();
  }
  bool accept(char c) {
    skip_spaces();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c, bool take = true) {
    skip_spaces();
    if (!text_.starts_with(c)) refuse(fmt::format("'{}'", c));
    if (take) text_.remove_prefix(1);
  }
  [[noreturn]] void refuse(std::string_view wanted) const {
    fail("{}: the npy header has '{}' where {} is wanted", source_, excerpt(text_.substr(0, 24)),
         wanted);
  }

  std::string_view text_;
  std::string_view source_;
};

// Reorders values from column-major order (first index fastest) to row-major (last index fastest).
template <class T>
std::vector<T> row_major(const std::vector<T>& values, const std::vector<int64_t>& shape) {
  std::vector<T> out;
  out.reserve(values.size());
  std::vector<int64_t> strides, index(shape.size(), 0);
  for (int64_t stride = 1; const int64_t size : shape) {
    strides.push_back(stride);
    stride *= size;
  }

  for (int64_t at = 0; out.size() < values.size();) {
    out.push_back(values[static_cast<size_t>(at)]);
    for (size_t axis = shape.size(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

template <class T>
std::vector<T> in_row_major(std::vector<T> values, const NpyArray& array) {
  const bool flat = !array.fortran_order || array.shape.size() < 2;
  return flat ? std::move(values) : row_major(values, array.shape);
}

// All numbers of the array; the data must have been checked against the shape.
Strided all_of(const NpyArray& array) {
  SPIKENM_ASSERT(npy_byte_count(array.shape, array.item_size) ==
                 static_cast<int64_t>(array.data.size()));
  return {array, array.data.data(), array.numel(), array.item_size};
}

constexpr uint32_t kMaxHeader = 1 << 16;  // numpy warns above 10000

// Magic "\x93NUMPY", major and minor version, the header's length, the header.
std::string_view take_header(ByteReader& reader) {
  const std::string_view magic = as_text(reader.take(6, "the npy magic"));
  SPIKENM_CHECK(magic == "\x93NUMPY", "{}: not an npy file: it does not begin with \\x93NUMPY",
                reader.source());
  const auto major = reader.le<uint8_t>("the npy version");
  const auto minor = reader.le<uint8_t>("the npy version");
  SPIKENM_CHECK(1 <= major && major <= 3 && minor == 0, "{}: npy version {}.{}, wanted 1.0 to 3.0",
                reader.source(), major, minor);
  const uint32_t size = major == 1 ? reader.le<uint16_t>("the npy header's length")
                                   : reader.le<uint32_t>("the npy header's length");
  SPIKENM_CHECK(size <= kMaxHeader,
                "{}: found an npy header of {} bytes, wanted at most {} (a fixed limit)",
                reader.source(), size, kMaxHeader);
  return as_text(reader.take(size, "the npy header"));
}

}  // namespace

int64_t NpyArray::numel() const {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

int64_t npy_byte_count(const std::vector<int64_t>& shape, int64_t item_size) {
  int64_t bytes = item_size;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(1, size), &bytes)) return -1;
    empty = empty || size == 0;
  }
  return empty ? 0 : bytes;
}

NpyType parse_npy_type(std::string_view code, std::string_view source) {
  const std::string shown = excerpt(code);
  NpyType type;
  type.big_endian = code.starts_with('>');
  if (!code.empty() && std::string_view("<>|=").find(code.front()) != code.npos)
    code.remove_prefix(1);
  if (code == "?") code = "b1";
  SPIKENM_CHECK(!code.starts_with('O'),
                "{}: holds Python objects (type '{}'), which could only be read by executing them; "
                "wanted numbers",
                source, shown);

  const auto is_size = [&](std::initializer_list<int64_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), type.item_size) != sizes.end();
  };
  const std::string_view digits = code.substr(std::min<size_t>(1, code.size()));
  const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), type.item_size);
  type.kind = code.empty() ? ' ' : code.front();
  const bool sized = error == std::errc() && stop == digits.end();
  const bool known = type.kind == 'V'   ? type.item_size >= 0 && type.item_size <= INT32_MAX
                     : type.kind == 'b' ? is_size({1})
                     : type.kind == 'f' ? is_size({2, 4, 8})
                     : type.kind == 'i' || type.kind == 'u' ? is_size({1, 2, 4, 8})
                                                            : false;

  SPIKENM_CHECK(sized && known,
                "{}: holds values of type '{}', wanted booleans, integers or floats of at most 8 "
                "bytes",
                source, shown);
  return type;
}

NpyArray parse_npy(Bytes bytes, std::string_view source) {
  ByteReader reader(bytes, source);
  NpyArray array = HeaderParser(take_header(reader), source).parse();
  const int64_t wanted = npy_byte_count(array.shape, array.item_size);
  SPIKENM_CHECK(wanted >= 0, "{}: its shape multiplies to more than a file can hold", source);
  SPIKENM_CHECK(reader.left() == static_cast<uint64_t>(wanted),
                "{}: {} bytes follow the npy header, wanted {}{}", source, reader.left(), wanted,
                reader.left() < static_cast<uint64_t>(wanted) ? ": cut file" : "");
  array.data = reader.take(reader.left(), "the data");
  return array;
}

template <class T>
std::vector<T> npy_values(const NpyArray& array, std::string_view source) {
  return in_row_major(convert<T>(all_of(array), source), array);
}

template <class T>
std::vector<T> npy_field(const NpyArray& array, std::string_view field, std::string_view source) {
  const auto it = std::find_if(array.fields.begin(), array.fields.end(),
                               [&](const NpyField& each) { return each.name == field; });
  SPIKENM_CHECK(it != array.fields.end(), "{}: its records have no field '{}'", source, field);
  Strided values = all_of(array);
  values.type = *it;
  values.begin += values.count > 0 ? it->offset : 0;
  return in_row_major(convert<T>(values, source), array);
}

template <class T>
std::vector<T> npy_column(const NpyArray& array, int64_t column, std::string_view source) {
  SPIKENM_CHECK(array.shape.size() == 2 && 0 <= column && column < array.shape[1],
                "{}: found shape ({}), wanted a matrix with a column {}", source,
                fmt::join(array.shape, ","), column);
  Strided values = all_of(array);
  values.count = array.shape[0];
  if (values.count == 0) return {};
  const int64_t item = array.item_size;
  values.begin += column * item * (array.fortran_order ? values.count : 1);
  values.stride = item * (array.fortran_order ? 1 : array.shape[1]);
  return convert<T>(values, source);
}

template std::vector<int64_t> npy_values<int64_t>(const NpyArray&, std::string_view);
template std::vector<float> npy_values<float>(const NpyArray&, std::string_view);
template std::vector<double> npy_values<double>(const NpyArray&, std::string_view);
template std::vector<int64_t> npy_field<int64_t>(const NpyArray&, std::string_view,
                                                 std::string_view);
template std::vector<float> npy_field<float>(const NpyArray&, std::string_view, std::string_view);
template std::vector<double> npy_field<double>(const NpyArray&, std::string_view, std::string_view);
template std::vector<int64_t> npy_column<int64_t>(const NpyArray&, int64_t, std::string_view);
template std::vector<float> npy_column<float>(const NpyArray&, int64_t, std::string_view);
template std::vector<double> npy_column<double>(const NpyArray&, int64_t, std::string_view);

}  // namespace spikenm::data
