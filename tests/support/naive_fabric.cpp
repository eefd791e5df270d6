#include "tests/support/naive_fabric.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace kernbench::test {
namespace {

constexpr Time never = ~Time{0};

Time overhead_of(const NaiveNode& node) { return node.pipelined ? node.latency : node.overhead; }

// Rounded half up.
Time service(const NaiveLink& link, std::uint64_t bytes) {
  if (link.bytes == 0) return 0;
  const auto twice = 2 * static_cast<unsigned __int128>(bytes) * link.in_fs;
  return static_cast<Time>((twice + link.bytes) / (2 * static_cast<unsigned __int128>(link.bytes)));
}

}  // namespace

NaiveFabric::NaiveFabric(std::vector<NaiveNode> nodes, std::vector<NaiveLink> links,
                         std::uint64_t flit_bytes)
    : nodes_(std::move(nodes)), flit_bytes_(flit_bytes), states_(nodes_.size()) {
  for (const NaiveLink& link : links) links_[{link.from, link.to}] = link;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    states_[i].channels.resize(nodes_[i].num_pcs);
    states_[i].reads.channels.resize(nodes_[i].read_channels);
    states_[i].writes.channels.resize(nodes_[i].write_channels);
  }
}

std::vector<Time> NaiveFabric::play(const std::vector<NaiveRequest>& requests,
                                    bool ids_of_traffic) {
  requests_ = requests;
  ended_.assign(requests.size(), never);
  granted_ = ended_;
  std::map<int, std::uint64_t> counts;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Message message;
    message.request = i;
    message.id = {requests[i].issued, requests[i].path.front(), counts[requests[i].path.front()]++};
    if (ids_of_traffic) message.id = {requests[i].issued, 0, i};
    message.path = requests[i].path;
    message.host_control = requests[i].kind == NaiveRequest::Kind::host_control;
    if (requests[i].kind == NaiveRequest::Kind::write ||
        requests[i].kind == NaiveRequest::Kind::posted_write) {
      message.flits = cut(requests[i].offset, requests[i].bytes);
    }
    messages_.push_back(message);
    wake(message.path.front(), requests[i].issued);
  }
  std::size_t next = 0;
  while (!agenda_.empty()) {
    now_ = agenda_.begin()->first;
    for (; next < requests.size() && requests[next].issued == now_; ++next) issue(next);
    // Without a link between, what happens at one node makes something happen at another at the
    // same instant.
    std::set<int> stepped;
    for (auto of = agenda_.begin(); of != agenda_.end() && of->first == now_;
         of = agenda_.begin()) {
      const std::set<int> nodes = of->second;
      agenda_.erase(of);
      for (const int node : nodes) step(node);
      stepped.insert(nodes.begin(), nodes.end());
    }
    for (const int node : stepped) pass(node);
  }
  if (std::count(ended_.begin(), ended_.end(), never) > 0)
    throw std::logic_error("the naive fabric does not come to an end");
  return ended_;
}

std::vector<std::uint64_t> NaiveFabric::cut(std::uint64_t offset, std::uint64_t bytes) const {
  std::vector<std::uint64_t> flits;
  for (std::uint64_t at = offset; at < offset + bytes; ++at) {
    if (flits.empty() || at % flit_bytes_ == 0) flits.push_back(0);
    ++flits.back();
  }
  return flits;
}

NaiveFabric::TieKey NaiveFabric::tie(const Item& item) const {
  return {item.arrival, item.upstream, messages_[item.message].id, item.flit};
}

void NaiveFabric::sort(std::vector<Item>& items) const {
  std::sort(items.begin(), items.end(),
            [this](const Item& a, const Item& b) { return tie(a) < tie(b); });
}

bool NaiveFabric::is_pcie(int node) const {
  const NaiveKind kind = nodes_[static_cast<std::size_t>(node)].kind;
  return kind == NaiveKind::pcie || kind == NaiveKind::pcie_cut_through;
}

void NaiveFabric::issue(std::size_t request) {
  const int node = requests_[request].path.front();
  granted_[request] = now_;
  if (is_pcie(node)) {
    states_[static_cast<std::size_t>(node)].whole.push_back({now_, node, request, 0, 0});
    wake(node, now_ + overhead_of(nodes_[static_cast<std::size_t>(node)]));
  } else if (nodes_[static_cast<std::size_t>(node)].kind == NaiveKind::dma) {
    direction_of(request).waiting.push_back(request);
  } else {
    put_all_on_link(request, 0);
  }
}

void NaiveFabric::put_all_on_link(std::size_t message, std::size_t position) {
  const std::size_t flits = messages_[message].flits.size();
  for (std::uint64_t flit = 0; flit < std::max<std::size_t>(flits, 1); ++flit)
    put_on_link(message, flit, position);
}

void NaiveFabric::put_on_link(std::size_t message, std::uint64_t flit, std::size_t position) {
  const Message& sent = messages_[message];
  const int from = sent.path[position];
  const int to = sent.path[position + 1];
  if (links_.count({from, to}) == 0)
    return arrive(to, {now_, from, message, flit, position + 1});  // dma and tcm
  const NaiveLink& link = links_.at({from, to});
  Time& available = available_[{from, to}];
  Time leaves = now_;
  if (!sent.flits.empty()) {
    leaves = available = std::max(now_, available) + service(link, sent.flits[flit]);
  } else if (!sent.host_control) {
    leaves = std::max(now_, available);
  }
  arrive(to, {leaves + link.propagation, from, message, flit, position + 1});
}

void NaiveFabric::arrive(int node, const Item& item) {
  const Message& message = messages_[item.message];
  State& state = states_[static_cast<std::size_t>(node)];
  const NaiveKind kind = nodes_[static_cast<std::size_t>(node)].kind;
  const bool last = message.flits.empty() || item.flit + 1 == message.flits.size();
  const bool at_end = item.position + 1 == message.path.size();
  wake(node, item.arrival);
  wake(node, item.arrival + overhead_of(nodes_[static_cast<std::size_t>(node)]));
  if (kind == NaiveKind::end || ((is_pcie(node) || kind == NaiveKind::dma) && at_end)) {
    if (last) state.ending.push_back(item);
  } else if (kind == NaiveKind::dma) {
    state.passing.push_back(item);
  } else if (kind == NaiveKind::sram || kind == NaiveKind::tcm || kind == NaiveKind::pcie) {
    if (last) state.whole.push_back(item);
  } else {
    (message.flits.empty() ? state.control : state.inbox).push_back(item);
  }
}

std::size_t NaiveFabric::answer(std::size_t message) {
  Message response = messages_[message];
  const NaiveRequest& request = requests_[response.request];
  std::reverse(response.path.begin(), response.path.end());
  response.flits.clear();
  if (request.kind == NaiveRequest::Kind::read) response.flits = cut(request.offset, request.bytes);
  response.response = true;
  messages_.push_back(response);
  return messages_.size() - 1;
}

std::vector<NaiveFabric::Item> NaiveFabric::through(int node) {
  State& state = states_[static_cast<std::size_t>(node)];
  const NaiveNode& kind = nodes_[static_cast<std::size_t>(node)];
  const bool apart = kind.pipelined || kind.servers != NaiveNode::Servers::node;
  const Time overhead = overhead_of(kind);
  std::vector<Item> out;
  const auto take = [&](std::vector<Item>& from) {
    for (const Item& item : from) {
      if (item.arrival + overhead == now_) out.push_back(item);
    }
    from.erase(std::remove_if(from.begin(), from.end(),
                              [&](const Item& item) { return item.arrival + overhead == now_; }),
               from.end());
  };
  take(state.control);
  take(state.whole);
  if (apart) pipe(node, out);
  while (!apart) {  // the serial server
    if (state.holding) {
      if (state.held_until > now_) break;
      out.push_back(state.held);
      state.holding = false;
    }
    sort(state.inbox);
    if (state.inbox.empty() || state.inbox.front().arrival > now_) break;
    const Item item = state.inbox.front();
    state.inbox.erase(state.inbox.begin());
    if (item.flit == 0 && overhead > 0) {
      state.holding = true;
      state.held = item;
      state.held_until = now_ + overhead;
      wake(node, state.held_until);
    } else {
      out.push_back(item);
    }
  }
  sort(out);
  return out;
}

// Each server starts with the first of its flits that is there; with an overhead the first flit of
// a leg holds its server until it leaves, and later ones pass.
void NaiveFabric::pipe(int node, std::vector<Item>& out) {
  const NaiveNode& of = nodes_[static_cast<std::size_t>(node)];
  State& state = states_[static_cast<std::size_t>(node)];
  sort(state.inbox);
  std::vector<Item> waiting;
  for (const Item& item : state.inbox) {
    const int output = messages_[item.message].path[item.position + 1];
    std::pair<int, int> server{-1, -1};
    if (of.servers != NaiveNode::Servers::node) server.second = output;
    if (of.servers == NaiveNode::Servers::port) server.first = item.upstream;
    Time& free_at = state.free_at[server];
    if (item.arrival > now_ || free_at > now_) {
      waiting.push_back(item);
      wake(node, std::max(item.arrival, free_at));
      continue;
    }
    const bool first = item.flit == 0;
    const Time once = first ? of.overhead : 0;
    const Time hold = of.pipelined ? std::max(first ? of.occupancy : 0, of.flit_occupancy) : once;
    free_at = now_ + hold;
    state.in_pipeline.push_back({now_ + (of.pipelined ? of.latency : once), item});
    wake(node, state.in_pipeline.back().first);
  }
  state.inbox = waiting;
  for (const auto& [leaves, item] : state.in_pipeline) {
    if (leaves == now_) out.push_back(item);
  }
  state.in_pipeline.erase(std::remove_if(state.in_pipeline.begin(), state.in_pipeline.end(),
                                         [this](const auto& entry) { return entry.first == now_; }),
                          state.in_pipeline.end());
}

std::vector<NaiveFabric::Item> NaiveFabric::take_arrived(std::vector<Item>& items, Time by) {
  const auto arrived = [by](const Item& item) { return item.arrival <= by; };
  std::vector<Item> taken;
  std::copy_if(items.begin(), items.end(), std::back_inserter(taken), arrived);
  items.erase(std::remove_if(items.begin(), items.end(), arrived), items.end());
  return taken;
}

void NaiveFabric::end(std::size_t message) {
  const std::size_t request = messages_[message].request;
  ended_[request] = now_;
  const int initiator = requests_[request].path.front();
  if (nodes_[static_cast<std::size_t>(initiator)].kind != NaiveKind::dma) return;
  for (DmaChannel& channel : direction_of(message).channels) {
    if (channel.held && messages_[channel.current].request == request) channel.held = false;
  }
}

NaiveFabric::DmaDirection& NaiveFabric::direction_of(std::size_t message) {
  const NaiveRequest& request = requests_[messages_[message].request];
  State& state = states_[static_cast<std::size_t>(request.path.front())];
  return request.kind == NaiveRequest::Kind::read ? state.reads : state.writes;
}

void NaiveFabric::step(int node) {
  State& state = states_[static_cast<std::size_t>(node)];
  for (const Item& item : take_arrived(state.ending, now_)) end(item.message);
  const NaiveKind kind = nodes_[static_cast<std::size_t>(node)].kind;
  if (kind == NaiveKind::hbm) return step_hbm(node);
  if (kind == NaiveKind::dma) return step_dma(node);
  for (const Item& item : through(node)) {
    switch (kind) {
      case NaiveKind::router:
        put_on_link(item.message, item.flit, item.position);
        break;
      case NaiveKind::pcie:
        put_all_on_link(item.message, item.position);
        break;
      case NaiveKind::pcie_cut_through:
        if (item.position == 0) {
          put_all_on_link(item.message, 0);
        } else {
          put_on_link(item.message, item.flit, item.position);
        }
        break;
      default:  // sram, tcm
        if (requests_[messages_[item.message].request].kind == NaiveRequest::Kind::posted_write) {
          end(item.message);
        } else {
          put_all_on_link(answer(item.message), 0);
        }
    }
  }
}

// Grants, and what has paid its overhead since its grant: to the tcm at once, to a link when all
// that starts at this instant is there.
void NaiveFabric::step_dma(int node) {
  State& state = states_[static_cast<std::size_t>(node)];
  const Time overhead = nodes_[static_cast<std::size_t>(node)].overhead;
  for (DmaDirection* direction : {&state.reads, &state.writes}) {
    for (DmaChannel& channel : direction->channels) {
      if (!channel.held && !direction->waiting.empty()) {
        channel = {true, false, direction->waiting.front(), now_};
        granted_[channel.current] = now_;
        direction->waiting.erase(direction->waiting.begin());
        wake(node, now_ + overhead);
      }
      if (!channel.held || channel.injected || channel.granted + overhead != now_) continue;
      channel.injected = true;
      if (messages_[channel.current].path.size() == 2) {
        put_all_on_link(channel.current, 0);
      } else {
        state.starting.push_back(&channel);
      }
    }
  }
  // To the tcm nothing competes.
  std::vector<Item> inwards;
  const auto is_inwards = [this](const Item& item) {
    return item.arrival <= now_ && item.position + 2 == messages_[item.message].path.size() &&
           !messages_[item.message].response;
  };
  std::copy_if(state.passing.begin(), state.passing.end(), std::back_inserter(inwards), is_inwards);
  state.passing.erase(std::remove_if(state.passing.begin(), state.passing.end(), is_inwards),
                      state.passing.end());
  for (const Item& item : inwards) put_on_link(item.message, item.flit, item.position);
}

// What starts at the node, of one instant the earlier grant first, then by id; then what comes from
// the tcm: pe_dma before pe_tcm.
void NaiveFabric::pass(int node) {
  State& state = states_[static_cast<std::size_t>(node)];
  std::sort(state.starting.begin(), state.starting.end(),
            [this](const DmaChannel* a, const DmaChannel* b) {
              return std::tie(a->granted, messages_[a->current].id) <
                     std::tie(b->granted, messages_[b->current].id);
            });
  for (const DmaChannel* channel : state.starting) put_all_on_link(channel->current, 0);
  state.starting.clear();
  std::vector<Item> outwards = take_arrived(state.passing, now_);
  sort(outwards);
  for (const Item& item : outwards) put_on_link(item.message, item.flit, item.position);
}

Time NaiveFabric::book(int node, std::uint64_t burst, char direction) {
  const NaiveNode& hbm = nodes_[static_cast<std::size_t>(node)];
  HbmChannel& channel = states_[static_cast<std::size_t>(node)].channels[burst % hbm.num_pcs];
  const bool change = channel.last != ' ' && channel.last != direction;
  channel.available =
      std::max(now_, channel.available) + (change ? hbm.switch_penalty : 0) + hbm.burst_time;
  channel.last = direction;
  return channel.available;
}

void NaiveFabric::step_hbm(int node) {
  const NaiveNode& hbm = nodes_[static_cast<std::size_t>(node)];
  State& state = states_[static_cast<std::size_t>(node)];
  for (const Item& item : through(node)) {
    const NaiveRequest request = requests_[messages_[item.message].request];
    if (request.kind == NaiveRequest::Kind::read) {
      std::map<std::uint64_t, Time> finish;
      for (std::uint64_t burst = request.offset / hbm.burst_bytes;
           burst <= (request.offset + request.bytes - 1) / hbm.burst_bytes; ++burst)
        finish[burst] = book(node, burst, 'R');
      const std::size_t response = answer(item.message);
      std::uint64_t upto = request.offset;
      for (std::uint64_t flit = 0; flit < messages_[response].flits.size(); ++flit) {
        upto += messages_[response].flits[flit];
        Time ready = 0;
        for (const auto& [burst, time] : finish) {
          if (burst <= (upto - 1) / hbm.burst_bytes) ready = std::max(ready, time);
        }
        state.departures.push_back({ready, tie(item), response, flit, false});
        wake(node, ready);
      }
    } else {
      const std::vector<std::uint64_t> flits = messages_[item.message].flits;
      std::uint64_t from = request.offset;
      for (std::uint64_t flit = 0; flit < item.flit; ++flit) from += flits[flit];
      for (std::uint64_t burst = from / hbm.burst_bytes;
           burst <= (from + flits[item.flit] - 1) / hbm.burst_bytes; ++burst) {
        Time& latest = state.latest[item.message];
        latest = std::max(latest, book(node, burst, 'W'));
      }
      if (item.flit + 1 == flits.size()) {
        state.departures.push_back({state.latest[item.message], tie(item), item.message, 0, true});
        wake(node, state.latest[item.message]);
      }
    }
  }
  std::sort(state.departures.begin(), state.departures.end(),
            [](const Departure& a, const Departure& b) {
              return std::tie(a.time, a.cause, a.flit) < std::tie(b.time, b.cause, b.flit);
            });
  while (!state.departures.empty() && state.departures.front().time == now_) {
    const Departure departure = state.departures.front();
    state.departures.erase(state.departures.begin());
    if (!departure.commit) {
      put_on_link(departure.message, departure.flit, 0);
    } else if (requests_[messages_[departure.message].request].kind ==
               NaiveRequest::Kind::posted_write) {
      end(departure.message);
    } else {
      put_on_link(answer(departure.message), 0, 0);
    }
  }
}

}  // namespace kernbench::test
