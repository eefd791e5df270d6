// A host without a fabric, whose machine answers at once; it logs the runtime's messages in order.
// It runs a body on an SC_THREAD, as a host program would run. Inside a forked child:
//
//   StubHost host;
//   run_on(host, [&](Torch& torch, Runtime&) { torch.zeros({4}, f16, DPPolicy(), "t"); });
//   BOOST_TEST(host.log == Lines{...}, ...);
#pragma once

#include <sysc/kernel/sc_spawn.h>

#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/data/functional_model.h"
#include "models/protocol/host_port.h"
#include "sw/distributed/distributed_state.h"
#include "sw/torch/torch.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/tl/fake_pe.h"

namespace kernbench::test {

class StubHost final : public sc_core::sc_module, public HostPort {
 public:
  SC_HAS_PROCESS(StubHost);
  explicit StubHost(bool with_data = true)
      : sc_core::sc_module(sc_core::sc_module_name("host")), with_data_(with_data) {
    SC_THREAD(run_body);
  }

  // Simulates until nothing is left to do; rethrows what the body threw.
  void run(std::function<void(HostPort&)> body) {
    body_ = std::move(body);
    sc_core::sc_start();
    if (error_) std::rethrow_exception(error_);
  }

  Fs now() const override { return sc_core::sc_time_stamp().value(); }
  const MachineDescription& machine() const override { return machine_; }
  FunctionalModel* data() override { return with_data_ ? &functional_model : nullptr; }

  std::shared_ptr<HostRequest> submit(std::shared_ptr<const MemoryWrite> message) override {
    validate(*message);
    if (const auto* pattern = std::get_if<FillPattern>(&message->source)) {
      const std::uint64_t size =
          pattern->kind == FillPattern::Kind::u8                                                ? 1
          : pattern->kind == FillPattern::Kind::u16 || pattern->kind == FillPattern::Kind::fp16 ? 2
                                                                                                : 4;
      if (pattern->kind == FillPattern::Kind::zero)
        functional_model.memory().clear(message->pa, message->nbytes);
      else
        functional_model.memory().fill(message->pa, message->nbytes, &pattern->bits, size);
    } else {
      functional_model.memory().write_bytes(message->pa, std::get<1>(message->source)->data(),
                                            message->nbytes);
    }
    return answer("MemoryWrite " + message->dst.str() + " " + std::to_string(message->nbytes));
  }
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const MemoryRead> message) override {
    validate(*message);
    const bool discard = message->dst_kind == ReadSink::discard;
    auto response = std::make_shared<HostResponse>();
    if (with_data_ && !discard)
      response->image = std::make_shared<const ByteImage>(
          functional_model.memory().snapshot(message->pa, message->nbytes));
    return answer("MemoryRead " + message->src.str() + " " + std::to_string(message->nbytes) +
                      (discard ? " discarded" : ""),
                  response);
  }
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const MmuMap> message) override {
    validate(*message);
    maps.push_back(*message);
    return answer("MmuMap " + std::to_string(message->entries.size()) + " to " +
                  std::to_string(message->targets.size()));
  }
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const MmuUnmap> message) override {
    validate(*message);
    return answer("MmuUnmap " + std::to_string(message->entries.size()) + " to " +
                  std::to_string(message->targets.size()));
  }
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const SegmentInstall> message) override {
    validate(*message);
    installs.push_back(*message);
    return answer("SegmentInstall " + std::to_string(message->segments.size()) + " to " +
                  std::to_string(message->targets.size()));
  }
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const SegmentRemove> message) override {
    validate(*message);
    return answer("SegmentRemove " + std::to_string(message->segments.size()) + " to " +
                  std::to_string(message->targets.size()));
  }
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const IpcqInstall> message) override {
    validate(*message);
    rings.push_back(*message);
    return answer("IpcqInstall " + std::to_string(message->queue_pairs.size()) + " to " +
                  std::to_string(message->targets.size()));
  }
  std::shared_ptr<HostRequest> submit(std::shared_ptr<const KernelLaunch> message) override {
    validate(*message);
    launches.push_back(*message);
    log.push_back("KernelLaunch " + message->kernel.name + " on " +
                  std::to_string(message->targets.size()));
    auto request = std::make_shared<HostRequest>("KernelLaunch '" + message->kernel.name + "'");
    request->issued = now();
    return request;  // ends when it is waited for
  }
  void wait(HostRequest& request) override {
    if (request.done()) return;
    sc_core::wait(100, sc_core::SC_NS);
    auto response = std::make_shared<HostResponse>();
    response->completion = launch_result;
    response->metrics.pe_exec = 100 * fs_per_ns;
    response->per_pe[{0, 0, 0}] = response->metrics;
    request.complete(response, now());
    log.push_back("launch ended");
  }
  void wait(const sc_core::sc_event& event, const std::string&) override { sc_core::wait(event); }
  bool wait_until(const sc_core::sc_event& event, Fs deadline, const std::string&) override {
    sc_core::wait(sc_core::sc_time::from_value(deadline - now()), event);
    return event.triggered();
  }
  void end_launches() override { log.push_back("launches told to end"); }
  void spawn(const std::string& name, std::function<void()> body) override {
    sc_core::sc_spawn(body, sc_core::sc_gen_unique_name(name.c_str()));
  }

  FunctionalModel functional_model;
  MachineDescription machine_ = fake_machine();
  Completion launch_result;
  std::vector<std::string> log;
  std::vector<MmuMap> maps;
  std::vector<SegmentInstall> installs;
  std::vector<IpcqInstall> rings;
  std::vector<KernelLaunch> launches;

 private:
  std::shared_ptr<HostRequest> answer(
      const std::string& what,
      std::shared_ptr<const HostResponse> response = std::make_shared<HostResponse>()) {
    log.push_back(what);
    auto request = std::make_shared<HostRequest>(what);
    request->issued = now();
    request->complete(std::move(response), now());
    return request;
  }
  void run_body() {
    try {
      body_(*this);
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  bool with_data_;
  std::function<void(HostPort&)> body_;
  std::exception_ptr error_;
};

using Lines = std::vector<std::string>;

inline void run_on(StubHost& host, const std::function<void(Torch&, Runtime&)>& body) {
  Runtime runtime(host, "test");
  DistributedState distributed(runtime);
  host.run([&](HostPort&) {
    runtime.memory->start_reaper();
    {
      Torch torch(distributed, 0, 1, {});
      body(torch, runtime);
    }
    runtime.memory->close();
  });
}

inline void do_nothing(tl::Program&, tl::Ptr) {}

}  // namespace kernbench::test
