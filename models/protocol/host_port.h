// Interface of the machine to a host program: implemented by the Host component, used by the
// runtime. Calls are made on a host SC_THREAD; submit() never blocks.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "models/base/units.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/ipcq.h"
#include "models/protocol/machine_description.h"

namespace kernbench {

class FunctionalModel;

// A request in flight. `response` is set at the simulated instant of completion.
class HostRequest {
 public:
  explicit HostRequest(std::string what) : what_(std::move(what)) {}
  const std::string& what() const { return what_; }  // "KernelLaunch 'matmul'"
  bool done() const { return response_ != nullptr; }
  const HostResponse& response() const { return *response_; }
  const sc_core::sc_event& completed() const { return completed_; }
  Fs issued = 0;
  Fs ended = 0;

  void complete(std::shared_ptr<const HostResponse> response, Fs now) {
    response_ = std::move(response);
    ended = now;
    completed_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  std::string what_;
  std::shared_ptr<const HostResponse> response_;
  sc_core::sc_event completed_{
      ""};  // without a name: requests are created and destroyed during the simulation
};

class HostPort {
 public:
  virtual ~HostPort() = default;

  virtual Fs now() const = 0;
  virtual const MachineDescription& machine() const = 0;
  virtual FunctionalModel* data() = 0;  // null with data off

  // Each validates, injects at the pcie_ep of the message's SIP, and returns at once. With data on,
  // a write's bytes are in memory when the request is done.
  virtual std::shared_ptr<HostRequest> submit(std::shared_ptr<const MemoryWrite> message) = 0;
  virtual std::shared_ptr<HostRequest> submit(std::shared_ptr<const MemoryRead> message) = 0;
  virtual std::shared_ptr<HostRequest> submit(std::shared_ptr<const MmuMap> message) = 0;
  virtual std::shared_ptr<HostRequest> submit(std::shared_ptr<const MmuUnmap> message) = 0;
  virtual std::shared_ptr<HostRequest> submit(std::shared_ptr<const SegmentInstall> message) = 0;
  virtual std::shared_ptr<HostRequest> submit(std::shared_ptr<const SegmentRemove> message) = 0;
  virtual std::shared_ptr<HostRequest> submit(std::shared_ptr<const IpcqInstall> message) = 0;
  virtual std::shared_ptr<HostRequest> submit(std::shared_ptr<const KernelLaunch> message) = 0;

  // Blocks the calling SC_THREAD until the request is done. Does not check its completion.
  virtual void wait(HostRequest& request) = 0;

  // Blocks the calling SC_THREAD until the event; a report of a deadlock says that it waits for
  // `what`.
  virtual void wait(const sc_core::sc_event& event, const std::string& what) = 0;
  // Blocks up to `deadline`; returns false if the event has not occurred.
  virtual bool wait_until(const sc_core::sc_event& event, Fs deadline, const std::string& what) = 0;

  // Starts a worker thread of the host program; `name` is made unique. An exception that leaves the
  // body ends the run. A killed thread counts as ended.
  virtual void spawn(const std::string& name, std::function<void()> body) = 0;

  // Aborts every launch in flight; it answers as failed.
  virtual void end_launches() = 0;
};

// Program on the Host's own SC_THREAD. An exception that leaves run() is the run's first cause.
class HostProgram {
 public:
  virtual ~HostProgram() = default;
  virtual void run(HostPort& port) = 0;

  // Texts for reports; both stay valid.
  virtual const char* name() const { return "unnamed"; }
  virtual const char* last_call() const {
    return "";
  }  // last call of the current thread, "launch"; outside of the threads: of a running one
};

}  // namespace kernbench
