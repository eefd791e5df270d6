// TransferWatch: lets several observers follow the transfers of one machine; its links, nodes and
// payload pool each tell one. A machine without a watch pays nothing.
#pragma once

#include <vector>

#include "models/noc/link.h"
#include "models/protocol/fabric_node.h"
#include "platform/assembly/platform.h"

namespace kernbench {

// From the initiator to the target, on whichever leg the transfer is.
inline const Path& way_of(const RouteExtension& route) {
  return route.leg == Leg::request ? *route.path : route.path->reverse();
}

class TransferListener {
 public:
  virtual ~TransferListener() = default;
  virtual void carried(const Link& /*link*/, const Transaction& /*transaction*/, FlitRun /*run*/,
                       Fs /*start*/, Fs /*end*/) {}
  virtual void passed(const FabricNode& /*node*/, const Arrival& /*arrival*/, Fs /*start*/) {}
  // Nobody will hear of it again. It may have ended earlier: whoever issued it may have kept it.
  virtual void ended(const Transaction& /*transaction*/) {}
};

class TransferWatch final : private LinkListener,
                            private PassageListener,
                            private TransactionEndListener {
 public:
  // Becomes the observer of every link, every node and the pool. Outlives the run, as its listeners
  // do, but not the platform.
  explicit TransferWatch(Platform& platform);
  ~TransferWatch();
  TransferWatch(const TransferWatch&) = delete;
  TransferWatch& operator=(const TransferWatch&) = delete;

  // They are told in the order in which they were added.
  void add(TransferListener& listener) { listeners_.push_back(&listener); }

 private:
  void carried(const Link& link, const Transaction& transaction, FlitRun run, Fs start,
               Fs end) override;
  void passed(const FabricNode& node, const Arrival& arrival, Fs start) override;
  void given_back(const Transaction& transaction) override;

  static void observe(Platform& platform, TransferWatch* watch);

  Platform& platform_;
  std::vector<TransferListener*> listeners_;
};

}  // namespace kernbench
