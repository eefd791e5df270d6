// Service policies of a memory that answers whole messages, as classes (spec 2.6): the interface
// that MemoryNode<Service> (models/cube/sram.h) requires, and the built-in policy; a memory of
// this kind as a part of another node.
//
//   class OnePort : public MemoryService {
//    public:
//     static constexpr const char* description = "scratchpad of a cube with one port";
//     struct Parameters : MemoryParameters { ... };
//     OnePort(ArrivalQueue& inbox, const Parameters& parameters);
//     Fs next_due() const;
//     template <class Done> void serve(Fs now, Done done);
//   };
//
//   registry.add(implementation_of<MemoryNode<OnePort>>("acme.one_port"));
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/address/phys_addr.h"
#include "models/base/errors.h"
#include "models/base/observables.h"
#include "models/base/parameter_set.h"
#include "models/protocol/atomic_part.h"
#include "models/protocol/fabric_node.h"

namespace kernbench {

// Parameters that the node and the address map read; parameters of a service are derived from them.
struct MemoryParameters : ParameterSet {
  using ParameterSet::ParameterSet;
  Param<Fs> overhead{
      *this,
      Parameter::duration_ns(
          "overhead_ns", "time from the last flit of a write, or the read command, to the response",
          "spec 2.6")
          .default_val(0)};
  Param<std::int64_t> size_mb{
      // read by the address map
      *this, Parameter::integer("size_mb", "capacity", "MiB", "spec 1.2, 3.1")
                 .default_val(32)
                 .range(1, PhysAddr::cube_sram_bytes >> 20)};
  Param<std::uint32_t> flit_bytes{
      *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                 .range(1, 65536)
                 .from_machine()};
};

// Base of service classes: defaults for members that a class does not declare itself.
//
// A service class takes whole messages out of the inbox (ArrivalQueue::control(): a write with its
// last flit, the command of a read; future ones included). next_due() is the instant of its next
// decision, never_fs if there is none; serve(now) calls done(arrival, start) once for each access
// that ends at `now`, where `start` is the instant at which its service began. The node answers.
struct MemoryService {
  // Statistics and signals of the service.
  void observe(Observables& /*to*/) {}
};

// Built-in policy: any number of concurrent accesses, each served `overhead_ns` after its arrival.
class FixedLatency : public MemoryService {
 public:
  static constexpr const char* description = "shared scratchpad of a cube";
  using Parameters = MemoryParameters;

  FixedLatency(ArrivalQueue& inbox, const Parameters& parameters)
      : FixedLatency(inbox, *parameters.overhead) {}
  FixedLatency(ArrivalQueue& inbox, Fs overhead) : inbox_(inbox), overhead_(overhead) {}

  Fs next_due() const { return inbox_.control_due(overhead_); }
  template <class Done>
  void serve(Fs now, Done done) {
    inbox_.take_control(now, overhead_,
                        [&](const Arrival& arrival) { done(arrival, arrival.time); });
  }

 private:
  ArrivalQueue& inbox_;
  Fs overhead_;
};

// Throws ModelError if a service ends an access that it does not hold, or ends one twice.
inline void check_unanswered(const FabricNode& memory, const Transaction& transaction) {
  const RouteExtension& route = transaction.route();
  if (route.path == nullptr || route.leg != Leg::request ||
      route.path->hops().back().node != memory.node())
    throw ModelError(
        "its service has called done() for an access that has been answered, or is not in flight");
}

// Whether an access is only a read or write of contiguous bytes.
inline bool is_plain(const RouteExtension& route) {
  return route.list == nullptr && route.atomic == nullptr;
}

// Answers an access that the memory does not serve with an error.
template <class Send>
void refuse_access(Transaction& transaction, tlm::tlm_response_status status,
                   const std::string& text, Send send) {
  RouteExtension& route = transaction.route();
  transaction.set_response_status(status);
  route.message = std::make_shared<ResponseFault>(text);
  if (transaction.is_write() && route.posted) return route.listener->completed(transaction);
  route.list.reset();
  route.make_response();
  send(transaction, 0, 0);
}

template <class Send>
void refuse_atomic(Transaction& transaction, Send send) {
  refuse_access(transaction, tlm::TLM_COMMAND_ERROR_RESPONSE,
                std::string(name_of(transaction.route().atomic->access->op)) +
                    " is not served there; built-in HBM and SRAM serve it, RTL blocks and plain "
                    "TLM-2.0 targets do not",
                send);
}

// Answers an access that has ended: send(transaction, flit, count) hands a run of the response leg
// over to the link. A posted write completes here. An atomic access is refused: a memory that
// serves it answers it by answer_atomic (models/fabric/atomic_service.h).
template <class Send>
void answer_access(Transaction& transaction, std::uint32_t flit_bytes, Send send) {
  RouteExtension& route = transaction.route();
  if (route.atomic != nullptr) return refuse_atomic(transaction, send);
  if (transaction.is_read()) {
    route.make_response();
    route.cut_flits(transaction.get_data_length(), flit_bytes);
    send(transaction, 0, route.flits);
  } else if (route.posted) {
    route.listener->completed(transaction);
  } else {
    route.listener->committed(transaction);
    route.make_response();
    send(transaction, 0, 0);
  }
}

// Answers an access that is not plain with an error; for a memory that serves contiguous reads and
// writes only.
template <class Send>
void refuse_not_plain(const FabricNode& memory, Transaction& transaction, Send send) {
  if (transaction.route().atomic != nullptr) return refuse_atomic(transaction, send);
  refuse_access(transaction, tlm::TLM_BURST_ERROR_RESPONSE,
                std::string(memory.name()) + " serves contiguous accesses only, and this one has " +
                    std::to_string(transaction.route().list->runs()) + " runs of bytes",
                send);
}

// Memory that answers whole messages, as a part of a node: TCM as a traffic target (spec 2.6).
//
// No serial server: `overhead` after the last flit of a write or the command of a read the whole
// response contends for the link at once; a posted write completes then. Answers of one instant
// leave in order of arrival, by the tie rule.
class TerminalMemory {
 public:
  // The queue keeps whole messages (ArrivalQueue::Forwarding::store_and_forward).
  TerminalMemory(ArrivalQueue& queue, Fs overhead, std::uint32_t flit_bytes)
      : service_(queue, overhead), flit_bytes_(flit_bytes) {}

  Fs next_due() const { return service_.next_due(); }

  // Answers every access that is due at `now`: send(transaction, flit, count) hands a run of the
  // response leg over to the link. accessed(const Arrival&) is called before each answer.
  template <class Send, class Accessed>
  void serve(Fs now, Send send, Accessed accessed) {
    service_.serve(now, [&](const Arrival& arrival, Fs /*start*/) {
      accessed(arrival);
      answer_access(*arrival.transaction, flit_bytes_, send);
    });
  }

 private:
  FixedLatency service_;
  std::uint32_t flit_bytes_;
};

}  // namespace kernbench
