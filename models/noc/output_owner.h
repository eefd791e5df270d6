// Nodes whose outputs allocate virtual channels and use credits themselves, instead of a
// CreditedOutput for each (credited_output.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/base/units.h"
#include "models/protocol/fabric_buffers.h"

namespace kernbench {

// Far end of an output.
struct Downstream {
  std::string name;
  InputBuffer buffer;
  std::uint32_t classes = 1;  // of messages; each with virtual channels of its own
};

// A node whose outputs allocate virtual channels and use credits themselves (vc_router.h).
class OutputOwner {
 public:
  // Buffer of the output that add_output() has returned last, to a link that carries bw_gbs.
  virtual std::unique_ptr<BufferedOutput> make_output(FabricInitiatorSocket& output,
                                                      Downstream downstream, const Rational& bw_gbs,
                                                      std::uint32_t flit_bytes) = 0;

 protected:
  ~OutputOwner() = default;
};

}  // namespace kernbench
