// Numpy's .npy files: one array of numbers, or of records whose fields are numbers.
#pragma once

#include "spikenm/core/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::data {

// A number as numpy stores it. Sizes are 1, 2, 4 or 8 bytes; always 1 for 'b', never 1 for 'f'.
struct NpyType {
  char kind = 'V';  // 'b' bool, 'i' and 'u' integers, 'f' float; 'V': a record, or unused bytes
  int64_t item_size = 0;
  bool big_endian = false;
};

struct NpyField : NpyType {
  std::string name;
  int64_t offset = 0;  // in the record
};

struct NpyArray : NpyType {
  bool fortran_order = false;
  std::vector<int64_t> shape;
  std::vector<NpyField> fields;  // of a record; empty for plain numbers
  Bytes data;                    // numel() * item_size bytes, unaligned; the caller's memory

  [[nodiscard]] int64_t numel() const;
};

// Versions 1 to 3. An array of Python objects is refused: reading one would mean to execute it.
NpyArray parse_npy(Bytes bytes, std::string_view source);

// A type code such as "<i2", "|b1", "?" or ">f4"; without '<' or '>' it is little-endian. An Error
// for any other code begins with `source`.
NpyType parse_npy_type(std::string_view code, std::string_view source);

// Number of elements times item size, in bytes; -1 when a size is negative or the product
// overflows. An overflow of some of the sizes is found even if another size is 0.
int64_t npy_byte_count(const std::vector<int64_t>& shape, int64_t item_size);

// Values as T (int64_t, float or double), in row-major order. Booleans are 0 and 1. For int64_t a
// value that is not a whole number within its range is an Error; a float is rounded to what it can
// hold.
template <class T>
std::vector<T> npy_values(const NpyArray& array, std::string_view source);
// One field of an array of records.
template <class T>
std::vector<T> npy_field(const NpyArray& array, std::string_view field, std::string_view source);
// array[:, column] of a matrix.
template <class T>
std::vector<T> npy_column(const NpyArray& array, int64_t column, std::string_view source);

}  // namespace spikenm::data
