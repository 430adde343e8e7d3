#include "spikenm/core/md5.h"

#include <openssl/evp.h>

namespace spikenm {

std::string md5_hex(Bytes bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  SPIKENM_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_md5(), nullptr) == 1,
                "md5: this machine's OpenSSL refuses it");
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace spikenm
