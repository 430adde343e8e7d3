#include "spikenm/core/md5.h"

#include "spikenm/core/interrupt.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace spikenm {
namespace {

class Md5 {
 public:
  Md5() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_md5(), nullptr) == 1);
  }
  void add(Bytes bytes) {
    check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }
  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1);
    std::string text;
    for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  static void check(bool good) { SPIKENM_CHECK(good, "md5: this machine's OpenSSL refuses it"); }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string md5_hex(Bytes bytes) {
  Md5 sum;
  sum.add(bytes);
  return sum.hex();
}

std::string md5_hex(const InputFile& file) {
  constexpr uint64_t kPiece = 1 << 20;
  Md5 sum;
  std::vector<uint8_t> piece;
  for (uint64_t done = 0; done < file.size(); done += piece.size()) {
    throw_if_interrupted("while " + file.path().string() + " was read");
    piece.resize(std::min(kPiece, file.size() - done));
    file.read(done, piece);
    sum.add(piece);
  }
  return sum.hex();
}

}  // namespace spikenm
