// spikenm-train, the program with the commands that need torch.
#pragma once

namespace spikenm::cli {

// If the first word is a command that needs torch, spikenm-train takes the place of this process,
// with the same command line, process number and streams. An Error if it is not there.
void hand_over_to_training(int argc, char** argv);

}  // namespace spikenm::cli
