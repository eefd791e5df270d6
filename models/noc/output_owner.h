// Nodes that make their buffered outputs themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/base/units.h"
#include "models/protocol/fabric_buffers.h"

namespace kernbench {

// Receiver of an output, and the number of classes that divide its virtual channels.
struct Downstream {
  std::string name;
  InputBuffer buffer;
  std::uint32_t classes = 1;
};

// Node that allocates channels and uses credits itself (vc_router.h) instead of by a CreditedOutput
// for each output (credited_output.h).
class OutputOwner {
 public:
  // Buffered output of the output that add_output() has returned last, to a link that carries
  // bw_gbs.
  virtual std::unique_ptr<BufferedOutput> make_output(FabricInitiatorSocket& output,
                                                      Downstream downstream, const Rational& bw_gbs,
                                                      std::uint32_t flit_bytes) = 0;

 protected:
  ~OutputOwner() = default;
};

}  // namespace kernbench
