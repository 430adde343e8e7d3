// writer FOLDER: changes every file of the folder with the functions of core/file.h.
#include "old_and_new.h"

#include "spikenm/core/error.h"
#include "spikenm/core/say.h"

int main(int, char** arguments) {
  try {
    spikenm::faults::write_new(arguments[1]);
    return 0;
  } catch (const spikenm::Error& e) {
    spikenm::say(e.what());
    return 1;
  }
}
