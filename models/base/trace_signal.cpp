#include "models/base/trace_signal.h"

#include <utility>

namespace kernbench {

TraceSignal::TraceSignal(std::string name, std::string description, SignalFormat format,
                         SignalGroup* group)
    : known_(format.type != SignalType::address && format.type != SignalType::id),
      name_(std::move(name)), description_(std::move(description)), format_(std::move(format)) {
  changes_.set_listener(group);
}

const std::vector<std::string>& TraceSignal::labels() const {
  static const std::vector<std::string> none;
  return format_.labels == nullptr ? none : *format_.labels;
}

}  // namespace kernbench
