// Interfaces between PE_CPU, PE_IPCQ and PE_DMA of one PE for ring buffers (spec 8.1); bound like
// the services of pe_ports.h.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <utility>

#include "models/protocol/ipcq.h"
#include "models/protocol/machine_description.h"

namespace kernbench {

// A send or receive under way, shared by PE_CPU and PE_IPCQ.
class IpcqOperation {
 public:
  bool done() const { return done_; }
  const std::string& error() const { return error_; }  // empty: ok
  const IpcqReceived& received() const { return received_; }
  const sc_core::sc_event& event() const { return event_; }

  void complete(IpcqReceived received = {}) {
    received_ = std::move(received);
    done_ = true;
    event_.notify(sc_core::SC_ZERO_TIME);
  }
  void fail(std::string error) {
    error_ = std::move(error);
    done_ = true;
    event_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  bool done_ = false;
  std::string error_;
  IpcqReceived received_;
  sc_core::sc_event event_{""};  // without a name: operations come and go while the simulation runs
};

// PE_CPU -> PE_IPCQ. Operations are served one after the other, in the order of the calls. An
// operation that names no queue pair, or does not fit a slot, is a UsageError at the call.
class IpcqPort : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_ipcq;
  static constexpr const char* port_name = "ipcq_port";

  virtual void submit_send(std::shared_ptr<IpcqOperation> operation, IpcqSend send) = 0;
  virtual void submit_receive(std::shared_ptr<IpcqOperation> operation, IpcqReceive receive) = 0;
  // The next place in the order of a direction's messages.
  virtual std::uint64_t reserve_receive(const std::string& direction) = 0;
  virtual const IpcqSetup& setup() const = 0;
  // Carries out the message, or answers whether it would be refused. `mine`: this PE's entry in it.
  virtual Completion install(const IpcqInstall& message, const IpcqQueuePairs& mine) = 0;
  // The kernel has returned: an operation under way is dropped, unused places are given back.
  // Failed: the queues are reset and cannot be used before they are installed again.
  virtual void kernel_ended(bool failed) = 0;
};

// End of an access to a slot. `tag` is the requester's own.
class SlotListener {
 public:
  virtual void slot_access_ended(std::uint32_t tag) = 0;

 protected:
  ~SlotListener() = default;
};

// PE_IPCQ -> PE_DMA: the channel vc_comm, and accesses to this PE's slots, one after the other.
class CommAccess : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_dma;
  static constexpr const char* port_name = "comm_access";

  // Rings have been installed.
  virtual void use_rings(const IpcqSettings& settings) = 0;
  // Fire and forget; messages stay in order.
  virtual void send_message(std::shared_ptr<const IpcqMessage> message) = 0;
  virtual void access_slot(bool write, MemorySpace space, std::uint64_t bytes,
                           SlotListener& listener, std::uint32_t tag) = 0;
};

// PE_DMA -> PE_IPCQ.
class IpcqMessageListener : public virtual sc_core::sc_interface {
 public:
  static constexpr PeEngine provider = PeEngine::pe_ipcq;
  static constexpr const char* port_name = "message_listener";

  // Whether the message's slot is still there; called before it is written.
  virtual bool accepts(const IpcqMessage& message) const = 0;
  // The slot has been written: data and head become visible now.
  virtual void message_arrived(const IpcqMessage& message) = 0;
};

}  // namespace kernbench
