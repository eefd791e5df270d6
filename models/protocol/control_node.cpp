#include "models/protocol/control_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "models/base/group_similar_messages.h"

namespace kernbench {
namespace {

std::string label_of(const PeMessage& message) { return label_of(message.type_name(), message); }

Parameter overhead_ns() {
  return Parameter::duration_ns("overhead_ns", "time per request message", "spec 4");
}

// Whether it is a response, or a notice on the same path.
bool is_answer(const Transaction& transaction) {
  const Message* message = transaction.route().message.get();
  return transaction.route().leg == Leg::response ||
         dynamic_cast<const LaunchFailed*>(message) != nullptr ||
         dynamic_cast<const BarrierReached*>(message) != nullptr;
}

}  // namespace

Completion merged_completion(const std::map<PeId, Completion>& failures) {
  if (failures.empty()) return {};
  if (failures.size() == 1) return failures.begin()->second;
  std::vector<std::string> pes, texts;
  std::string code;
  for (const bool root_causes : {true, false}) {
    for (const auto& [pe, failure] : failures) {
      if (Completion::is_root_cause(failure.error_code) != root_causes) continue;
      if (code.empty()) code = failure.error_code;
      pes.push_back(pe.str());
      texts.push_back(fmt::format("{}: {}", failure.error_code, failure.error_message));
    }
  }
  std::string text;
  for (const std::vector<std::size_t>& alike : group_similar_messages(texts)) {
    text += text.empty() ? ": " : "; ";
    if (alike.size() > 1) text += fmt::format("{} PEs alike, ", alike.size());
    text += fmt::format("{}: {}", first_of(alike, pes), texts[alike.front()]);
  }
  return Completion::failure(code, fmt::format("{} PEs failed{}", failures.size(), text));
}

bool ControlNode::FanOut::fail_fast() const {
  const auto* launch = dynamic_cast<const KernelLaunch*>(sent.get());
  return launch != nullptr && launch->failure_policy == FailurePolicy::fail_fast;
}

ControlNode::ControlParameters::ControlParameters(int default_overhead_ns)
    : overhead(*this, overhead_ns().default_val(default_overhead_ns)) {}

ControlNode::ControlParameters::ControlParameters(const Attributes& values)
    : ParameterSet(values), overhead(*this, overhead_ns()) {}

ControlNode::ControlNode(const ComponentInit& init)
    : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
      machine_services_(kernbench::machine_services(init.services)),
      overhead_(*init.attributes.as<ControlParameters>().overhead), keys_(init.node) {
  add_statistic("requests", "request messages served", Quantity::count, requests_);
}

ControlNode::~ControlNode() = default;

Fs ControlNode::next_due() const {
  const Fs arrival = arrivals_.control_due();
  return due_.empty() ? arrival : std::min(arrival, due_.front().time);
}

void ControlNode::serve() {
  arrivals_.take_control(now(), 0, [this](const Arrival& arrival) { file(arrival); });
  while (!due_.empty() && due_.front().time <= now()) {
    const Due due = due_.front();
    due_.pop_front();
    ++requests_;
    report_traversal(due.arrival, due.time - overhead_);
    take(*due.arrival.transaction);
  }
}

void ControlNode::file(const Arrival& arrival) {
  Transaction& transaction = *arrival.transaction;
  if (is_answer(transaction)) {
    report_traversal(arrival, now());
    const Message* message = transaction.route().message.get();
    if (const auto* failure = dynamic_cast<const LaunchFailed*>(message)) take_failure(*failure);
    if (const auto* barrier = dynamic_cast<const BarrierReached*>(message))
      take_barrier(*barrier, transaction.route().path->source());
    return transaction.route().listener->completed(transaction);
  }
  const bool memory = transaction.accesses_memory();
  const Fs time = memory ? memory_due(transaction, now()) : now() + overhead_;
  due_.insert_sorted(Due{time, arrival},
                     [](const Due& a, const Due& b) { return a.time < b.time; });
}

void ControlNode::take(Transaction& request) {
  if (request.accesses_memory()) return finish_memory(request);
  const std::shared_ptr<const Message> message = request.route().message;
  if (auto pe_message = std::dynamic_pointer_cast<const PeMessage>(message))
    return arrived(request, std::move(pe_message));
  if (const auto* abort = dynamic_cast<const LaunchAbort*>(message.get())) {
    if (!withdrawn(*abort)) take_abort(*abort);
  } else if (const auto* barrier = dynamic_cast<const BarrierPassed*>(message.get())) {
    if (const FanOut* entry = fan_out_of(*barrier->launch)) end_barrier(*entry);
  } else {
    throw ModelError(fmt::format("a control message of unknown type has reached {}", name()));
  }
  request.route().listener->completed(request);
}

void ControlNode::finish_memory(Transaction& request) {
  RouteExtension& route = request.route();
  if (request.is_write() && route.posted) return route.listener->completed(request);
  if (request.is_write()) route.listener->committed(request);
  route.make_response();
  if (request.is_write()) return send(request, 0, 0, 0, now());
  route.cut_flits(request.get_data_length(), machine().flit_bytes);
  for (std::uint32_t flit = 0; flit < route.flits; ++flit) send(request, flit, 1, 0, now());
}

// --- Down

// Launches at info, messages that prepare them at debug.
template <class Text>
void ControlNode::log(const PeMessage& message, const Text& text) const {
  if (dynamic_cast<const KernelLaunch*>(&message) != nullptr) {
    log_.info(text);
  } else {
    log_.debug(text);
  }
}

void ControlNode::fan_out(Transaction& request, std::shared_ptr<const PeMessage> received,
                          std::shared_ptr<const PeMessage> message) {
  FanOut& entry = fan_outs_.emplace_back();
  entry.tag = next_tag_++;
  entry.request = &request;
  entry.received = std::move(received);
  entry.sent = std::move(message);
  entry.ends = ends_of(*entry.sent);
  entry.awaited = entry.ends.size();
  entry.pending_wait =
      services().pending_waits().open(name(), "answers to " + label_of(*entry.sent), now(),
                                      [this, &entry] { return unanswered(entry); });
  log(*entry.sent, [&] { return text_of_fan_out(entry); });
  for (const End& end : entry.ends) {
    send_control(machine_services_.routes().control_path(node(), end.node), entry.sent, false,
                 entry.tag);
  }
}

std::string ControlNode::text_of_fan_out(const FanOut& entry) const {
  const auto* launch = dynamic_cast<const KernelLaunch*>(entry.sent.get());
  const std::size_t more = entry.ends.size() - 1;
  return fmt::format("{} for {} PE(s) goes to {}{}{}", label_of(*entry.sent),
                     entry.sent->targets.size(), machine().name(entry.ends.front().node),
                     more == 0 ? "" : fmt::format(" and {} more", more),
                     launch != nullptr && launch->target_start
                         ? fmt::format("; starts at {}", format_ns(*launch->target_start))
                         : "");
}

Transaction& ControlNode::send_control(const Path& path, std::shared_ptr<const Message> message,
                                       bool posted, std::uint64_t tag) {
  TransactionHandle handle = machine_services_.pool().make();
  Transaction& transaction = *handle;
  transaction.set_command(tlm::TLM_IGNORE_COMMAND);
  RouteExtension& route = transaction.route();
  route.path = &path;
  route.key = keys_.next(now());
  route.host_control = true;
  route.posted = posted;
  route.listener = this;
  route.listener_tag = tag;
  route.message = std::move(message);
  sent_.push_back(std::move(handle));
  send_message(transaction);
  return transaction;
}

void ControlNode::post(const Path& path, std::shared_ptr<const Message> message) {
  send_control(path, std::move(message), true, 0);
}

void ControlNode::take_abort(const LaunchAbort& notice) {
  for (FanOut& entry : fan_outs_) {
    if (entry.received != notice.launch) continue;
    if (!entry.ended_early) abort_ends(entry, no_node, notice.cause);
    entry.ended_early = true;
    return;
  }
  // Every PE answered while the notice was in flight.
}

void ControlNode::abort_ends(const FanOut& fan_out, NodeId except, const std::string& cause) {
  const auto notice = std::make_shared<LaunchAbort>();
  notice->launch = std::static_pointer_cast<const KernelLaunch>(fan_out.sent);
  notice->cause = cause;
  for (const End& end : fan_out.ends) {
    if (!end.answered && end.node != except)
      post(machine_services_.routes().control_path(node(), end.node), notice);
  }
}

// --- Up

void ControlNode::completed(Transaction& transaction) {
  const RouteExtension& route = transaction.route();
  const auto place = std::lower_bound(
      sent_.begin(), sent_.end(), route.key,
      [](const TransactionHandle& each, const TieKey& key) { return each->route().key < key; });
  TransactionHandle keep_alive;
  if (place != sent_.end() && &**place == &transaction) {
    keep_alive = std::move(*place);
    sent_.erase(place);
  }
  if (route.posted) return;
  const auto entry = std::find_if(fan_outs_.begin(), fan_outs_.end(),
                                  [&](const FanOut& f) { return f.tag == route.listener_tag; });
  const NodeId from = route.path->source();
  if (entry == fan_outs_.end())
    throw ModelError(fmt::format("{} answered a message that every endpoint has answered",
                                 machine().name(from)));
  const auto end = std::find_if(entry->ends.begin(), entry->ends.end(),
                                [&](const End& e) { return e.node == from; });
  if (end == entry->ends.end() || end->answered)
    throw ModelError(fmt::format("{} answered {} twice or without a request", machine().name(from),
                                 label_of(*entry->sent)));
  const auto* response = dynamic_cast<const HostResponse*>(route.message.get());
  if (response == nullptr)
    throw ModelError(fmt::format("{} answered {} without a response", machine().name(from),
                                 label_of(*entry->sent)));
  end->answered = true;
  --entry->awaited;
  merge(*entry, *end, *response);
  if (entry->awaited == 0) {
    if (entry->request != nullptr) answer(*entry);
    services().pending_waits().close(entry->pending_wait);
    const FanOut done = std::move(*entry);
    fan_outs_.erase(entry);
    finished(done);
  } else if (!response->completion.ok) {
    if (!entry->fail_fast()) {
      // collect_all: the others go on.
    } else if (end->pe) {
      end_others(*entry, end->node, *end->pe, response->completion);
    } else if (!response->failures.empty()) {
      end_others(*entry, end->node, response->failures.begin()->first,
                 response->failures.begin()->second);
    }
    restate_wait(*entry);
  }
}

void ControlNode::merge(FanOut& fan_out, const End& end, const HostResponse& response) {
  HostResponse& merged = fan_out.merged;
  merged.metrics.merge(response.metrics);
  if (end.pe) {
    if (fan_out.sent->end() == PeEngine::pe_cpu) merged.per_pe[*end.pe] = response.metrics;
    if (!response.completion.ok) merged.failures[*end.pe] = response.completion;
  } else {
    merged.per_pe.insert(response.per_pe.begin(), response.per_pe.end());
    merged.failures.insert(response.failures.begin(), response.failures.end());
  }
  if (!merged.failures.empty()) {
    merged.completion = merged_completion(merged.failures);
  } else if (merged.completion.ok && !response.completion.ok) {
    merged.completion = response.completion;  // a refusal by the end itself belongs to no PE
  }
}

void ControlNode::take_failure(const LaunchFailed& notice) {
  for (FanOut& entry : fan_outs_) {
    if (entry.sent != notice.launch) continue;
    entry.merged.failures.emplace(notice.where, notice.completion);
    const NodeId m_cpu = machine().m_cpu(notice.where.sip, notice.where.cube);
    end_others(entry, m_cpu, notice.where, notice.completion);
    return restate_wait(entry);
  }
}

void ControlNode::end_others(FanOut& fan_out, NodeId failed, PeId where,
                             const Completion& completion) {
  if (fan_out.ended_early) return;
  fan_out.ended_early = true;
  abort_ends(fan_out, failed, completion.error_message);
  failed_early(fan_out, where, completion);
}

bool ControlNode::end_blocked_launches() {
  bool any = false;
  for (FanOut& entry : fan_outs_) {
    const auto& failures = entry.merged.failures;
    if (entry.ended_early || failures.empty() ||
        dynamic_cast<const KernelLaunch*>(entry.sent.get()) == nullptr)
      continue;
    end_others(entry, no_node, failures.begin()->first, failures.begin()->second);
    any = true;
  }
  return any;
}

void ControlNode::restate_wait(FanOut& fan_out) {
  PendingWaits& pending_waits = services().pending_waits();
  std::string what = "answers to " + label_of(*fan_out.sent);
  if (!fan_out.merged.failures.empty())
    what += fmt::format(", after: {}", merged_completion(fan_out.merged.failures).error_message);
  pending_waits.close(fan_out.pending_wait);
  fan_out.pending_wait =
      pending_waits.open(name(), what, now(), [this, &fan_out] { return unanswered(fan_out); });
}

std::string ControlNode::unanswered(const FanOut& fan_out) const {
  constexpr std::size_t most = 8;
  std::string text;
  std::size_t listed = 0;
  for (const End& end : fan_out.ends) {
    if (end.answered || listed == most) continue;
    text += (listed++ == 0 ? "" : ", ") + machine().name(end.node);
  }
  const std::size_t more = fan_out.awaited - listed;
  text = fmt::format("\n    no answer of {}{}", text,
                     more == 0 ? "" : fmt::format(" and {} more", more));
  std::vector<std::string> missing;
  for (const End& end : fan_out.ends) {
    if (!end.at_barrier) missing.push_back(machine().name(end.node));
  }
  if (missing.size() == fan_out.ends.size()) return text;
  std::vector<std::size_t> all(missing.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return text + "\n    tl.barrier has not been reached by " + first_of(all, missing);
}

void ControlNode::answer(FanOut& fan_out) {
  const Completion& completion = fan_out.merged.completion;
  if (completion.ok) {
    log(*fan_out.sent, [&] { return label_of(*fan_out.sent) + " answered"; });
  } else {  // the failing PE has notified the others
    log_.warning([&] {
      return fmt::format("{} has failed: {}", label_of(*fan_out.sent), completion.error_code);
    });
  }
  // A request that has been answered early continues to gather answers.
  respond(*fan_out.request, fan_out.awaited > 0
                                ? std::make_shared<HostResponse>(fan_out.merged)
                                : std::make_shared<HostResponse>(std::move(fan_out.merged)));
  fan_out.request = nullptr;
}

void ControlNode::refuse(Transaction& request, const std::string& code, const std::string& text) {
  log_.warning([&] { return fmt::format("a request is refused: {}: {}", code, text); });
  const auto response = std::make_shared<HostResponse>();
  response->completion =
      Completion::failure(code, fmt::format("{} at {}: {}", name(), format_ns(now()), text));
  respond(request, response);
}

void ControlNode::respond(Transaction& request, std::shared_ptr<const HostResponse> response) {
  request.route().message = std::move(response);
  request.route().make_response();
  send_message(request);
}

}  // namespace kernbench
