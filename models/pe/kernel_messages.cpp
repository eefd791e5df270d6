// KernelCalls, messages: sends and receives of a kernel, on PE_IPCQ (spec 8.1).
#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/pe/kernel_calls.h"

namespace kernbench {

// --- Sends and receives that block

void KernelCalls::ipcq_send(IpcqSend message) {
  check_abort();
  const std::string what = fmt::format("tl.send in direction '{}'", message.direction);
  operation_ = IpcqRequest();
  operation_.what = std::move(message);
  run_ipcq_operation(what);
}

IpcqReceived KernelCalls::ipcq_receive(IpcqReceive request) {
  check_abort();
  const std::string what = request.direction.empty()
                               ? std::string("tl.recv in any direction")
                               : fmt::format("tl.recv in direction '{}'", request.direction);
  operation_ = IpcqRequest();
  operation_.what = std::move(request);
  run_ipcq_operation(what);
  return std::move(operation_.received);
}

std::uint64_t KernelCalls::ipcq_reserve(const std::string& direction) {
  check_abort();
  IpcqRequest request;
  request.stream = launch().stream;
  request.what = IpcqReservation{direction};
  pe_.to_ipcq.b_transport(request);
  return std::get<IpcqReservation>(request.what).place;
}

const IpcqSetup& KernelCalls::ipcq_setup() const {
  IpcqRequest request;
  pe_.to_ipcq.transport_dbg(request);
  return *request.setup;
}

void KernelCalls::run_ipcq_operation(const std::string& what) {
  operation_ended_ = false;
  operation_.stream = launch().stream;
  KernelWait wait;
  wait.reason = std::holds_alternative<IpcqSend>(operation_.what) ? KernelWait::Reason::send
                                                                  : KernelWait::Reason::receive;
  pe_.to_ipcq.nb_transport_fw(operation_);
  show(State::waiting_for_ipcq);
  await_or_end([this] { return operation_ended_; }, [&what] { return what; }, wait);
  show(State::running);
  if (!operation_.error.empty()) throw QueuesResetError(operation_.error);
}

// --- Asynchronous sends and receives

std::shared_ptr<IpcqOperation> KernelCalls::ipcq_begin(IpcqSend message) {
  check_abort();
  Asynchronous& request = asynchronous_.take();
  std::string direction = message.direction;
  request.what = std::move(message);
  std::shared_ptr<IpcqOperation> operation = issue_asynchronous(request, std::move(direction));
  ++outstanding_sends_;
  remember({operation->state, KernelWait::CommandKind::none, KernelWait::Reason::send});
  return operation;
}

std::shared_ptr<IpcqOperation> KernelCalls::ipcq_begin(IpcqReceive message) {
  check_abort();
  Asynchronous& request = asynchronous_.take();
  std::string direction = message.direction;
  message.awaits_credit = false;
  request.what = std::move(message);
  return issue_asynchronous(request, std::move(direction));
}

std::shared_ptr<IpcqOperation> KernelCalls::issue_asynchronous(Asynchronous& request,
                                                               std::string direction) {
  auto operation = std::make_shared<IpcqOperation>();
  operation->state = std::make_shared<CommandState>(pe_.next_command++);
  operation->direction = std::move(direction);
  request.operation = operation;
  request.stream = launch().stream;
  try {
    pe_.to_ipcq.nb_transport_fw(request);
  } catch (...) {
    asynchronous_.give_back(request);
    throw;
  }
  return operation;
}

void KernelCalls::wait(IpcqOperation& operation) {
  check_abort();
  if (!operation.state->done()) {
    show(State::waiting_for_ipcq);
    KernelWait wait;
    wait.reason = KernelWait::Reason::receive;
    operation.state->wakes(resumed_);
    const auto what = [&operation] {
      return fmt::format("tl.recv in direction '{}'", operation.direction);
    };
    await_or_end([&operation] { return operation.state->done(); }, what, wait);
    show(State::running);
  }
  if (!operation.state->error().empty()) throw QueuesResetError(operation.state->error());
}

void KernelCalls::ipcq_ended(IpcqRequest& request) {
  if (&request == &operation_) {
    operation_ended_ = true;
  } else {
    auto& asynchronous = static_cast<Asynchronous&>(request);
    IpcqOperation& operation = *asynchronous.operation;
    if (std::holds_alternative<IpcqSend>(request.what)) --outstanding_sends_;
    operation.received = std::move(request.received);
    if (!request.error.empty()) operation.state->fail(request.error);
    operation.state->complete();
    asynchronous_.give_back(asynchronous);
  }
  resumed_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace kernbench
