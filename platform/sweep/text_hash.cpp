#include "platform/sweep/text_hash.h"

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace kernbench {

std::string text_hash(const std::string& text) {
  // Namespace for names that are no URL, domain name or object identifier: the nil UUID.
  std::string hash = boost::uuids::to_string(
      boost::uuids::name_generator_sha1(boost::uuids::uuid{})(text.data(), text.size()));
  hash.erase(std::remove(hash.begin(), hash.end(), '-'), hash.end());
  return hash;
}

}  // namespace kernbench
