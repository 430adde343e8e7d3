#include "spikenm/data/formats/pickle.h"

#include "spikenm/data/formats/pickle_objects.h"
#include "spikenm/data/formats/pickle_reader.h"
#include "spikenm/data/formats/python_text.h"

#include <bit>
#include <unordered_map>

namespace spikenm::data {
namespace {

constexpr int kNewestProtocol = 5;
// Limits the memory of the stack, the memo and the containers together, up to 200 bytes per step. A
// CIFAR file has about 300 000 steps.
constexpr size_t kMaxSteps = size_t{1} << 21;

using Kind = PickleItems::Kind;

// A pickle is a program for a stack machine that builds one value. `memo_` holds the values that
// the program stores for later use, `marks_` the heights of the stack where open containers begin.
class Machine {
 public:
  Machine(Bytes bytes, std::string_view source)
      : reader_(bytes, source), source_(reader_.source()), budget_(bytes.size()) {}

  PickleValue run() {
    for (size_t step = 0; step < kMaxSteps; ++step) {
      const auto opcode = reader_.le<uint8_t>("an opcode");
      if (opcode == '.') {
        SPIKENM_CHECK(reader_.at_end(), "{}: {} bytes follow the pickle", source_, reader_.left());
        return pop();
      }
      if (do_scalar(opcode) || do_text(opcode) || do_container(opcode) || do_memo(opcode) ||
          do_object(opcode))
        continue;
      fail("{}: pickle opcode {:#04x} at byte {} is not one of plain data; nothing was executed",
           source_, opcode, reader_.offset() - 1);
    }
    fail("{}: found a pickle of more than {} steps, wanted at most {} (a fixed limit)", source_,
         kMaxSteps, kMaxSteps);
  }

 private:
  bool do_scalar(uint8_t opcode) {
    switch (opcode) {
      case 'N':
        return push(PickleValue());
      case 0x88:
        return push(PickleValue(true));
      case 0x89:
        return push(PickleValue(false));
      case 'K':
        return push_integer(reader_.le<uint8_t>("an integer"));
      case 'M':
        return push_integer(reader_.le<uint16_t>("an integer"));
      case 'J':
        return push_integer(reader_.le<int32_t>("an integer"));
      case 0x8a:
        return push_integer(reader_.long_integer(reader_.le<uint8_t>("a length")));
      case 0x8b:
        return push_integer(reader_.long_integer(reader_.le<uint32_t>("a length")));
      case 'G':
        return push(PickleValue(std::bit_cast<double>(reader_.be<uint64_t>("a float"))));
      case 'F':
        return push(PickleValue(reader_.number_in<double>(reader_.line())));
      case 'I': {
        const std::string_view text = reader_.line();
        if (text == "00" || text == "01") return push(PickleValue(text == "01"));
        return push_integer(reader_.number_in<int64_t>(text));
      }
      case 'L':
        return push_integer(reader_.number_in<int64_t>(reader_.line()));
      default:
        return false;
    }
  }

  bool do_text(uint8_t opcode) {
    switch (opcode) {
      case 'S':
        return push_text(unquote_python(reader_.line(), source_));
      case 'V':
        return push_text(utf8_of_escaped(reader_.line(), source_));
      case 'U':  // short str, short bytes, short unicode
      case 'C':
      case 0x8c:
        return push_bytes(reader_.le<uint8_t>("a length"));
      case 'T':  // str, bytes, unicode
      case 'B':
      case 'X':
        return push_bytes(reader_.le<uint32_t>("a length"));
      case 0x8d:  // unicode, bytes, bytearray
      case 0x8e:
      case 0x96:
        return push_bytes(reader_.le<uint64_t>("a length"));
      default:
        return false;
    }
  }

  bool do_container(uint8_t opcode) {
    switch (opcode) {
      case '(':
        return marks_.push_back(stack_.size()), true;
      case ']':
        return push_items(Kind::kList, stack_.size());
      case 'l':
        return push_items(Kind::kList, pop_mark());
      case ')':
        return push_items(Kind::kTuple, stack_.size());
      case 't':
        return push_items(Kind::kTuple, pop_mark());
      case 0x85:
        return push_items(Kind::kTuple, height_below(1));
      case 0x86:
        return push_items(Kind::kTuple, height_below(2));
      case 0x87:
        return push_items(Kind::kTuple, height_below(3));
      case '}':
        return push_items(Kind::kDict, stack_.size());
      case 'd':
        return push_items(Kind::kDict, pop_mark());
      case 'a':
        return add_items(Kind::kList, height_below(1));
      case 'e':
        return add_items(Kind::kList, pop_mark());
      case 's':
        return add_items(Kind::kDict, height_below(2));
      case 'u':
        return add_items(Kind::kDict, pop_mark());
      default:
        return false;
    }
  }

  bool do_memo(uint8_t opcode) {
    switch (opcode) {
      case 'q':
        return remember(reader_.le<uint8_t>("a memo index"));
      case 'r':
        return remember(reader_.le<uint32_t>("a memo index"));
      case 'p':
        return remember(reader_.number_in<uint64_t>(reader_.line()));
      case 0x94:
        return remember(memo_.size());
      case 'h':
        return recall(reader_.le<uint8_t>("a memo index"));
      case 'j':
        return recall(reader_.le<uint32_t>("a memo index"));
      case 'g':
        return recall(reader_.number_in<uint64_t>(reader_.line()));
      default:
        return false;
    }
  }

  bool do_object(uint8_t opcode) {
    switch (opcode) {
      case 0x80: {
        const auto protocol = reader_.le<uint8_t>("the protocol");
        SPIKENM_CHECK(protocol <= kNewestProtocol, "{}: pickle protocol {}, wanted 0 to {}",
                      source_, protocol, kNewestProtocol);
        return true;
      }
      case 0x95:
        return reader_.take(8, "the length of a frame"), true;
      case 'c': {
        const std::string_view module = reader_.line();
        return push(PickleValue(allowed_name(module, reader_.line(), source_)));
      }
      case 0x93: {
        const PickleValue name = pop(), module = pop();
        SPIKENM_CHECK(name.text() != nullptr && module.text() != nullptr,
                      "{}: damaged: asks for a Python name that is no text", source_);
        return push(PickleValue(allowed_name(*module.text(), *name.text(), source_)));
      }
      case 'R': {
        const PickleValue arguments = pop(), callee = pop();
        SPIKENM_CHECK(callee.name() != nullptr,
                      "{}: calls what cannot be called; nothing was executed", source_);
        return push(construct(*callee.name(), tuple(arguments), budget_, source_));
      }
      case 'b': {
        const PickleValue state = pop();
        return set_state(top(), tuple(state), source_), true;
      }
      default:
        return false;
    }
  }

  // Everything above `begin` becomes one container.
  bool push_items(Kind kind, size_t begin) {
    auto made = std::make_shared<PickleItems>();
    made->kind = kind;
    move_items(*made, begin);
    return push(PickleValue(std::move(made)));
  }

  // Everything above `begin` is added to the container below it.
  bool add_items(Kind kind, size_t begin) {
    SPIKENM_CHECK(begin > floor(), "{}: damaged: adds to a container that is not there", source_);
    const auto items = stack_[begin - 1].shared<PickleItems>();
    SPIKENM_CHECK(items != nullptr && items->kind == kind, "{}: damaged: adds to what is no {}",
                  source_, kind == Kind::kList ? "list" : "dict");
    move_items(*items, begin);
    return true;
  }

  void move_items(PickleItems& to, size_t begin) {
    SPIKENM_CHECK(to.kind != Kind::kDict || (stack_.size() - begin) % 2 == 0,
                  "{}: damaged: a dict has a key without a value", source_);
    for (size_t i = begin; i < stack_.size(); ++i) to.add(std::move(stack_[i]), source_);
    stack_.resize(begin);
  }

  bool push(PickleValue value) { return stack_.push_back(std::move(value)), true; }
  bool push_integer(int64_t value) { return push(PickleValue(value)); }
  bool push_text(std::string text) {
    return push(PickleValue(std::make_shared<const std::string>(std::move(text))));
  }
  bool push_bytes(uint64_t size) {
    return push_text(std::string(as_text(reader_.take(size, "text"))));
  }

  // The stack's height at the last mark: values below it belong to an outer container.
  [[nodiscard]] size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  [[nodiscard]] size_t height_below(size_t n_values) const {
    SPIKENM_CHECK(stack_.size() - floor() >= n_values,
                  "{}: damaged: takes more values than there are", source_);
    return stack_.size() - n_values;
  }
  const PickleValue& top() const { return stack_[height_below(1)]; }
  PickleValue pop() {
    PickleValue value = top();
    stack_.pop_back();
    return value;
  }
  size_t pop_mark() {
    SPIKENM_CHECK(!marks_.empty(), "{}: damaged: ends a container that was not begun", source_);
    const size_t begin = marks_.back();
    marks_.pop_back();
    return begin;
  }

  bool remember(uint64_t index) { return memo_[index] = top(), true; }
  bool recall(uint64_t index) {
    const auto it = memo_.find(index);
    SPIKENM_CHECK(it != memo_.end(), "{}: damaged: nothing is remembered as {}", source_, index);
    return push(it->second);
  }

  const std::vector<PickleValue>& tuple(const PickleValue& value) const {
    const auto& items = value.shared<PickleItems>();
    SPIKENM_CHECK(items != nullptr && items->kind == Kind::kTuple,
                  "{}: damaged: wanted a tuple of arguments", source_);
    return items->items;
  }

  PickleReader reader_;
  const std::string& source_;
  std::vector<PickleValue> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PickleValue> memo_;
  size_t budget_;
};

}  // namespace

const std::string* PickleValue::text() const {
  return shared<const std::string>().get();
}

const std::vector<PickleValue>* PickleValue::items() const {
  const auto items = shared<PickleItems>();
  return items == nullptr || items->kind == Kind::kDict ? nullptr : &items->items;
}

const PickleArray* PickleValue::array() const {
  return shared<PickleArray>().get();
}

const PickleValue* PickleValue::get(std::string_view key) const {
  const auto dict = shared<PickleItems>();
  if (dict == nullptr || dict->kind != Kind::kDict) return nullptr;
  // The last of several equal keys counts, as in Python.
  for (size_t i = dict->items.size(); i >= 2; i -= 2) {
    const std::string* text = dict->items[i - 2].text();
    if (text != nullptr && *text == key) return &dict->items[i - 1];
  }
  return nullptr;
}

PickleValue parse_pickle(Bytes bytes, std::string_view source) {
  return Machine(bytes, source).run();
}

}  // namespace spikenm::data
