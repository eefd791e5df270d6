// DoubledTimes: estimates, in one run, the length of the run with twice as much of each resource
// (resources.h).
//
// Every point of a run (end of an operation, dispatch, message) carries its time with twice as much
// of each resource (DoubledPoint). It follows the last of the points that it depends on, as in
// the critical path (docs/op-log.md), separately for each resource: a different chain of
// dependences may become the longest. Reductions with twice as much of a resource:
//
//   PE_GEMM, PE_MATH                       operations by whole cycles, ceil(work / rate)
//   channels of PE_TCM                     accesses by half
//   links, HBM, overheads of nodes         transfers by transfer_savings.h
//   contention                             by half the delay of a transfer compared with an idle
//                                          machine
//   channels of PE_DMA                     waits: an operation follows the one before the last; it
//                                          ends at least the time of its payload after the last
//   credits                                waits: a message needs the credit of twice as many
//                                          messages before it
//   accel_slot, tile buffers               waits to nothing
//   dispatch, the kernel's own cycles      by half
//
// Memory is bounded by what is in flight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/units.h"
#include "models/protocol/observation.h"
#include "models/protocol/ring_buffer.h"
#include "platform/assembly/platform.h"
#include "platform/observe/doubled_point.h"
#include "platform/observe/transfer_savings.h"

namespace kernbench {

// Completed memory access of an initiator other than a kernel.
struct CompletedAccess {
  const Path& path;  // path of the request
  bool write = false;
  std::uint64_t bytes = 0;
  Fs issue = 0, grant = 0, end = 0;  // grant: a channel of the initiator is free
};

class DoubledTimes final : private tlm::tlm_analysis_if<ExecutedOp>,
                           private tlm::tlm_analysis_if<TraceEvent>,
                           private tlm::tlm_analysis_if<KernelRun>,
                           private tlm::tlm_analysis_if<KernelWait> {
 public:
  // Observes `platform`, which outlives it.
  DoubledTimes(Platform& platform, Resources& resources);

  void add(const CompletedAccess& access);

  bool has_ended() const { return last_.time > 0; }  // a kernel or an access has ended
  // Time saved, by resource, up to the last response.
  std::vector<Fs> saved() const;
  ResourceId contention() const { return contention_; }

 private:
  using Point = DoubledPoint;
  using Slot = Point::Slot;
  enum Part : std::uint8_t { dma_read, dma_write, fetch, gemm, math, store, none };
  static constexpr std::size_t part_count = 6;
  struct Command {
    Point dispatched, last;  // last: of its operations
    bool is_dispatched = false;
    std::map<std::int64_t, Point> tiles;
  };
  struct Message {
    Point point;  // time sent, then time visible
    const sc_core::sc_object* sender = nullptr;
    std::uint64_t slots = 0;  // number of its ring; 0: no slot has been reused yet
  };
  struct Credit {
    Point point;  // time of its return
    std::uint64_t ring = 0, number = 0, slots = 0;
  };
  using MessageKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  // Kernels released together. Each joins the points of the others at its next action, as they may
  // be reported after it.
  struct Barrier {
    Fs released = 0;
    Point point;
  };
  struct Kernel {
    Point point;  // time at which its thread last resumed
    std::shared_ptr<const Barrier> barrier;
  };
  // The last of an operation's transfers counts: savings are worked out when it ends.
  struct Transfer {
    const Path* path = nullptr;
    std::uint64_t bytes = 0;
    Fs ended = 0;
  };
  struct Pe {
    NodeId dma = no_node;
    std::array<std::size_t, part_count> places{1, 1, 1, 1, 1, 1};
    std::map<std::uint32_t, Kernel> kernels;          // by stream
    std::array<RingBuffer<Point>, part_count> parts;  // ends of the last operations
    std::unordered_map<std::uint64_t, Command> commands;
    std::pair<std::uint64_t, Command*> recent{0, nullptr};  // the last one found

    Command* find_command(std::uint64_t id);                // null: none in progress
    std::deque<std::pair<std::uint64_t, Point>> completed;  // most recent commands
    Point last_dispatch;
    std::deque<Point> received;  // most recent messages consumed
    std::deque<Credit> credits;  // most recent returned
    EngineRates rates;
    std::array<Transfer, 2> transfers;  // last read, last write
  };

  void write(const ExecutedOp& op) override;
  void write(const TraceEvent& event) override;
  void write(const KernelRun& run) override;
  void write(const KernelWait& wait) override;
  void take(const TransactionEnd& end);
  void take(const MessageProgress& step);
  template <class Event>
  struct Subscriber final : tlm::tlm_analysis_if<Event> {
    explicit Subscriber(DoubledTimes& times_) : times(times_) {}
    void write(const Event& event) override { times.take(event); }
    DoubledTimes& times;
  };

  struct Engine {
    Pe* pe = nullptr;
    std::optional<Role> role;  // none: its operations do not count
  };

  Slot slot_of(ResourceId resource);
  Engine& engine_of(const sc_core::sc_object& engine);
  Pe& pe_of(const sc_core::sc_object& engine) { return *engine_of(engine).pe; }
  static Part part_of(const Engine& engine, const ExecutedOp& op);
  Point& kernel_of(Pe& pe, std::uint32_t stream, Fs now);
  void wait_for_place(const Pe& pe, Part part, Fs start, Point& point) const;
  void serve_transfer(const Pe& pe, Part part, const TransferSavings& savings, Fs end,
                      Point& point);
  void join_what_ended(const Pe& pe, Fs time, Point& point) const;
  Point start_of(Pe& pe, Part part, const ExecutedOp& op);
  void serve(const Engine& engine, Part part, const ExecutedOp& op, Point& point);
  void transfer(const TransferSavings& savings, Fs until, Point& point);

  const Graph& graph_;
  TransferSavingsTable transfer_savings_;
  ResourceId contention_;
  std::vector<Slot> slots_;  // by resource
  Slot used_slots_ = 0;
  std::array<Slot, part_count> part_slots_;
  Slot contention_slot_;
  Slot accel_slot_, buffers_, dispatch_, kernel_, credits_, message_slots_;
  std::unordered_map<const sc_core::sc_object*, Engine> engines_;           // looked up only
  std::unordered_map<const sc_core::sc_object*, std::unique_ptr<Pe>> pes_;  // looked up only
  std::map<NodeId, Pe> initiators_;  // initiators of accesses
  std::vector<Pe*> by_dma_;          // by NodeId
  std::map<MessageKey, Message> messages_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> last_in_slot_;  // number
  struct MessageWay {
    const TransferSavings* savings = nullptr;
    Fs written = 0;  // time the last message was in its slot, with twice the credits
  };
  std::map<std::pair<NodeId, NodeId>, MessageWay> message_ways_;  // between PE_DMAs
  std::shared_ptr<Barrier> barrier_;                              // the last one released
  Point last_;                                                    // last response of a PE
  Subscriber<TransactionEnd> transfers_{*this};
  Subscriber<MessageProgress> message_steps_{*this};
  AnalysisBinding<ExecutedOp> ops_;
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<TransactionEnd> ends_;
  AnalysisBinding<KernelRun> runs_;
  AnalysisBinding<KernelWait> waits_;
  AnalysisBinding<MessageProgress> steps_;
};

}  // namespace kernbench
