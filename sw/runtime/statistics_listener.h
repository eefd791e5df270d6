// StatisticsListener: whoever runs a host program and wants to know between which of its calls the
// machine's statistics are of interest (spec 11.3, torch.stats).
#pragma once

#include <string>

#include "models/base/units.h"

namespace kernbench {

class StatisticsListener {
 public:
  virtual ~StatisticsListener() = default;
  virtual void reset(Fs now) = 0;  // a region begins
  virtual void dump(const std::string& label,
                    Fs now) = 0;  // what has been counted in it so far; it goes on
};

}  // namespace kernbench
