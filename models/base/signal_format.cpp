#include "models/base/signal_format.h"

#include <cstddef>

namespace kernbench {

std::string_view name_of(SignalType type) {
  switch (type) {
    case SignalType::flag:
      return "flag";
    case SignalType::count:
      return "count";
    case SignalType::bytes:
      return "bytes";
    case SignalType::address:
      return "address";
    case SignalType::id:
      return "id";
    case SignalType::time:
      return "time";
    case SignalType::enumeration:
      return "enumeration";
  }
  return "";
}

SignalFormat SignalFormat::enumeration(Labels shared) {
  unsigned width = 1;
  while (width < 64 && shared->size() > (std::size_t{1} << width)) ++width;
  return {SignalType::enumeration, width, "", std::move(shared)};
}

}  // namespace kernbench
