// What a pickle builds beside plain values: containers, and numpy's objects by the few names of
// constructors that are allowed.
#pragma once

#include "spikenm/data/formats/pickle.h"

namespace spikenm::data {

// A list, tuple or dict. One that lies in another is complete: it cannot change, and so no chain of
// containers leads back to itself.
struct PickleItems {
  enum class Kind { kList, kTuple, kDict };
  Kind kind = Kind::kList;
  std::vector<PickleValue> items;  // of a dict: key, value, key, value, …
  int depth = 1;                   // containers on the longest way down, this one included
  bool is_held = false;            // lies in another

  void add(PickleValue item, std::string_view source);
};

enum class PickleName : uint8_t {
  kReconstruct,  // an empty array, filled by a state
  kFromBuffer,   // a whole array
  kScalar,       // one number
  kArray,        // the class, as an argument
  kType,         // dtype
  kEncode,       // the bytes behind a string (how Python 3 writes bytes for Python 2)
  kBytes         // no bytes at all
};

// An Error names what is not allowed.
PickleName allowed_name(std::string_view module, std::string_view name, std::string_view source);

// What the constructor makes of its arguments. `budget` is how many bytes of text may still be
// made: a pickle that encodes each of its strings once makes fewer than it has.
PickleValue construct(PickleName name, const std::vector<PickleValue>& arguments, size_t& budget,
                      std::string_view source);

// Completes an array or a type made by construct().
void set_state(const PickleValue& object, const std::vector<PickleValue>& state,
               std::string_view source);

}  // namespace spikenm::data
