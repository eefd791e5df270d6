// Communication: tl.send, tl.recv and related calls.
#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/data/functional_model.h"
#include "models/data/new_op.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
bool Program::connected(const std::string& direction, CallSite site) const {
  context_.calling("connected", site);
  return context_.ipcq_setup().find(direction) != nullptr;
}

std::uint64_t Program::slot_bytes(CallSite site) const {
  context_.calling("slot_bytes", site);
  const IpcqSetup& setup = context_.ipcq_setup();
  if (setup.queue_pairs.empty()) {
    throw UsageError(
        fmt::format("tl.slot_bytes on {}: no queue pair is installed there (torch.ipcq.install)",
                    context_.where().str()));
  }
  return setup.settings.slot_size;
}

int Program::ring_slots(const std::string& direction, CallSite site) const {
  context_.calling("ring_slots", site);
  const IpcqSetup& setup = context_.ipcq_setup();
  const IpcqQueuePair* pair = setup.find(direction);
  if (pair == nullptr) {
    throw UsageError(
        fmt::format("tl.ring_slots on {}: no queue pair in direction '{}'; there are {}",
                    context_.where().str(), direction, setup.directions()));
  }
  return static_cast<int>(pair->n_slots != 0 ? pair->n_slots : setup.settings.n_slots);
}

// --- send ---

IpcqSend Program::message_of(const std::string& direction, TensorValue value,
                             const PhysRanges& from) {
  reap();  // commands known to have completed precede the message
  IpcqSend message{direction, value.shape, value.dtype, nullptr, nullptr, agent_};
  if (data_ != nullptr) {
    value = data_->made_dense(value);
    message.data = data_->taken(value, from);
    message.bytes = std::make_shared<const ByteImage>(std::move(value.image));
  } else if (records_without_data_) {
    message.data = record_of({MemoryParams::Kind::copy, {}, value.dtype, value.shape}, from, {});
  }
  return message;
}

void Program::send(const std::string& direction, const Handle& block, CallSite site) {
  begin("send", site);
  const Handle::State& state = operand("tl.send", block);
  context_.ipcq_send(message_of(direction, state.value, place_of(block)));
}

Handle Program::send_async(const std::string& direction, const Handle& block, CallSite site) {
  begin("send_async", site);
  Handle::State sent = operand("tl.send_async", block);
  IpcqSend message = message_of(direction, sent.value, place_of(block));
  message.agent = fork_agent();
  InFlight entry{nullptr, {block.state_}, {}, {}, "tl.send_async"};
  entry.agent = message.agent;
  entry.command = context_.ipcq_begin(std::move(message))->state;
  sent.producer = entry.command;
  Handle handle(std::make_shared<const Handle::State>(std::move(sent)));
  entry.operands.push_back(handle.state_);
  put_in_flight(std::move(entry));
  return handle;
}

void Program::send(const std::string& direction, const Ptr& from, const Shape& shape, DType dtype,
                   std::optional<MemorySpace> space, CallSite site) {
  begin("send", site);
  check_block("tl.send", shape);
  from.check_elements("tl.send", dtype);
  const std::uint64_t nbytes = bytes_of(shape, dtype);
  const PhysRanges places = resolve_in("tl.send", from, nbytes, space);
  access("tl.send", from, places, false);
  TensorValue value{{}, shape, dtype, {}};
  if (data_ != nullptr) value = data_->view(accessor(), places, shape, dtype);
  context_.ipcq_send(message_of(direction, std::move(value), places));
}

void Program::send(const std::string& direction, const Ptr& from, std::uint64_t nbytes,
                   std::optional<MemorySpace> space, CallSite site) {
  context_.calling("send", site);
  const DType dtype = from.dtype().value_or(DType::i8);
  if (nbytes == 0 || nbytes % size_of(dtype) != 0) {
    throw UsageError(fmt::format("tl.send of {} bytes at {}: no multiple of the {} of {}", nbytes,
                                 from.str(), size_of(dtype), name_of(dtype)));
  }
  send(direction, from, Shape{static_cast<std::int64_t>(nbytes / size_of(dtype))}, dtype, space,
       site);
}

// --- recv ---

// Charges the dispatch time of the call. An empty direction: any.
IpcqReceive Program::begin_receive(const char* call, const std::string& direction,
                                   const Shape& shape, DType dtype, CallSite site) {
  begin(call, site);
  reap();
  IpcqReceive request;
  request.direction = direction;
  request.shape = shape;
  request.dtype = dtype;
  request.agent = agent_;
  return request;
}

Handle Program::receive(IpcqReceive request, std::shared_ptr<ScratchBlock> block,
                        std::string* direction) {
  if (request.to.empty()) request.to = place_of(*block);
  const Shape shape = request.shape;
  const DType dtype = request.dtype;
  const IpcqReceived received = context_.ipcq_receive(std::move(request));
  if (direction != nullptr) *direction = received.direction;
  return received_block(received, shape, dtype, std::move(block));
}

Handle Program::received_block(const IpcqReceived& received, const Shape& shape, DType dtype,
                               std::shared_ptr<ScratchBlock> block) {
  TensorValue value{ByteImage::zeros(bytes_of(shape, dtype)), shape, dtype, {}};
  if (received.bytes != nullptr) value.image = received.bytes->without_captures();
  return make_handle(std::move(value), std::move(block));
}

Handle Program::recv(const std::string& direction, const Shape& shape, DType dtype, CallSite site) {
  context_.calling("recv", site);
  if (direction.empty())
    throw UsageError("tl.recv: a direction without a name; tl.recv(shape, dtype) takes any");
  IpcqReceive request = begin_receive("recv", direction, shape, dtype, site);
  return receive(std::move(request), allocate("tl.recv", shape, dtype));
}

Handle Program::recv(const Shape& shape, DType dtype, std::string* direction, CallSite site) {
  IpcqReceive request = begin_receive("recv", "", shape, dtype, site);
  return receive(std::move(request), allocate("tl.recv", shape, dtype), direction);
}

Handle Program::recv(const std::string& direction, const Shape& shape, DType dtype,
                     const Handle& dst, CallSite site) {
  IpcqReceive request = begin_receive("recv", direction, shape, dtype, site);
  check_block("tl.recv", shape);
  const Handle::State& target = operand("tl.recv", dst);
  if (target.block->nbytes() < bytes_of(shape, dtype)) {
    throw UsageError(fmt::format("tl.recv of {} into {}, which has {} bytes",
                                 describe(dtype, shape), dst.str(), target.block->nbytes()));
  }
  check_overwrite("tl.recv", dst);
  request.copy_to = MemorySpace::tcm;
  return receive(std::move(request), target.block);
}

Handle Program::recv(const std::string& direction, const Shape& shape, DType dtype, const Ptr& dst,
                     MemorySpace dst_space, CallSite site) {
  IpcqReceive request = begin_receive("recv", direction, shape, dtype, site);
  dst.check_elements("tl.recv", dtype);
  request.copy_to = dst_space;
  request.to = resolve_in("tl.recv", dst, request.nbytes(), dst_space);
  check_order("tl.recv", dst, request.to, true);
  const PhysRanges to = request.to;
  const Handle handle = receive(std::move(request), allocate("tl.recv", shape, dtype));
  access("tl.recv", dst, to, true);  // ordered after the message
  if (data_ != nullptr) data_->write(accessor(), handle.state().value, to);
  return handle;
}

RecvFuture Program::recv_async(const std::string& direction, const Shape& shape, DType dtype,
                               CallSite site) {
  begin("recv_async", site);
  check_block("tl.recv_async", shape);
  RecvFuture future;
  future.state_ = std::make_shared<RecvFuture::State>();
  *future.state_ = {this, direction, context_.ipcq_reserve(direction), shape, dtype, std::nullopt};
  if (overlaps_ > 0) receive_concurrently(*future.state_);
  return future;
}

void Program::receive_concurrently(RecvFuture::State& future) {
  future.room = allocate("tl.recv_async", future.shape, future.dtype);
  IpcqReceive request;
  request.direction = future.direction;
  request.shape = future.shape;
  request.dtype = future.dtype;
  request.place = future.place;
  request.to = place_of(*future.room);
  request.agent = fork_agent();
  InFlight entry{nullptr, {}, {}, {}, "tl.recv_async"};
  entry.agent = request.agent;
  entry.receives = true;
  future.operation = context_.ipcq_begin(std::move(request));
  entry.command = future.operation->state;
  put_in_flight(std::move(entry));
}

Handle Program::wait(const RecvFuture& future, CallSite site) {
  if (future.state_ == nullptr) throw UsageError("tl.wait for a receive that was not made");
  RecvFuture::State& state = *future.state_;
  if (state.program != this) throw UsageError("tl.wait for a receive of another kernel");
  IpcqReceive request = begin_receive("wait", state.direction, state.shape, state.dtype, site);
  if (state.block) return *state.block;
  if (state.operation != nullptr) {
    context_.wait(*state.operation);
    forget(state.operation->state);
    state.block =
        received_block(state.operation->received, state.shape, state.dtype, std::move(state.room));
    return *state.block;
  }
  request.place = state.place;
  state.block = receive(std::move(request), allocate("tl.wait", state.shape, state.dtype));
  return *state.block;
}

Handle Program::recv_no_consume(const std::string& direction, const Shape& shape, DType dtype,
                                CallSite site) {
  IpcqReceive request = begin_receive("recv_no_consume", direction, shape, dtype, site);
  request.consume = false;
  return receive(std::move(request), allocate("tl.recv_no_consume", shape, dtype));
}

// --- memory locations ---

// Address of the bytes, which must be in a memory of this PE, or in the one that `space` names.
PhysRanges Program::resolve_in(const char* call, const Ptr& ptr, std::uint64_t nbytes,
                               std::optional<MemorySpace> space) const {
  const PhysRanges ranges = resolve(call, ptr, nbytes);
  const MachineDescription& machine = context_.machine();
  const PeId where = context_.where();
  const auto allowed = [&](NodeId memory) {
    if ((!space || space == MemorySpace::tcm) && memory == machine.engine(where, PeEngine::pe_tcm))
      return true;
    if ((!space || space == MemorySpace::sram) && memory == machine.sram(where.sip, where.cube))
      return true;
    return (!space || space == MemorySpace::hbm) && memory == machine.hbm(where);
  };
  for (const PhysRange& range : ranges) {
    for (const std::uint64_t byte : {range.pa, range.pa + range.nbytes - 1}) {
      const NodeId memory = machine.place_of(byte).node;
      if (allowed(memory)) continue;
      throw UsageError(fmt::format(
          "{}: {} bytes at {} lie in {}, not in {} of {}", call, nbytes, ptr.str(),
          machine.name(memory),
          space ? fmt::format("the {}", name_of(*space)) : std::string("a memory"), where.str()));
    }
  }
  return ranges;
}

}  // namespace kernbench::tl
