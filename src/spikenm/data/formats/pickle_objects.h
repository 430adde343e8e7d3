// What a pickle builds besides plain values: containers, and numpy's objects, by the names of the
// few allowed constructors.
#pragma once

#include "spikenm/data/formats/pickle.h"

namespace spikenm::data {

// A list, tuple or dict. After it is put into another container it must not change, so no container
// can contain itself, even through others.
struct PickleItems {
  enum class Kind { kList, kTuple, kDict };
  Kind kind = Kind::kList;
  std::vector<PickleValue> items;  // of a dict: key, value, key, value, …
  int depth = 1;                   // containers on the longest path down, including this one
  bool is_held = false;            // is in another container

  void add(PickleValue item, std::string_view source);
};

enum class PickleName : uint8_t {
  kReconstruct,  // an empty array, filled by a state
  kFromBuffer,   // a whole array
  kScalar,       // one number
  kArray,        // the class, as an argument
  kType,         // dtype
  kEncode,       // the bytes of a string (how Python 3 writes bytes for Python 2)
  kBytes         // empty bytes
};

// An Error names what is not allowed.
PickleName allowed_name(std::string_view module, std::string_view name, std::string_view source);

// The value that the constructor makes from its arguments. `budget` is the number of bytes of text
// that may still be made: a pickle that encodes each of its strings once makes fewer bytes than it
// has.
PickleValue construct(PickleName name, const std::vector<PickleValue>& arguments, size_t& budget,
                      std::string_view source);

// Completes an array or a type made by construct().
void set_state(const PickleValue& object, const std::vector<PickleValue>& state,
               std::string_view source);

}  // namespace spikenm::data
