// DoubledTimes: how long the kernels of a run would have taken with twice as much of one resource
// (resources.h), for each of them, from one run.
//
// Every point of a run (the end of an operation, a dispatch, a message) carries, by resource, the
// time at which it would have come. It comes behind the last of what it depends on, as in the
// critical path (docs/op-log.md), and of these each has its own times: where another chain of
// dependences becomes the longest, it counts. What takes less time with twice as much of
//
//   PE_GEMM, PE_MATH                       operations as ceil(work / rate) says, whole cycles
//   channels of PE_TCM                     half of the accesses' time
//   links, HBM, overheads of nodes         transfers as transfer_savings.h says
//   contention                             what a transfer took longer than alone on the machine:
//                                          half of it
//   channels of PE_DMA                     an operation begins behind the one before the last, and
//                                          ends no sooner behind the last than its payload takes
//   credits                                a message waits for that of as many messages before
//   accel_slot, tile buffers               nothing waits for them
//   dispatch, the kernel's own cycles      half
//
// The memory is that of what is under way.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/assembly/platform.h"
#include "platform/observe/transfer_savings.h"

namespace kernbench {

// A memory access by somebody else than a kernel, that has ended.
struct MemoryAccess {
  const Path& path;  // of the request
  bool write = false;
  std::uint64_t bytes = 0;
  Fs issue = 0, grant = 0, end = 0;  // grant: of a channel of the initiator
};

class DoubledTimes final : private tlm::tlm_analysis_if<ExecutedOp>,
                           private tlm::tlm_analysis_if<TraceEvent>,
                           private tlm::tlm_analysis_if<KernelRun>,
                           private tlm::tlm_analysis_if<KernelWait> {
 public:
  // Observes `platform`, which outlives it.
  DoubledTimes(Platform& platform, Resources& resources);

  void add(const MemoryAccess& access);

  bool has_ended() const { return last_.time > 0; }  // a kernel, or an access
  // By resource, up to the last answer.
  std::vector<Fs> saved() const;
  ResourceId contention() const { return contention_; }

 private:
  // Resources that save anything have a place in every point; those beyond are not told apart.
  using Slot = std::uint8_t;
  static constexpr Slot most_slots = 32, no_slot = most_slots;
  struct Point {
    Fs time = 0;
    std::array<Fs, most_slots> times{};

    Fs with(Slot slot) const { return slot < times.size() ? times[slot] : time; }
    static Point at(Fs time);
    void join(const Point& other, Slot but = no_slot);  // but: does not wait for it
    void to(Fs until, Slot halved = no_slot);
    void save(Slot slot, Fs time);
  };
  enum class Part : std::uint8_t { dma_read, dma_write, fetch, gemm, math, store, none };
  static constexpr std::size_t part_count = 6;
  struct Command {
    Point dispatched, last;  // last: of its operations
    bool is_dispatched = false;
    std::map<std::int64_t, Point> tiles;
  };
  struct Message {
    Point point;  // sent, then visible
    const sc_core::sc_object* sender = nullptr;
    std::uint64_t slots = 0;  // of its ring, once a slot has been used again; else 0
  };
  struct Credit {
    Point point;  // when it had come back
    std::uint64_t ring = 0, number = 0, slots = 0;
  };
  using MessageKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  struct Kernel {
    Point point;     // when its thread went on last
    Fs barrier = 0;  // where it went on with others, whose times may come after it
  };
  struct Transfer {
    const TransferSavings* savings = nullptr;
    Fs ended = 0;
  };
  struct Pe {
    NodeId dma = no_node;
    std::array<std::size_t, part_count> places{1, 1, 1, 1, 1, 1};
    std::map<std::uint32_t, Kernel> kernels;          // by stream
    std::array<std::deque<Point>, part_count> parts;  // ends of the last operations
    std::unordered_map<std::uint64_t, Command> commands;
    std::deque<std::pair<std::uint64_t, Point>> completed;  // the last ones
    Point last_dispatch;
    std::deque<Point> received;  // messages consumed, the last ones
    std::deque<Credit> credits;  // that have come, the last ones
    std::uint64_t macs_per_cycle = 0, lanes = 0;
    std::array<Transfer, 2> transfers;  // the last read and the last write
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

  Slot slot_of(ResourceId resource);
  Pe& pe_of(const sc_core::sc_object& engine);
  Part part_of(const ExecutedOp& op) const;
  Point& kernel_of(Pe& pe, std::uint32_t stream, Fs now);
  void wait_for_place(const Pe& pe, Part part, Fs start, Point& point) const;
  void serve_transfer(const Pe& pe, Part part, const TransferSavings& savings, Fs end,
                      Point& point);
  void join_what_ended(const Pe& pe, Fs time, Point& point) const;
  Point start_of(Pe& pe, Part part, const ExecutedOp& op);
  static Fs saved_by_rate(const Pe& pe, Part part, const ExecutedOp& op);
  void serve(const Pe& pe, Part part, const ExecutedOp& op, Point& point);
  void transfer(const TransferSavings& savings, Fs until, Point& point);

  const Graph& graph_;
  TransferSavingsTable transfer_savings_;
  ResourceId contention_;
  std::vector<Slot> slots_;  // by resource
  Slot used_slots_ = 0;
  std::array<Slot, part_count> part_slots_;
  Slot accel_slot_, buffers_, dispatch_, kernel_, credits_, message_slots_, contention_slot_;
  std::unordered_map<const sc_core::sc_object*, Role> roles_;               // looked up only
  std::unordered_map<const sc_core::sc_object*, std::unique_ptr<Pe>> pes_;  // looked up only
  std::map<NodeId, Pe> initiators_;                                         // of accesses
  std::vector<Pe*> by_dma_;                                                 // by NodeId
  std::map<MessageKey, Message> messages_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> last_in_slot_;  // number
  struct MessageWay {
    const TransferSavings* savings = nullptr;
    Fs written = 0;  // the last message in its slot, with twice as many credits
  };
  std::map<std::pair<NodeId, NodeId>, MessageWay> message_ways_;  // between PE_DMAs
  std::map<Fs, Point> barriers_;  // by the instant at which they let their kernels go
  Point last_;                    // answers of PEs
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
