// SpawnError: what the ranks of a spawn have thrown, by rank. Ranks that were only ended because of
// these are not in it.
#pragma once

#include <exception>
#include <map>
#include <string>

#include "models/base/errors.h"

namespace kernbench {

class SpawnError : public Error {
 public:
  explicit SpawnError(std::map<int, std::exception_ptr> causes);

  const std::map<int, std::exception_ptr>& causes() const { return causes_; }
  bool wrong_usage() const;  // all causes are errors of usage or configuration

 private:
  std::map<int, std::exception_ptr> causes_;
};

}  // namespace kernbench
