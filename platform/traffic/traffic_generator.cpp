#include "platform/traffic/traffic_generator.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/topology/machine_message.h"
#include "platform/traffic/traffic_player.h"
#include "platform/traffic/traffic_request.h"

namespace kernbench {
namespace {

constexpr std::array<const char*, 5> pattern_names{"stream", "random", "stride", "hotspot",
                                                   "closed-loop"};

// Integer in [0, bound): the same with every library, unlike std::uniform_int_distribution.
std::uint64_t draw(std::mt19937_64& random, std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(random()) * bound) >> 64);
}

std::vector<NodeId> nodes_of(const Platform& platform, const std::vector<std::string>& globs,
                             bool (*right_kind)(const Node&), const char* option,
                             const char* allowed) {
  const MachineDescription& machine = platform.machine();
  std::vector<NodeId> nodes;
  for (const std::string& glob : globs) {
    const std::size_t before = nodes.size();
    for (NodeId node = 0; node < machine.nodes.size(); ++node) {
      if (right_kind(platform.graph().node(node)) &&
          ::fnmatch(glob.c_str(), machine.name(node).c_str(), FNM_NOESCAPE) == 0)
        nodes.push_back(node);
    }
    if (nodes.size() == before)
      throw UsageError(fmt::format("{} {} takes no node of this machine; allowed are {}", option,
                                   quote(glob), allowed));
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// HBM partition of a pe_dma's PE; for a pcie_ep, the first of its SIP.
NodeId own_hbm(const Platform& platform, NodeId initiator) {
  const Location& at = platform.graph().node(initiator).at;
  return platform.machine().hbm({at.sip, std::max(at.cube, 0), std::max(at.pe, 0)});
}

}  // namespace

const char* name_of(TrafficPattern pattern) {
  return pattern_names[static_cast<std::size_t>(pattern)];
}

TrafficPattern parse_traffic_pattern(std::string_view name) {
  for (std::size_t i = 0; i < pattern_names.size(); ++i) {
    if (pattern_names[i] == name) return static_cast<TrafficPattern>(i);
  }
  throw UsageError(fmt::format(
      "unknown traffic pattern {}; allowed is stream, random, stride, hotspot or closed-loop",
      quote(name)));
}

TrafficGenerator::TrafficGenerator(TrafficRecipe recipe, const Platform& platform)
    : recipe_(std::move(recipe)), platform_(platform) {
  if (recipe_.requests == 0) throw UsageError("--requests is 0, allowed is at least 1");
  if (recipe_.size_bytes == 0 || recipe_.size_bytes > longest_request_bytes) {
    throw UsageError(
        fmt::format("--size is {}, allowed is 1 to {}", recipe_.size_bytes, longest_request_bytes));
  }
  if (recipe_.max_outstanding == 0)
    throw UsageError("--max-outstanding is 0, allowed is at least 1");
  if (recipe_.rate_gbs < Rational(0))
    throw UsageError(fmt::format("--rate is {}, allowed is at least 0", recipe_.rate_gbs.str()));
  if (recipe_.read_share < Rational(0) || Rational(1) < recipe_.read_share) {
    throw UsageError(
        fmt::format("--read-share is {}, allowed is 0 to 1", recipe_.read_share.str()));
  }
  const std::vector<NodeId> initiators = nodes_of(platform, recipe_.initiators, starts_transfers,
                                                  "--initiators", "pe_dma and pcie_ep nodes");
  const std::vector<NodeId> given =
      recipe_.targets.empty() ? std::vector<NodeId>{}
                              : nodes_of(platform, recipe_.targets, is_memory, "--targets",
                                         "hbm_ctrl.peN, sram, pe_tcm and tlm_target nodes");
  for (const NodeId initiator : initiators) {
    Stream stream;
    stream.initiator = initiator;
    stream.targets = given.empty() ? default_targets(initiator) : given;
    stream.random.seed(recipe_.seed * 0x9e3779b97f4a7c15ULL + initiator);
    for (const NodeId target : stream.targets) {
      if (recipe_.size_bytes > traffic_capacity(platform, target)) {
        throw UsageError(fmt::format("--size is {}, {} has {} bytes", recipe_.size_bytes,
                                     platform.machine().name(target),
                                     traffic_capacity(platform, target)));
      }
    }
    streams_.push_back(std::move(stream));
  }
  const auto total = static_cast<unsigned __int128>(recipe_.requests) * streams_.size();
  if (total > UINT32_MAX)
    throw UsageError(
        fmt::format("--requests for {} initiators: more than 4294967295 in all", streams_.size()));
  check_last_issue();
  check_memory();
  if (recipe_.pattern == TrafficPattern::closed_loop) {
    for (std::uint64_t i = 0; i < std::min(recipe_.max_outstanding, recipe_.requests); ++i) {
      for (std::size_t s = 0; s < streams_.size(); ++s) due_.emplace_back(0, s);
    }
  }
}

Fs TrafficGenerator::issue_time(std::uint64_t step) const {
  if (recipe_.rate_gbs.is_zero()) return 0;
  const auto bytes_before = Rational(static_cast<std::int64_t>(step)) *
                            Rational(static_cast<std::int64_t>(recipe_.size_bytes));
  return ns_to_fs(bytes_before / recipe_.rate_gbs);
}

// Issue times never descend, so the last one is the largest. The check uses the largest product of
// any computation: in the last one alone factors may cancel.
void TrafficGenerator::check_last_issue() const {
  if (!times_are_known() || recipe_.rate_gbs.is_zero()) return;
  Rational::Int product = static_cast<Rational::Int>(2 * fs_per_ns);
  const bool exact =
      !__builtin_mul_overflow(product, static_cast<Rational::Int>(recipe_.requests), &product) &&
      !__builtin_mul_overflow(product, static_cast<Rational::Int>(recipe_.size_bytes), &product) &&
      !__builtin_mul_overflow(product, recipe_.rate_gbs.den(), &product);
  if (exact && issue_time(recipe_.requests - 1) <= latest_issue_fs) return;
  throw UsageError(fmt::format(
      "--rate is {}, with which the last of {} requests of {}{}", recipe_.rate_gbs.str(),
      recipe_.requests, recipe_.size_bytes,
      exact ? " B would be issued after 1e12 ns; allowed is a higher rate, or fewer requests"
            : " B has no time that can be computed exactly; allowed are fewer digits, or fewer "
              "requests"));
}

// The number of outstanding requests issued at a rate is known only during the simulation.
void TrafficGenerator::check_memory() const {
  const bool at_once = times_are_known() && recipe_.rate_gbs.is_zero();
  if (times_are_known() && !at_once) return;
  const std::uint64_t each =
      at_once ? recipe_.requests : std::min(recipe_.max_outstanding, recipe_.requests);
  const std::uint64_t bytes = each * streams_.size() * TrafficPlayer::bytes_per_request;
  if (bytes <= recipe_.most_memory_bytes) return;
  // A flit has at least two hops: to a router and to the target.
  const auto flit_bytes = static_cast<std::uint64_t>(platform_.graph().spec().system.flit_bytes);
  const double flits = static_cast<double>((recipe_.size_bytes + flit_bytes - 1) / flit_bytes);
  const double events =
      2.0 * flits * static_cast<double>(recipe_.requests) * static_cast<double>(streams_.size());
  throw UsageError(fmt::format(
      "{}: {} requests in flight at once need about {} MiB of memory, all of them at least {:.1e} "
      "events; "
      "--max-memory is {} MiB{}",
      at_once ? "--requests" : "--max-outstanding", each * streams_.size(), bytes >> 20, events,
      recipe_.most_memory_bytes >> 20, at_once ? ", --rate spreads them over time" : ""));
}

std::vector<NodeId> TrafficGenerator::default_targets(NodeId initiator) const {
  const MachineDescription& machine = platform_.machine();
  const int sip = platform_.graph().node(initiator).at.sip;
  switch (recipe_.pattern) {
    case TrafficPattern::hotspot:
      return {machine.hbm({0, 0, 0})};
    case TrafficPattern::stream:
    case TrafficPattern::stride:
      return {own_hbm(platform_, initiator)};
    default:
      break;
  }
  std::vector<NodeId> all;
  for (int cube = 0; cube < machine.cubes(); ++cube) {
    for (int pe = 0; pe < machine.pes; ++pe) all.push_back(machine.hbm({sip, cube, pe}));
  }
  return all;
}

void TrafficGenerator::make(Stream& stream, Fs issue, TrafficRequest& request) {
  const bool drawn =
      recipe_.pattern != TrafficPattern::stream && recipe_.pattern != TrafficPattern::stride;
  request.issue = issue;
  request.initiator = stream.initiator;
  request.target = stream.targets.size() == 1
                       ? stream.targets.front()
                       : stream.targets[draw(stream.random, stream.targets.size())];
  request.bytes = recipe_.size_bytes;
  const std::uint64_t places = traffic_capacity(platform_, request.target) / recipe_.size_bytes;
  if (drawn) {
    request.offset = draw(stream.random, places) * recipe_.size_bytes;
  } else {
    const std::uint64_t step =
        recipe_.pattern == TrafficPattern::stream ? recipe_.size_bytes : recipe_.stride_bytes;
    const std::uint64_t room = traffic_capacity(platform_, request.target) - recipe_.size_bytes + 1;
    request.offset =
        static_cast<std::uint64_t>(static_cast<unsigned __int128>(stream.made) * step % room);
  }
  // The share of reads is exact on average over as many requests as its denominator: a draw against
  // the decimal itself.
  const auto den = static_cast<std::uint64_t>(recipe_.read_share.den());
  request.write = draw(stream.random, den) >= static_cast<std::uint64_t>(recipe_.read_share.num());
  request.id = id_++;
  ++stream.made;
}

bool TrafficGenerator::next(TrafficRequest& request) {
  return recipe_.pattern == TrafficPattern::closed_loop ? next_by_feedback(request)
                                                        : next_by_time(request);
}

bool TrafficGenerator::next_by_time(TrafficRequest& request) {
  if (step_ == recipe_.requests) return false;
  make(streams_[turn_], issue_time(step_), request);
  if (++turn_ == streams_.size()) {
    turn_ = 0;
    ++step_;
  }
  return true;
}

bool TrafficGenerator::next_by_feedback(TrafficRequest& request) {
  if (due_at_ == due_.size()) return false;
  const auto [issue, stream] = due_[due_at_++];
  make(streams_[stream], issue, request);
  if (due_at_ == due_.size()) {
    due_.clear();
    due_at_ = 0;
  }
  return true;
}

void TrafficGenerator::ended(const TrafficResult& result) {
  if (recipe_.pattern != TrafficPattern::closed_loop) return;
  const auto found =
      std::lower_bound(streams_.begin(), streams_.end(), result.request.initiator,
                       [](const Stream& stream, NodeId node) { return stream.initiator < node; });
  const auto index = static_cast<std::size_t>(found - streams_.begin());
  // Requests that are already due count as issued.
  const auto waiting = static_cast<std::uint64_t>(
      std::count_if(due_.begin() + static_cast<std::ptrdiff_t>(due_at_), due_.end(),
                    [index](const auto& entry) { return entry.second == index; }));
  if (found->made + waiting < recipe_.requests) {
    const std::pair<Fs, std::size_t> entry(result.end,
                                           index);  // same time: by the initiator's name
    due_.insert(
        std::upper_bound(due_.begin() + static_cast<std::ptrdiff_t>(due_at_), due_.end(), entry),
        entry);
  }
}

}  // namespace kernbench
