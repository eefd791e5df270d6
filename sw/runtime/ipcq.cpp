#include "sw/runtime/ipcq.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "models/base/group_similar_messages.h"
#include "sw/runtime/device_memory.h"

namespace kernbench {
namespace {

// Base of rings that are not limited by a memory: dies 21 to 31 of SIP 15, 44 TiB outside all
// memories (spec 3.1).
constexpr std::uint64_t unlimited_base = std::uint64_t{15} << 47 | std::uint64_t{21} << 42;
constexpr std::uint64_t unlimited_end = std::uint64_t{1} << 51;

void check(const IpcqSettings& options) {
  const auto refuse = [](const std::string& what) {
    throw UsageError(fmt::format("torch.ipcq.install: {}", what));
  };
  if (options.n_slots == 0) refuse("n_slots is 0, allowed is at least 1");
  if (options.slot_size == 0) refuse("slot_size is 0 bytes, allowed is at least 1");
  if (options.slot_size >= std::uint64_t{1} << 32 || options.n_slots > 1U << 20)
    refuse(fmt::format("{} slots of {} bytes are too many", options.n_slots, options.slot_size));
  if (options.ipcq_credit_size_bytes == 0) refuse("credit_size is 0 bytes, allowed is at least 1");
  if (!(options.poll_ns > Rational(0)))
    refuse(fmt::format("poll_ns is {}, allowed is more than 0", options.poll_ns.str()));
  if (options.vc_chunk_size && *options.vc_chunk_size == 0)
    refuse("vc_chunk_size is 0 bytes, allowed is at least 1");
}

void check_pe(const MachineDescription& machine, PeId pe) {
  if (pe.sip >= 0 && pe.sip < machine.sips && pe.cube >= 0 && pe.cube < machine.cubes() &&
      pe.pe >= 0 && pe.pe < machine.pes)
    return;
  throw UsageError(fmt::format(
      "torch.ipcq.install: the graph has {}; the machine has {} SIPs of {} cubes of {} PEs",
      pe.str(), machine.sips, machine.cubes(), machine.pes));
}

// No two rings may overlap: messages are identified by the address of their slot.
void check_disjoint(std::vector<IpcqRing> rings) {
  std::sort(rings.begin(), rings.end(),
            [](const IpcqRing& a, const IpcqRing& b) { return a.base < b.base; });
  for (std::size_t i = 1; i < rings.size(); ++i) {
    if (rings[i - 1].base + rings[i - 1].nbytes <= rings[i].base) continue;
    throw ModelError(fmt::format("the rings of {} '{}' and {} '{}' overlap",
                                 rings[i - 1].end.pe.str(), rings[i - 1].end.direction,
                                 rings[i].end.pe.str(), rings[i].end.direction));
  }
}

std::map<PeId, IpcqQueuePairs> queue_pairs_of(const std::vector<IpcqRing>& rings,
                                              std::uint64_t slot_size) {
  std::map<std::pair<PeId, std::string>, std::uint64_t> bases;
  for (const IpcqRing& ring : rings) bases[{ring.end.pe, ring.end.direction}] = ring.base;
  std::map<PeId, IpcqQueuePairs> pairs;
  for (const IpcqRing& ring : rings) {  // by (PE, direction)
    const QueuePairEnd& end = ring.end;
    pairs[end.pe].push_back({end.direction, end.peer, end.peer_direction, ring.base,
                             bases.at({end.peer, end.peer_direction}),
                             static_cast<std::uint32_t>(ring.nbytes / slot_size)});
  }
  return pairs;
}

// Order of all lists of rings: by (PE, direction).
bool in_order(const IpcqRing& a, const IpcqRing& b) {
  return std::tie(a.end.pe, a.end.direction) < std::tie(b.end.pe, b.end.direction);
}

std::vector<IpcqRing> merged(const std::vector<IpcqRing>& a, const std::vector<IpcqRing>& b) {
  std::vector<IpcqRing> all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all), &in_order);
  return all;
}

bool operator==(const IpcqSettings& a, const IpcqSettings& b) {
  const auto fields = [](const IpcqSettings& each) {
    return std::tie(each.buffer_kind, each.n_slots, each.slot_size, each.backpressure, each.poll_ns,
                    each.ipcq_credit_size_bytes, each.vc_chunk_size, each.ring_capacity_check);
  };
  return fields(a) == fields(b);
}

}  // namespace

class IpcqInstallation::Turn {
 public:
  explicit Turn(IpcqInstallation& rings) : rings_(rings) {
    while (rings_.busy_)
      rings_.link_.port().wait(rings_.turn_ended_, "an installation of ring buffers");
    rings_.busy_ = true;
  }
  ~Turn() {
    rings_.busy_ = false;
    rings_.turn_ended_.notify(sc_core::SC_ZERO_TIME);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  IpcqInstallation& rings_;
};

// `others` are already installed and unchanged.
std::vector<IpcqRing> IpcqInstallation::reserve(const std::vector<QueuePairEnd>& ends,
                                                const IpcqSettings& options,
                                                const std::vector<IpcqRing>& others) {
  const std::uint64_t nbytes = options.ring_bytes();
  std::uint64_t unlimited = unlimited_base;  // after all other rings
  for (const IpcqRing& ring : others) unlimited = std::max(unlimited, ring.base + ring.nbytes);
  std::vector<IpcqRing> rings;
  try {
    for (const QueuePairEnd& end : ends) {
      check_pe(link_.port().machine(), end.pe);
      std::uint64_t base = unlimited + rings.size() * nbytes;
      if (options.ring_capacity_check) {
        base = memory_.reserve(options.buffer_kind, end.pe, nbytes);
      } else if (base + nbytes > unlimited_end) {
        throw AllocationError("they take more than all addresses without a memory");
      }
      rings.push_back({end, base, nbytes});
    }
    check_disjoint(rings);
  } catch (const AllocationError& error) {
    const PeId pe = ends[rings.size()].pe;
    give_back(rings, options);
    throw AllocationError(
        fmt::format("torch.ipcq.install: rings of {} slots of {} bytes do not fit: {}{}",
                    options.n_slots, options.slot_size, error.what(), text_of_rings(pe)));
  } catch (...) {
    give_back(rings, options);
    throw;
  }
  return rings;
}

void IpcqInstallation::give_back(const std::vector<IpcqRing>& rings, const IpcqSettings& options) {
  if (!options.ring_capacity_check) return;
  for (const IpcqRing& ring : rings)
    memory_.give_back(options.buffer_kind, ring.end.pe, ring.base, ring.nbytes);
}

std::string IpcqInstallation::text_of_rings(PeId pe) const {
  struct Held {
    std::size_t rings = 0;
    std::uint64_t nbytes = 0;
  };
  std::map<std::string, Held> groups;  // by the scope of their directions
  for (const IpcqRing& ring : rings_) {
    if (!(ring.end.pe == pe)) continue;
    const std::size_t scope = ring.end.direction.find('/');
    Held& held = groups[scope == std::string::npos ? "" : ring.end.direction.substr(0, scope)];
    ++held.rings;
    held.nbytes += ring.nbytes;
  }
  std::vector<std::string> texts;
  std::vector<std::size_t> indices;
  for (const auto& [scope, held] : groups) {
    indices.push_back(texts.size());
    texts.push_back(fmt::format("{} {} ({} bytes)", scope.empty() ? "all ranks" : scope, held.rings,
                                held.nbytes));
  }
  const std::string there =
      texts.empty() ? "" : fmt::format("; its rings are of {}", first_of(indices, texts, 8));
  return there + "; buffer_kind moves rings to another memory: tcm, sram, hbm";
}

// Sends one message to each SIP with targets.
void IpcqInstallation::send(IpcqInstall::Action action, IpcqInstall::Change change,
                            const std::vector<const std::vector<IpcqRing>*>& targets,
                            const std::vector<IpcqRing>& rings, const IpcqSettings& options) const {
  const std::map<PeId, IpcqQueuePairs> pairs = queue_pairs_of(rings, options.slot_size);
  std::map<int, std::set<PeId>> by_sip;
  for (const std::vector<IpcqRing>* each : targets) {
    for (const IpcqRing& ring : *each) by_sip[ring.end.pe.sip].insert(ring.end.pe);
  }
  HostRequests requests;
  for (const auto& [sip, pes] : by_sip) {
    IpcqInstall message;
    message.action = action;
    message.change = change;
    message.forced = launch_failed_;
    message.installation = number_;
    message.settings = options;
    message.targets.assign(pes.begin(), pes.end());
    for (const auto& entry : pairs) {
      if (entry.first.sip == sip) message.queue_pairs.insert(entry);
    }
    requests.push_back(link_.submit(std::move(message), action == IpcqInstall::Action::ask
                                                            ? "ask for rings"
                                                            : "install rings"));
  }
  link_.wait(requests);
}

void IpcqInstallation::install(const NeighbourGraph& graph, const IpcqSettings& options) {
  check(options);
  const Turn turn(*this);
  replace(graph, options, reserve(queue_pairs(graph), options));
}

bool IpcqInstallation::keeps_others(int sip, const NeighbourGraph& graph,
                                    const IpcqSettings& options) const {
  if (launch_failed_ || !(options == options_) || !options.ring_capacity_check) return false;
  for (const auto& [pe, neighbours] : graph.pes()) {
    if (pe.sip != sip) return false;
  }
  return std::none_of(rings_.begin(), rings_.end(), [sip](const IpcqRing& ring) {
    return (ring.end.pe.sip == sip) != (ring.end.peer.sip == sip);
  });
}

void IpcqInstallation::install_on(int sip, const NeighbourGraph& graph,
                                  const IpcqSettings& options) {
  check(options);
  const Turn turn(*this);
  std::vector<IpcqRing> kept;
  NeighbourGraph all = graph;
  if (keeps_others(sip, graph, options)) {
    for (const IpcqRing& ring : rings_) {
      if (ring.end.pe.sip == sip) continue;
      kept.push_back(ring);
      all.connect(ring.end.pe, ring.end.direction, ring.end.peer);
    }
  }
  replace(all, options, reserve(queue_pairs(graph), options), kept);
}

void IpcqInstallation::remove() {
  const Turn turn(*this);
  if (installed()) replace({}, options_, {});
}

void IpcqInstallation::remove(const std::string& prefix) {
  const Turn turn(*this);
  std::vector<IpcqRing> kept, removed;
  for (const IpcqRing& ring : rings_)
    (ring.end.direction.compare(0, prefix.size(), prefix) == 0 ? removed : kept).push_back(ring);
  if (removed.empty()) return;
  const IpcqInstall::Change change = IpcqInstall::Change::remove;
  send(IpcqInstall::Action::ask, change, {&removed}, removed, options_);
  send(IpcqInstall::Action::install, change, {&removed}, removed, options_);
  give_back(removed, options_);
  rings_ = std::move(kept);
  graph_ = graph_.without_prefix(prefix);
}

void IpcqInstallation::replace(const NeighbourGraph& graph, const IpcqSettings& options,
                               std::vector<IpcqRing> rings, const std::vector<IpcqRing>& kept) {
  std::vector<IpcqRing> old;
  std::set_difference(rings_.begin(), rings_.end(), kept.begin(), kept.end(),
                      std::back_inserter(old), &in_order);
  try {
    send(IpcqInstall::Action::ask, IpcqInstall::Change::replace, {&old, &rings}, rings, options);
  } catch (...) {
    give_back(rings, options);
    throw;
  }
  ++number_;
  send(IpcqInstall::Action::install, IpcqInstall::Change::replace, {&old, &rings}, rings, options);
  launch_failed_ = false;
  give_back(old, options_);
  rings_ = merged(kept, rings);
  graph_ = graph;
  options_ = options;
}

bool IpcqInstallation::add(const NeighbourGraph& graph, std::optional<std::uint32_t> n_slots) {
  const Turn turn(*this);
  if (!installed() || launch_failed_) return false;
  NeighbourGraph both = graph_;
  try {
    both.add(graph);
  } catch (const UsageError&) {
    return false;
  }
  const auto same = [](const QueuePairEnd& a, const QueuePairEnd& b) {
    return a.pe == b.pe && a.direction == b.direction && a.peer_direction == b.peer_direction;
  };
  std::vector<QueuePairEnd> added;
  auto there = rings_.begin();
  for (const QueuePairEnd& end : queue_pairs(both)) {  // both lists by (PE, direction)
    if (there != rings_.end() && same(there->end, end)) {
      ++there;
    } else {
      added.push_back(end);
    }
  }
  if (there != rings_.end()) return false;
  if (added.empty()) return true;

  IpcqSettings options = options_;
  options.n_slots = n_slots.value_or(options.n_slots);
  std::vector<IpcqRing> rings = reserve(added, options, rings_);
  try {
    send(IpcqInstall::Action::ask, IpcqInstall::Change::add, {&rings}, rings, options_);
  } catch (...) {
    give_back(rings, options_);
    throw;
  }
  send(IpcqInstall::Action::install, IpcqInstall::Change::add, {&rings}, rings, options_);
  rings_ = merged(rings_, rings);
  graph_ = std::move(both);
  return true;
}

}  // namespace kernbench
