#include "platform/traffic/traffic_player.h"

#include <fmt/format.h>

#include <string>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

std::uint64_t physical_address(const Platform& platform, NodeId target, std::uint64_t offset) {
  return platform.machine().memory_map.range_of(target)->base + offset;
}

}  // namespace

std::uint64_t traffic_capacity(const Platform& platform, NodeId target) {
  const auto range = platform.machine().memory_map.range_of(target);
  return range ? range->nbytes : 0;
}

TrafficPlayer::TrafficPlayer(const sc_core::sc_module_name& name, Platform& platform,
                             TrafficSource& source, TrafficListener& listener)
    : sc_core::sc_module(name), platform_(platform), source_(source), listener_(listener),
      due_("due"), initiators_(platform.machine().nodes.size()) {
  SC_HAS_PROCESS(TrafficPlayer);
  SC_METHOD(issue_due);
  sensitive << due_;
  for (NodeId node = 0; node < initiators_.size(); ++node) connect(node);
}

void TrafficPlayer::connect(NodeId node) {
  const Role role = platform_.graph().node(node).kind;
  const std::string peer = socket_peer(platform_.machine().name(node));
  auto initiator = std::make_unique<Initiator>();
  ServiceInitiatorBase* bound = nullptr;
  if (role == Role::pe_dma) {
    ServiceListener<DmaRequest>* listener = this;
    initiator->to_pe_dma = std::make_unique<ServiceInitiator<DmaRequest>>(listener, role, peer);
    bound = initiator->to_pe_dma.get();
    const Attributes& dma = platform_.component(node).attributes();
    if (dma.has("rd_engines")) initiator->channels[0].channels = dma.integer("rd_engines");
    if (dma.has("wr_engines")) initiator->channels[1].channels = dma.integer("wr_engines");
  } else if (role == Role::pcie_ep) {
    initiator->to_pcie_ep = std::make_unique<ServiceInitiator<Transaction>>(nullptr, role, peer);
    bound = initiator->to_pcie_ep.get();
  }
  if (bound != nullptr &&
      bound->bind_to(platform_.component(node), role, basename(), platform_.monitors()))
    initiators_[node] = std::move(initiator);
}

void TrafficPlayer::issue_due() {
  try {
    const Fs now = Component::now();
    if (exhausted_) exhausted_ = !source_.next(next_);
    while (!exhausted_ && next_.issue <= now) {
      issue(next_);
      exhausted_ = !source_.next(next_);
    }
    if (exhausted_) return;
    platform_.pending_waits().busy_until(next_.issue);
    due_.notify(Component::fs(next_.issue - now));
  } catch (const std::exception& error) {
    platform_.services().fatal(*this, kernbench::text_of(error));
  }
}

TrafficPlayer::Initiator& TrafficPlayer::initiator_of(NodeId node) {
  if (initiators_[node] == nullptr)
    throw ModelError(fmt::format("{} cannot start transfers", platform_.component(node).name()));
  return *initiators_[node];
}

void TrafficPlayer::issue(const TrafficRequest& request) {
  if (next_id_ == 0) listener_.began();
  const std::uint32_t id = next_id_++;
  if (id == ended_)
    pending_wait_ = platform_.pending_waits().open(
        name(), "the end of its requests", Component::now(), [this] { return ": " + not_ended(); });
  window_.push_back({request.issue, request.offset, request.bytes, 0, request.initiator,
                     request.target, none, request.write, false, false, false});
  Initiator& initiator = initiator_of(request.initiator);
  if (initiator.to_pcie_ep != nullptr) {
    inject(initiator, id);
    return;
  }
  ChannelQueue& channel = initiator.channels[request.write ? 1 : 0];
  if (channel.with_dma < channel.channels) {
    ++channel.with_dma;
    submit(initiator, id);
  } else if (channel.first == none) {
    channel.first = channel.last = id;
  } else {
    entry(channel.last).next = id;
    channel.last = id;
  }
}

// The next request is submitted to the channel when the previous one ends, which is also the time
// of its grant.
void TrafficPlayer::submit(Initiator& initiator, std::uint32_t id) {
  const Entry& request = entry(id);
  DmaRequest& dma = dma_requests_.take();
  dma.write = request.write;
  dma.place = {request.target, request.offset_or_end};
  dma.physical = physical_address(platform_, request.target, request.offset_or_end);
  dma.bytes = request.bytes;
  dma.order.command = id;
  dma.key = traffic_key(request.issue, id);
  dma.tag = id;
  initiator.to_pe_dma->nb_transport_fw(dma);
}

void TrafficPlayer::inject(Initiator& initiator, std::uint32_t id) {
  Entry& request = entry(id);
  TransactionHandle transaction = platform_.pool().make();
  transaction->set_command(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  transaction->set_address(physical_address(platform_, request.target, request.offset_or_end));
  transaction->set_data_length(static_cast<unsigned>(request.bytes));
  RouteExtension& route = transaction->route();
  route.path = &platform_.routes().memory_path(request.initiator, request.target);
  route.key = traffic_key(request.issue, id);
  route.offset = request.offset_or_end;
  route.listener = this;
  route.listener_tag = id;
  if (request.write) {
    route.posted = true;
    route.cut_flits(request.bytes, platform_.machine().flit_bytes);
  }
  request.granted = true;
  request.grant = request.issue;
  injected_.emplace(id, transaction);
  initiator.to_pcie_ep->nb_transport_fw(*transaction);
}

void TrafficPlayer::completed(Transaction& transaction) {
  const auto id = static_cast<std::uint32_t>(transaction.route().listener_tag);
  if (transaction.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE) {
    return fail(id, fmt::format("{} answered {}{}", platform_.machine().name(entry(id).target),
                                transaction.get_response_string(), fault_text(transaction)));
  }
  end(id);
  injected_.erase(id);
}

std::optional<std::uint32_t> TrafficPlayer::request_of(const TieKey& key, NodeId initiator) const {
  if (key.count < first_id_ || key.count >= next_id_) return std::nullopt;
  const Entry& request = window_[key.count - first_id_];
  if (request.initiator != initiator || !(key == traffic_key(request.issue, key.count)))
    return std::nullopt;
  return key.count;
}

void TrafficPlayer::nb_transport_bw(DmaRequest& dma, const tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ) {
    Entry& request = entry(dma.tag);
    request.granted = true;
    request.grant = Component::now();
    return;
  }
  if (dma.fault.empty()) {
    dma_ended(dma.tag);
  } else {
    fail(dma.tag, dma.fault);
  }
  dma_requests_.give_back(dma);
}

void TrafficPlayer::dma_ended(std::uint32_t id) {
  const Entry& request = entry(id);
  Initiator& initiator = initiator_of(request.initiator);
  ChannelQueue& channel = initiator.channels[request.write ? 1 : 0];
  const std::uint32_t next = channel.first;
  if (next == none) {
    --channel.with_dma;
  } else {
    channel.first = entry(next).next;
  }
  end(id);
  if (next != none) submit(initiator, next);
}

void TrafficPlayer::fail(std::uint32_t id, const std::string& fault) {
  platform_.services().fatal(*this, fmt::format("{}: {}", text_of(id, entry(id)), fault));
}

std::string TrafficPlayer::text_of(std::uint32_t id, const Entry& request) const {
  return fmt::format("request {}: {} by {} at {}, issued at {}{}", id,
                     request.write ? "write" : "read", platform_.machine().name(request.initiator),
                     platform_.machine().name(request.target), format_ns(request.issue),
                     request.granted ? fmt::format(", granted at {}", format_ns(request.grant))
                                     : ", waits for its channel");
}

TrafficResult TrafficPlayer::result_of(std::uint32_t id, const Entry& request, Fs end) const {
  TrafficResult result;
  result.request = {request.issue,  0,  request.bytes, request.initiator,
                    request.target, id, request.write};
  result.grant = request.grant;
  result.end = end;
  return result;
}

void TrafficPlayer::end(std::uint32_t id) {
  Entry& request = entry(id);
  request.ended = true;
  request.offset_or_end = Component::now();
  if (++ended_ == next_id_) platform_.pending_waits().close(pending_wait_);
  const TrafficResult result = result_of(id, request, request.offset_or_end);
  listener_.ended(result);
  source_.ended(result);
  if (exhausted_) due_.notify(sc_core::SC_ZERO_TIME);
  for (; !window_.empty() && window_.front().ended; window_.pop_front(), ++first_id_) {
    listener_.in_order(result_of(first_id_, window_.front(), window_.front().offset_or_end));
  }
}

void TrafficPlayer::hand_on_ended() {
  for (std::size_t i = 0; i < window_.size(); ++i) {
    Entry& request = window_[i];
    if (!request.ended || request.handed_on) continue;
    request.handed_on = true;
    listener_.in_order(
        result_of(first_id_ + static_cast<std::uint32_t>(i), request, request.offset_or_end));
  }
}

// "2 of 3 have not ended: 1, 2".
std::string TrafficPlayer::not_ended() const {
  constexpr std::uint64_t most = 8;
  std::string text = fmt::format("{} of {} have not ended: ", next_id_ - ended_, next_id_);
  std::uint64_t listed = 0;
  for (std::size_t i = 0; i < window_.size() && listed < most; ++i) {
    if (!window_[i].ended) text += fmt::format("{}{}", listed++ == 0 ? "" : ", ", first_id_ + i);
  }
  return text + (next_id_ - ended_ > listed ? ", ..." : "");
}

std::string TrafficPlayer::waiting() const {
  constexpr int most = 20;
  if (ended_ == next_id_) return "";
  std::string text = std::to_string(next_id_ - ended_) + " requests have not ended:";
  int listed = 0;
  for (std::size_t i = 0; i < window_.size() && listed < most; ++i) {
    if (window_[i].ended) continue;
    ++listed;
    text += "\n  " + text_of(first_id_ + static_cast<std::uint32_t>(i), window_[i]);
  }
  return text;
}

void TrafficPlayer::check_all_ended() const {
  if (ended_ != next_id_) throw DeadlockError(waiting());
}

}  // namespace kernbench
