// SpawnError: exceptions of the ranks of a spawn, by rank. Ranks that were ended only because of
// these are not listed.
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
  bool wrong_usage() const { return exit_status() == exit_usage; }
  int exit_status() const override;  // usage or configuration status if all causes have it

 private:
  std::map<int, std::exception_ptr> causes_;
};

}  // namespace kernbench
