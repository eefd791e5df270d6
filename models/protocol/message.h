// Base of the contents of a control message: host messages and their answers
// (models/protocol/host_messages.h), credits and faults.
#pragma once

namespace kernbench {

struct Message {
  virtual ~Message() = default;
};

}  // namespace kernbench
