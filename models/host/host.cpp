#include "models/host/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/errors.h"
#include "models/base/program_end.h"
#include "models/data/functional_model.h"
#include "models/host/placement.h"

namespace kernbench {
namespace {

// Size of a memory request: " of 4096 B".
std::string bytes_of(const Transaction& transaction) {
  return transaction.accesses_memory() ? fmt::format(" of {} B", transaction.get_data_length())
                                       : std::string();
}

unsigned element_bytes(FillPattern::Kind kind) {
  switch (kind) {
    case FillPattern::Kind::zero:
    case FillPattern::Kind::u8:
      return 1;
    case FillPattern::Kind::u16:
    case FillPattern::Kind::fp16:
      return 2;
    case FillPattern::Kind::u32:
    case FillPattern::Kind::fp32:
      return 4;
  }
  return 1;
}

}  // namespace

Host::Host(const ComponentInit& init)
    : Component(init), machine_services_(machine_services(init.services)),
      turns_(services().end_of_timestep(), node()),
      pending_signal_(
          add_signal("pending", "requests in flight", SignalFormat::count("requests"))) {
  for (int sip = 0; sip < machine().sips; ++sip) {
    const NodeId pcie_ep = machine().pcie_ep(sip);
    keys_.emplace_back(pcie_ep);
    to_pcie_eps_.push_back(std::make_unique<ServiceInitiator<Transaction>>(
        nullptr, Role::pcie_ep, socket_peer(machine().name(pcie_ep))));
  }
  add_statistic("requests", "requests submitted", Quantity::count, requests_);
  SC_HAS_PROCESS(Host);
  SC_THREAD(program);
  set_stack_size(thread_stack_bytes);
}

// --- Requests

TransactionHandle Host::memory_request(tlm::tlm_command command, std::uint64_t pa,
                                       std::uint64_t nbytes) {
  TransactionHandle transaction = machine_services_.pool().make();
  transaction->set_command(command);
  transaction->set_address(pa);
  transaction->set_data_length(static_cast<unsigned>(nbytes));
  return transaction;
}

std::shared_ptr<HostRequest> Host::submit(std::shared_ptr<const MemoryWrite> message) {
  validate(*message);
  const MemoryTarget place = check_placement(machine(), "MemoryWrite", message->dst, message->pa,
                                             message->nbytes, message->dst_mem_kind);
  const int sip = message->dst.sip;
  TransactionHandle transaction =
      memory_request(tlm::TLM_WRITE_COMMAND, message->pa, message->nbytes);
  RouteExtension& route = transaction->route();
  route.offset = place.offset;
  route.posted = true;
  route.cut_flits(message->nbytes, machine().flit_bytes);
  auto request = std::make_shared<HostRequest>(label_of("MemoryWrite", *message));
  return inject(sip, machine_services_.routes().memory_path(machine().pcie_ep(sip), place.node),
                std::move(transaction), {{}, std::move(request), std::move(message)});
}

std::shared_ptr<HostRequest> Host::submit(std::shared_ptr<const MemoryRead> message) {
  validate(*message);
  const MemoryTarget place = check_placement(machine(), "MemoryRead", message->src, message->pa,
                                             message->nbytes, MemoryKind::automatic);
  const int sip = message->src.sip;
  TransactionHandle transaction =
      memory_request(tlm::TLM_READ_COMMAND, message->pa, message->nbytes);
  transaction->route().offset = place.offset;
  auto request = std::make_shared<HostRequest>(label_of("MemoryRead", *message));
  return inject(sip, machine_services_.routes().memory_path(machine().pcie_ep(sip), place.node),
                std::move(transaction), {{}, std::move(request), nullptr, std::move(message)});
}

std::shared_ptr<HostRequest> Host::submit(std::shared_ptr<const MmuMap> message) {
  validate(*message);
  return submit_control(std::move(message));
}

std::shared_ptr<HostRequest> Host::submit(std::shared_ptr<const MmuUnmap> message) {
  validate(*message);
  return submit_control(std::move(message));
}

std::shared_ptr<HostRequest> Host::submit(std::shared_ptr<const SegmentInstall> message) {
  validate(*message);
  return submit_control(std::move(message));
}

std::shared_ptr<HostRequest> Host::submit(std::shared_ptr<const SegmentRemove> message) {
  validate(*message);
  return submit_control(std::move(message));
}

std::shared_ptr<HostRequest> Host::submit(std::shared_ptr<const IpcqInstall> message) {
  validate(*message);
  return submit_control(std::move(message));
}

std::shared_ptr<HostRequest> Host::submit(std::shared_ptr<const KernelLaunch> message) {
  validate(*message);
  const KernelRef& kernel = message->kernel;
  if (kernel.kind == KernelRef::Kind::deployed) {
    check_placement(machine(), "KernelLaunch", kernel.deploy_where, kernel.deploy_pa,
                    kernel.nbytes_code, MemoryKind::automatic);
  }
  return submit_control(std::move(message));
}

std::shared_ptr<HostRequest> Host::submit_control(std::shared_ptr<const PeMessage> message) {
  check_targets(machine(), *message);
  const int sip = message->targets.front().sip;
  TransactionHandle transaction = machine_services_.pool().make();
  transaction->set_command(tlm::TLM_IGNORE_COMMAND);
  transaction->route().host_control = true;
  auto request = std::make_shared<HostRequest>(label_of(message->type_name(), *message));
  auto launch = std::dynamic_pointer_cast<const KernelLaunch>(message);
  transaction->route().message = std::move(message);
  return inject(
      sip, machine_services_.routes().control_path(machine().pcie_ep(sip), machine().io_cpu(sip)),
      std::move(transaction), {{}, std::move(request), nullptr, nullptr, std::move(launch)});
}

std::shared_ptr<HostRequest> Host::inject(int sip, const Path& path, TransactionHandle transaction,
                                          Pending pending) {
  RouteExtension& route = transaction->route();
  route.path = &path;
  route.key = keys_[static_cast<std::size_t>(sip)].next(now());
  route.listener = this;
  if (pending.write != nullptr || pending.read != nullptr)
    services().observation().host_transfers.write({*transaction});
  while (machine_services_.stopping()) wait_in_program([] { sc_core::wait(); });
  const std::shared_ptr<HostRequest> request = pending.request;
  request->issued = now();
  ++requests_;
  pending.transaction = transaction;
  pending.sip = sip;
  log_.info([&] {
    return fmt::format("{}{} to sip{} submitted", request->what(), bytes_of(*transaction), sip);
  });
  pending_.emplace(route.key, std::move(pending));
  pending_signal_.set(pending_.size());
  start(sip, *transaction);
  return request;
}

void Host::completed(Transaction& transaction) {
  if (notices_.erase(transaction.route().key) > 0) return;
  const auto node = pending_.extract(transaction.route().key);
  if (!node)
    throw ModelError(fmt::format("{} completed a request of the host twice",
                                 machine().name(transaction.route().path->source())));
  pending_signal_.set(pending_.size());
  const Pending& pending = node.mapped();
  auto response = std::dynamic_pointer_cast<const HostResponse>(transaction.route().message);
  if (response == nullptr) response = response_to_memory(pending, transaction);
  if (pending.launch != nullptr && pending.launch->group != 0 && !response->completion.ok &&
      !response->completion.is_consequence()) {
    if (pending.launch->failure_policy == FailurePolicy::fail_fast) {
      end_others_of(pending.launch->group, response->completion.error_message);
    } else {
      failed_groups_.push_back(pending.launch->group);
    }
  }
  log_end(pending, response->completion);
  pending.request->complete(std::move(response), now());
}

void Host::log_end(const Pending& pending, const Completion& completion) const {
  const auto text = [&](const char* how) {
    return fmt::format("{} to sip{} {} after {}", pending.request->what(), pending.sip, how,
                       format_ns(now() - pending.request->issued));
  };
  if (completion.ok) return log_.info([&] { return text("ended"); });
  log_.warning([&] {
    return fmt::format("{}: {}: {}", text("failed"), completion.error_code,
                       completion.error_message);
  });
}

std::shared_ptr<const HostResponse> Host::response_to_memory(const Pending& pending,
                                                             const Transaction& transaction) {
  const auto response = std::make_shared<HostResponse>();
  if (transaction.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE) {
    response->completion = Completion::failure(
        transaction.get_response_string(), fmt::format("{} failed at {}{}", pending.request->what(),
                                                       format_ns(now()), fault_text(transaction)));
  } else if (data() != nullptr && pending.write != nullptr) {
    commit(*pending.write);
  } else if (data() != nullptr && pending.read != nullptr &&
             pending.read->dst_kind == ReadSink::host_sink) {
    response->image = std::make_shared<const ByteImage>(
        data()->memory().snapshot(pending.read->pa, pending.read->nbytes));
  }
  return response;
}

void Host::end_launch(std::shared_ptr<const KernelLaunch> launch, const std::string& cause) {
  const int sip = launch->targets.front().sip;
  const auto notice = std::make_shared<LaunchAbort>();
  notice->launch = std::move(launch);
  notice->cause = cause;
  TransactionHandle transaction = machine_services_.pool().make();
  transaction->set_command(tlm::TLM_IGNORE_COMMAND);
  RouteExtension& route = transaction->route();
  route.host_control = true;
  route.posted = true;
  route.path =
      &machine_services_.routes().control_path(machine().pcie_ep(sip), machine().io_cpu(sip));
  route.key = keys_[static_cast<std::size_t>(sip)].next(now());
  route.listener = this;
  route.message = notice;
  notices_.emplace(route.key, transaction);
  start(sip, *transaction);
}

void Host::end_others_of(std::uint64_t group, const std::string& cause) {
  for (const auto& [key, pending] : pending_) {
    if (pending.launch != nullptr && pending.launch->group == group)
      end_launch(pending.launch, cause);
  }
}

void Host::end_launches() {
  for (const auto& [key, pending] : pending_) {
    if (pending.launch != nullptr) end_launch(pending.launch);
  }
}

bool Host::end_blocked_launches() {
  const auto failed = std::exchange(failed_groups_, {});
  const auto has_failed = [&](const auto& entry) {
    return entry.second.launch != nullptr &&
           std::find(failed.begin(), failed.end(), entry.second.launch->group) != failed.end();
  };
  if (!std::any_of(pending_.begin(), pending_.end(), has_failed)) return false;
  for (const std::uint64_t group : failed) end_others_of(group);
  return true;
}

bool Host::provide_bytes(const Transaction& transaction, unsigned char* out) {
  const auto found = pending_.find(transaction.route().key);
  if (found == pending_.end() || found->second.write == nullptr) return false;
  const MemoryWrite& write = *found->second.write;
  if (const auto* pattern = std::get_if<FillPattern>(&write.source)) {
    const unsigned size = element_bytes(pattern->kind);
    const std::uint32_t bits = pattern->kind == FillPattern::Kind::zero ? 0 : pattern->bits;
    for (std::uint64_t i = 0; i < write.nbytes; ++i)
      out[i] = static_cast<unsigned char>(bits >> 8 * (i % size));
  } else {
    const auto& buffer = *std::get<std::shared_ptr<const std::vector<std::uint8_t>>>(write.source);
    std::copy(buffer.begin(), buffer.end(), out);
  }
  return true;
}

void Host::commit(const MemoryWrite& write) {
  MemoryStore& memory = data()->memory();
  if (const auto* pattern = std::get_if<FillPattern>(&write.source)) {
    if (pattern->kind == FillPattern::Kind::zero) return memory.clear(write.pa, write.nbytes);
    return memory.fill(write.pa, write.nbytes, &pattern->bits, element_bytes(pattern->kind));
  }
  const auto& buffer = *std::get<std::shared_ptr<const std::vector<std::uint8_t>>>(write.source);
  memory.write_bytes(write.pa, buffer.data(), write.nbytes);
}

}  // namespace kernbench
