// EXPECT_ERROR(statement, "part", …): the statement throws spikenm::Error whose one sentence holds
// every part.
#pragma once

#include "spikenm/core/error.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace spikenm::test {

template <class Body>
void expect_error(Body&& body, std::initializer_list<const char*> parts) {
  try {
    body();
  } catch (const Error& e) {
    const std::string message = e.what();
    for (const char* part : parts)
      EXPECT_NE(message.find(part), std::string::npos)
          << "message: " << message << "\nlacks: " << part;
    EXPECT_EQ(message.find('\n'), std::string::npos) << "not one line: " << message;
    return;
  }
  ADD_FAILURE() << "no Error was thrown";
}

}  // namespace spikenm::test

#define EXPECT_ERROR(statement, ...) \
  ::spikenm::test::expect_error([&] { (void)(statement); }, {__VA_ARGS__})
