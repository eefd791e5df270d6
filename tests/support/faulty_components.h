// Components that break their contracts: messages that are lost or passed on twice, runs of flits
// that are not allowed, requests that are never answered, twice, or too early.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "models/base/parameter_set.h"
#include "models/fabric/router_service.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/host_messages.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench::test {

// A router that loses what comes as `nth`, flit or control message, or passes it on twice.
class FaultyRouter : public SerialService {
 public:
  static constexpr const char* description = "router that loses or doubles a message";
  struct Parameters : RouterParameters {
    using RouterParameters::RouterParameters;
    Param<std::uint64_t> nth{
        *this, Parameter::integer("nth", "of all that comes, from 0", "", "tests").default_val(0)};
    Param<bool> twice{*this,
                      Parameter::boolean("twice", "instead of never", "tests").default_val(false)};
  };
  FaultyRouter(ArrivalQueue& inbox, const Parameters& parameters)
      : SerialService(inbox, parameters), nth_(*parameters.nth), twice_(*parameters.twice) {}

  template <class PassOn>
  void serve(Fs now, PassOn pass_on) {
    SerialService::serve(now, [&](const Arrival& arrival, Fs start) {
      const bool at_fault = seen_++ == nth_;
      if (!at_fault || twice_) pass_on(arrival, start);
      if (at_fault && twice_) pass_on(arrival, start);
    });
  }

 private:
  std::uint64_t nth_, seen_ = 0;
  bool twice_;
};

// A router that takes runs of flits and hands each over at once, or in a way that is not allowed.
class FaultyRuns final : public FabricNode {
 public:
  static constexpr const char* description = "router that misuses runs of flits";
  static constexpr std::array roles{Role::router};
  struct Parameters : RouterParameters {
    using RouterParameters::RouterParameters;
    Param<std::string> fault{
        *this,
        Parameter::choice("fault", "of a run",
                          {"none", "past", "spacing", "too_many", "part", "withdraws"}, "tests")
            .default_val("none")};
  };
  explicit FaultyRuns(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::cut_through), parameters_(init.attributes) {}

 private:
  bool takes_runs() const override { return true; }
  Fs next_due() const override {
    const Arrival* first = arrivals_.data();
    return std::min(first == nullptr ? never_fs : first->time, arrivals_.control_due());
  }
  void serve() override {
    arrivals_.take_control(now(), 0, [this](const Arrival& arrival) {
      send(*arrival.transaction, 0, 0, arrival.position, now());
    });
    while (next_due() <= now()) {
      const Arrival run = *arrivals_.data();
      arrivals_.take(run.count);
      pass_on(run, run.count == 1 ? "none" : *parameters_.fault);
    }
  }
  void pass_on(const Arrival& run, const std::string& fault) {
    Transaction& transaction = *run.transaction;
    const std::uint32_t count = fault == "part"       ? run.count - 1
                                : fault == "too_many" ? run.count + 1
                                                      : run.count;
    const Fs at = fault == "past" ? now() - fs_per_ns : now();
    const Fs spacing = fault == "spacing" ? Fs{0} - run.spacing : run.spacing;
    send_run(transaction, run.flit, count, run.position, at, spacing);
    if (fault == "withdraws")
      recall(transaction.route().path->out_port(run.position), transaction, run.position, 0);
  }

  const Parameters parameters_;
};

// An MMU that answers no message, or each one twice: `sends`, or as a new response each time.
class FaultyMmu final : public FabricNode, private ServiceProvider<TranslationRequest> {
 public:
  static constexpr const char* description = "MMU that answers never or twice";
  static constexpr std::array roles{Role::pe_mmu};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<std::string> answers{*this, Parameter::choice("answers", "to a message",
                                                        {"never", "sends", "responses"}, "tests")
                                          .default_val("never")};
    Param<std::uint64_t> page_bytes{
        *this, Parameter::integer("page_bytes", "of the machine", "B", "tests").default_val(4096)};
  };
  explicit FaultyMmu(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
        parameters_(init.attributes) {}

 private:
  Fs next_due() const override { return arrivals_.control_due(); }
  void serve() override {
    arrivals_.take_control(now(), 0, [this](const Arrival& arrival) {
      if (*parameters_.answers == "never") return;
      answer(*arrival.transaction, true);
      answer(*arrival.transaction, *parameters_.answers == "responses");
    });
  }
  void answer(Transaction& request, bool make_response) {
    request.route().message = std::make_shared<HostResponse>();
    if (make_response) request.route().make_response();
    send(request, 0, 0, 0, now());
  }
  void b_transport(TranslationRequest& request, sc_core::sc_time& /*delay*/) override {
    transport_dbg(request);
  }
  void transport_dbg(TranslationRequest& request) override {
    request.ranges = {{request.address, request.nbytes}};
  }

  const Parameters parameters_;
  ServiceTarget<TranslationRequest> translations_{*this, *this};
};

// A TCM that never answers its engines, or at the call, without the phases of the service.
class FaultyTcm final : public FabricNode, private ServiceProvider<TcmRequest> {
 public:
  static constexpr const char* description = "TCM that answers never or too early";
  static constexpr std::array roles{Role::pe_tcm};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<bool> early{
        *this,
        Parameter::boolean("early", "TLM_COMPLETED at the call", "tests").default_val(false)};
    Param<std::uint64_t> size_mb{
        *this, Parameter::integer("size_mb", "capacity", "MiB", "tests").default_val(2)};
    Param<std::uint64_t> reserved_kb{
        *this,
        Parameter::integer("reserved_kb", "of the scheduler", "KiB", "tests").default_val(512)};
  };
  explicit FaultyTcm(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
        parameters_(init.attributes) {}

 private:
  Fs next_due() const override { return never_fs; }
  void serve() override {}
  tlm::tlm_sync_enum nb_transport_fw(TcmRequest& /*request*/, tlm::tlm_phase& /*phase*/) override {
    return *parameters_.early ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  }

  const Parameters parameters_;
  ServiceTarget<TcmRequest> accesses_{*this, *this};
};

}  // namespace kernbench::test
