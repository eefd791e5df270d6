// SpawnError: exceptions of the ranks of a spawn, by rank. Ranks that were only ended because of
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
  bool wrong_usage() const { return exit_status() == exit_usage; }
  int exit_status() const override;  // of wrong usage or configuration if all causes are that

 private:
  std::map<int, std::exception_ptr> causes_;
};

}  // namespace kernbench
