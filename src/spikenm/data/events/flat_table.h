// A table in a FlatBuffer, read in place with every offset checked. Layout: u32 place of the root
// table, 4 letters of identifier. A table begins with an i32: its place minus the place of its
// vtable. A vtable is u16 its size, u16 the table's size, then for each field a u16 place in the
// table, 0: absent.
#pragma once

#include "spikenm/core/bytes.h"

namespace spikenm::data {

class FlatTable {
 public:
  // The root table of a buffer that begins with its own u32 size; the rest of `bytes` is ignored.
  FlatTable(Bytes bytes, std::string_view identifier, std::string_view source) : source_(source) {
    bytes_ = bytes;
    bytes_ = range(4, number<uint32_t>(0));
    SPIKENM_CHECK(bytes_.size() >= 8 && as_text(bytes_.subspan(4, 4)) == identifier,
                  "{}: found no FlatBuffer '{}' where one should begin", source_, identifier);
    table_ = number<uint32_t>(0);
    vtable_ = static_cast<uint64_t>(static_cast<int64_t>(table_) - number<int32_t>(table_));
  }

  // A field that is a number.
  template <class T>
  [[nodiscard]] T get(size_t field, T fallback) const {
    const uint64_t at = place(field);
    return at == 0 ? fallback : number<T>(at);
  }

  // A field that is text, or a vector of items of `item_size` bytes; empty when absent.
  [[nodiscard]] Bytes get_vector(size_t field, size_t item_size) const {
    uint64_t at = place(field);
    if (at == 0) return {};
    at += number<uint32_t>(at);
    return range(at + 4, uint64_t{number<uint32_t>(at)} * item_size);
  }

 private:
  // `n` bytes at `at`. They do not wrap: both are sums of few 32-bit numbers, or `at` is a negative
  // number as uint64_t.
  [[nodiscard]] Bytes range(uint64_t at, uint64_t n) const {
    SPIKENM_CHECK(at <= bytes_.size() && n <= bytes_.size() - at,
                  "{}: broken FlatBuffer: found an offset {} and length {} in {} bytes", source_,
                  at, n, bytes_.size());
    return bytes_.subspan(at, n);
  }
  template <class T>
  [[nodiscard]] T number(uint64_t at) const {
    return load_le<T>(range(at, sizeof(T)).data());
  }
  // 0 when the table has no such field.
  [[nodiscard]] uint64_t place(size_t field) const {
    const uint64_t slot = 4 + 2 * field;
    if (slot + 2 > number<uint16_t>(vtable_)) return 0;
    const uint16_t offset = number<uint16_t>(vtable_ + slot);
    return offset == 0 ? 0 : table_ + offset;
  }

  Bytes bytes_;
  std::string_view source_;
  uint64_t table_ = 0, vtable_ = 0;
};

}  // namespace spikenm::data
