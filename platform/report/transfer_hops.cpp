#include "platform/report/transfer_hops.h"

#include <algorithm>

#include "platform/observe/latency_parts.h"

namespace kernbench {

CollectedTransfers::CollectedTransfers(EventSource& events)
    : place_rows_(events.rows<PlaceRow>(), *this),
      transfer_rows_(events.rows<TransferRow>(), *this), hop_rows_(events.rows<HopRow>(), *this) {}

void CollectedTransfers::write(const PlaceRow& row) {
  places_.resize(std::max<std::size_t>(places_.size(), row.id));
  places_[row.id - 1] = row;
}

void CollectedTransfers::write(const TransferRow& row) {
  transfers_.push_back({row.initiator, row.issued, row.end, {}});
}

void CollectedTransfers::write(const HopRow& row) {
  if (transfers_.empty() || row.place == 0 || row.place > places_.size()) return;
  const PlaceRow& place = places_[row.place - 1];
  transfers_.back().hops.push_back({place.name, place.kind, row.part,
                                    row.part == name_of(LatencyPart::contention), row.start,
                                    row.end});
}

const std::vector<TransferHops>& CollectedTransfers::by_end() {
  std::stable_sort(transfers_.begin(), transfers_.end(),
                   [](const TransferHops& a, const TransferHops& b) { return a.end < b.end; });
  return transfers_;
}

TransfersByInitiator::TransfersByInitiator(const std::vector<TransferHops>* transfers) {
  if (transfers == nullptr) return;
  for (const TransferHops& transfer : *transfers) by_node_[transfer.node].push_back(&transfer);
}

const TransferHops* TransfersByInitiator::find(std::string_view node, Fs since, Fs end) const {
  const auto of_node = by_node_.find(node);
  if (of_node == by_node_.end()) return nullptr;
  const std::vector<const TransferHops*>& transfers = of_node->second;
  auto next = std::lower_bound(transfers.begin(), transfers.end(), end,
                               [](const TransferHops* a, Fs time) { return a->end < time; });
  const TransferHops* last = nullptr;
  for (; next != transfers.end() && (*next)->end == end; ++next) {
    if ((*next)->start < since || (last != nullptr && (*next)->start <= last->start)) continue;
    last = *next;
  }
  return last;
}

}  // namespace kernbench
