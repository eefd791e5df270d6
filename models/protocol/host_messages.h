// Messages between host, IO_CPU, M_CPU and PEs (spec 4.1, ADR-0012): validated value types, carried
// by control messages.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/address/address_model.h"
#include "models/base/errors.h"
#include "models/base/node_id.h"
#include "models/base/small_vector.h"
#include "models/base/units.h"
#include "models/protocol/message.h"
#include "models/protocol/pe_engine.h"

namespace kernbench {

class ByteImage;  // models/data
class KernelContext;

// Result of a request. ok means that code and message are empty.
struct Completion {
  bool ok = true;
  std::string error_code;
  std::string error_message;  // names node and simulated time

  static Completion failure(std::string code, std::string message) {
    return {false, std::move(code), std::move(message)};
  }

  // Codes of a PE that was ended because another PE failed: it was running, or was waiting for an
  // event that never occurred.
  static constexpr const char* aborted = "aborted";
  static constexpr const char* blocked = "blocked";
  bool is_consequence() const { return error_code == aborted || error_code == blocked; }
  // False for failures caused by another failure, in the same launch or in an earlier one
  // (ipcq_reset).
  static bool is_root_cause(const std::string& code) {
    return code != aborted && code != blocked && code != QueuesResetError::failure_code;
  }
};

struct PeId {
  int sip = 0;
  int cube = 0;
  int pe = 0;
  friend bool operator<(const PeId& a, const PeId& b) {
    return std::tie(a.sip, a.cube, a.pe) < std::tie(b.sip, b.cube, b.pe);
  }
  friend bool operator==(const PeId& a, const PeId& b) {
    return a.sip == b.sip && a.cube == b.cube && a.pe == b.pe;
  }
  std::string str() const { return fmt::format("sip{}.cube{}.pe{}", sip, cube, pe); }
};

// Metrics of spec 4.3, merged by max on the path up.
struct KernelMetrics {
  Fs pe_exec = 0;     // kernel return - target_start
  Fs dma = 0;         // channel-held time of the PE's own DMA
  Fs compute = 0;     // accel_slot held
  Fs start_skew = 0;  // start after target_start; 0 unless components were replaced
  void merge(const KernelMetrics& other);
};
using MetricsOfPes = FlatMap<PeId, KernelMetrics>;

// Common to all: ids for matching and diagnosis, never for ordering.
struct HostMessage : Message {
  std::string correlation_id;
  std::string request_id;
  std::optional<int> target_device;  // the SIP
  std::string debug_label;
  std::optional<std::string> timestamp_tag;  // shown to users in addition to the label
};
// Label for diagnosis: "KernelLaunch 'matmul'", or "KernelLaunch 'matmul' [step 3]" with a tag.
std::string label_of(const char* type, const HostMessage& message);

// A control message for PEs: io_cpu sends it on to the m_cpu of every target's cube, m_cpu to one
// engine of every target PE; both gather the answers and answer once.
struct PeMessage : HostMessage {
  std::vector<PeId> targets;         // targets in one SIP, sorted, no duplicates
  virtual PeEngine end() const = 0;  // engine that receives it
  virtual const char* type_name() const = 0;
};

// One contiguous piece of a tensor on one PE's memory.
struct Shard {
  PeId where;
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t offset = 0;  // offset of the block in the tensor's address range
};

// Memory requests go past io_cpu and m_cpu, straight to the memory (spec 2.7).
enum class MemoryKind : std::uint8_t { automatic, hbm, tcm };

struct FillPattern {
  enum class Kind : std::uint8_t { zero, u8, u16, u32, fp16, fp32 };
  Kind kind = Kind::zero;
  std::uint32_t bits = 0;  // the element, in its low bytes
};

struct MemoryWrite : HostMessage {
  PeId dst;
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  MemoryKind dst_mem_kind = MemoryKind::automatic;
  std::variant<FillPattern, std::shared_ptr<const std::vector<std::uint8_t>>> source;
};

// Destination of the bytes at the host. Both take the same time.
enum class ReadSink : std::uint8_t {
  host_sink,  // the response has them, with data on
  discard     // the bytes are dropped
};

struct MemoryRead : HostMessage {
  PeId src;
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  ReadSink dst_kind = ReadSink::host_sink;
};

struct MmuEntry {
  std::uint64_t va = 0;
  std::uint64_t pa = 0;  // not used by MmuUnmap
  std::uint64_t size = 0;
};

struct MmuMap : PeMessage {
  std::vector<MmuEntry> entries;
  PeEngine end() const override;
  const char* type_name() const override { return "MmuMap"; }
};

struct MmuUnmap : PeMessage {
  std::vector<MmuEntry> entries;
  PeEngine end() const override;
  const char* type_name() const override { return "MmuUnmap"; }
};

// A segment of the logical address space and its location (spec 3.3, LA): in one HBM partition.
struct BaawSegment {
  std::uint64_t la_base = 0;
  std::uint64_t la_size = 0;
  HbmMapping mode = HbmMapping::n_to_one;
  // Physical bases. n_to_one: one. one_to_one: the first byte on each channel that the segment
  // touches, in burst order; each round of the interleaving then adds one burst per channel.
  std::vector<std::uint64_t> pa_bases;
};

struct SegmentInstall : PeMessage {
  std::vector<BaawSegment> segments;
  PeEngine end() const override;
  const char* type_name() const override { return "SegmentInstall"; }
};

// Removes segments, each by the base and size with which it was installed.
struct SegmentRemove : PeMessage {
  struct Range {
    std::uint64_t la_base = 0;
    std::uint64_t la_size = 0;
  };
  std::vector<Range> segments;
  PeEngine end() const override;
  const char* type_name() const override { return "SegmentRemove"; }
};

struct TensorArgument {
  std::uint64_t va_base = 0;
  std::uint64_t nbytes = 0;
  std::vector<Shard> shards;
};

// An f16 number; models/data/elements.h converts it.
struct Float16Bits {
  std::uint16_t bits = 0;
  friend bool operator==(Float16Bits a, Float16Bits b) { return a.bits == b.bits; }
};

using ScalarArgument = std::variant<std::int32_t, std::int64_t, Float16Bits, float, bool>;
using KernelArgument = std::variant<TensorArgument, ScalarArgument>;

// The kernel with its arguments bound; runs on the PE's thread. An exception becomes ok = false.
class KernelBody {
 public:
  virtual ~KernelBody() = default;
  virtual void run(KernelContext& context) const = 0;
};

struct KernelRef {
  enum class Kind : std::uint8_t { deployed, builtin };
  std::string name;
  Kind kind = Kind::builtin;
  // Deployed kernel: location and size of its code, paid for by the MemoryWrite that placed it.
  PeId deploy_where{};
  std::uint64_t deploy_pa = 0;
  std::uint64_t nbytes_code = 0;
};

enum class FailurePolicy : std::uint8_t { fail_fast, collect_all };

// Coordinates of the programs of a launch on each axis, on all its SIPs; ascending. A program's id
// on an axis is the place of its coordinate there, as in Triton's grids.
struct LaunchGrid {
  std::vector<int> pes, cubes, sips;
};

struct KernelLaunch : PeMessage {
  KernelRef kernel;
  std::shared_ptr<const KernelBody> body;
  std::vector<KernelArgument> args;
  LaunchGrid grid;
  std::map<std::string, std::string>
      meta;  // the program's own, kept with the record of the launch; keys are not empty
  FailurePolicy failure_policy = FailurePolicy::fail_fast;
  // Equal in all messages of a launch on several SIPs, which fail together. 0: a single message.
  std::uint64_t group = 0;
  // Launches of a stream run sequentially on each PE, launches of different streams concurrently
  // (spec 4.4). 0: the compute stream.
  std::uint32_t stream = 0;
  std::vector<std::string> follows;  // request_ids of launches on this SIP that have to end before
  // Bytes of each PE's scratch, for this kernel alone. 0: the kernel uses the shared remainder.
  std::uint64_t scratch_bytes = 0;
  std::optional<Fs> target_start;  // stamped by io_cpu, or per cube by m_cpu when absent
  PeEngine end() const override;
  const char* type_name() const override { return "KernelLaunch"; }
  bool on_several_sips() const { return grid.sips.size() > 1; }
};

// The answer to any of the above, on the response leg. An engine fills completion and metrics;
// m_cpu files them under its PE.
struct HostResponse : Message {
  Completion completion;
  KernelMetrics metrics;                // launches: merged by max
  MetricsOfPes per_pe;                  // launches
  std::map<PeId, Completion> failures;  // failures of the PEs, as far as they had answered
  std::shared_ptr<const ByteImage>
      image;  // MemoryRead for host_sink, with data on: memory contents at its end
};

// Notices about a launch in progress that has failed (spec 4.2). They are posted: no answer is
// returned; the receiver calls listener->completed(). `launch` is the same message object that was
// sent down this path: compare the pointers.

// m_cpu -> io_cpu, at the first failure of a PE. The m_cpu's answer still follows, when all of its
// PEs have ended.
struct LaunchFailed : Message {
  std::shared_ptr<const KernelLaunch> launch;
  PeId where;
  Completion completion;
};

// [host ->] io_cpu -> m_cpu -> pe_cpu: the kernel is to end at its next `tl` call. Its PE then
// answers the launch as failed; a PE that has answered already ignores the notice.
struct LaunchAbort : Message {
  std::shared_ptr<const KernelLaunch> launch;
  std::string cause;  // the first failure, if it is known
};

// Two notices of tl.barrier (spec 4.5), posted likewise; `launch` as above.

// pe_cpu -> m_cpu -> io_cpu: this PE, or all PEs of this node, wait in tl.barrier. In a launch on
// several SIPs the io_cpus notify the io_cpu of the first SIP, which matches the messages by
// `group`.
struct BarrierReached : Message {
  std::shared_ptr<const KernelLaunch> launch;
  NodeId from = no_node;  // the io_cpu of another SIP
};

// io_cpu -> io_cpu -> m_cpu -> pe_cpu: all PEs of the launch have reached it.
struct BarrierPassed : Message {
  std::shared_ptr<const KernelLaunch> launch;
};

// Throws UsageError that names the message, the field, the value and the allowed values; called
// before a message enters the fabric.
void validate(const MemoryWrite& message);
void validate(const MemoryRead& message);
void validate(const KernelLaunch& message);
void validate(const MmuMap& message);
void validate(const MmuUnmap& message);
void validate(const SegmentInstall& message);
void validate(const SegmentRemove& message);
void validate_targets(const PeMessage& message);  // the part common to all messages for PEs

}  // namespace kernbench
