// The UAL end point of a SIP: a second way between SIPs, beside PCIe, over a link of its own to the
// switch (ADR-0003 D2).
//
// Timing: end_point.h. Nothing starts or ends here: the host uses PCIe, and no address names this
// node (spec 3.1). Not modelled: packets, credits and ordering rules of the link.
#pragma once

#include "models/io/end_point.h"

namespace kernbench {

class UalEp final : public EndPoint {
 public:
  static constexpr const char* description = "UAL end point of a SIP";
  static constexpr std::array roles{Role::ual_ep};
  explicit UalEp(const ComponentInit& init) : EndPoint(init) {
    add_statistic("passed", "messages passed through", Quantity::count, passed());
  }
};

}  // namespace kernbench
