#include "platform/observe/transfer_watch.h"

namespace kernbench {

TransferWatch::TransferWatch(Platform& platform) : platform_(platform) { observe(platform, this); }

TransferWatch::~TransferWatch() { observe(platform_, nullptr); }

void TransferWatch::observe(Platform& platform, TransferWatch* watch) {
  for (NodeId id = 0; id < platform.graph().nodes().size(); ++id) {
    if (auto* node = dynamic_cast<FabricNode*>(&platform.component(id)))
      node->observe_passages(watch);
  }
  for (const MachineModules::LinkInstance& entry : platform.links()) entry.link->observe(watch);
  platform.pool().observe(watch);
}

void TransferWatch::carried(const Link& link, const Transaction& transaction, FlitRun run, Fs start,
                            Fs end) {
  for (TransferListener* listener : listeners_)
    listener->carried(link, transaction, run, start, end);
}

void TransferWatch::passed(const FabricNode& node, const Arrival& arrival, Fs start) {
  for (TransferListener* listener : listeners_) listener->passed(node, arrival, start);
}

void TransferWatch::given_back(const Transaction& transaction) {
  for (TransferListener* listener : listeners_) listener->ended(transaction);
}

}  // namespace kernbench
