#include "models/protocol/host_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "models/protocol/machine_description.h"

namespace kernbench {
namespace {

[[noreturn]] void reject(const char* message, const HostMessage& host, const std::string& what) {
  throw UsageError(
      fmt::format("{}{}: {}", message,
                  host.debug_label.empty() ? "" : fmt::format(" '{}'", host.debug_label), what));
}

void check_ids(const char* name, const HostMessage& message) {
  if (message.timestamp_tag && message.timestamp_tag->empty())
    reject(name, message, "timestamp_tag is empty, allowed is a text or none");
  if (message.correlation_id.empty()) reject(name, message, "correlation_id is missing");
  if (message.request_id.empty()) reject(name, message, "request_id is missing");
  if (!message.target_device) reject(name, message, "target_device is missing");
}

void check_device(const char* name, const HostMessage& message, int sip) {
  if (*message.target_device == sip) return;
  reject(name, message,
         fmt::format("target_device is sip{}, the message goes to sip{}", *message.target_device,
                     sip));
}

void check_targets(const char* name, const HostMessage& message, const std::vector<PeId>& targets) {
  check_ids(name, message);
  if (targets.empty()) reject(name, message, "no target PE");
  check_device(name, message, targets.front().sip);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].sip != targets[0].sip)
      reject(name, message,
             fmt::format("targets on sip{} and sip{}; one message serves one SIP", targets[0].sip,
                         targets[i].sip));
    if (i > 0 && !(targets[i - 1] < targets[i]))
      reject(name, message,
             fmt::format("targets must ascend without duplicates; found {} behind {}",
                         targets[i].str(), targets[i - 1].str()));
  }
}

template <class Map>
void check_map(const char* name, const Map& message) {
  check_targets(name, message, message.targets);
  if (message.entries.empty()) reject(name, message, "no entries");
  for (const MmuEntry& entry : message.entries) {
    if (entry.size == 0)
      reject(name, message,
             fmt::format("entry at va {} has size 0, allowed is at least 1", entry.va));
  }
}

void check_segment(const char* name, const HostMessage& message, std::uint64_t base,
                   std::uint64_t size) {
  const std::string which = fmt::format("segment at la {}", base);
  if (size == 0) reject(name, message, fmt::format("{} has size 0, allowed is at least 1", which));
  if (base < va_base || base - va_base > va_space_bytes ||
      size > va_space_bytes - (base - va_base)) {
    reject(name, message,
           fmt::format("{} of {} bytes, allowed are {} bytes from {}", which, size, va_space_bytes,
                       va_base));
  }
}

}  // namespace

std::string label_of(const char* type, const HostMessage& message) {
  std::string label = fmt::format(
      "{} '{}'", type, message.debug_label.empty() ? message.request_id : message.debug_label);
  return message.timestamp_tag ? fmt::format("{} [{}]", label, *message.timestamp_tag) : label;
}

PeEngine MmuMap::end() const { return PeEngine::pe_mmu; }
PeEngine MmuUnmap::end() const { return PeEngine::pe_mmu; }
PeEngine SegmentInstall::end() const { return PeEngine::pe_dma; }
PeEngine SegmentRemove::end() const { return PeEngine::pe_dma; }
PeEngine KernelLaunch::end() const { return PeEngine::pe_cpu; }

void KernelMetrics::merge(const KernelMetrics& other) {
  pe_exec = std::max(pe_exec, other.pe_exec);
  dma = std::max(dma, other.dma);
  compute = std::max(compute, other.compute);
  start_skew = std::max(start_skew, other.start_skew);
}

void validate(const MemoryWrite& message) {
  check_ids("MemoryWrite", message);
  check_device("MemoryWrite", message, message.dst.sip);
  if (message.nbytes == 0) reject("MemoryWrite", message, "nbytes is 0, allowed is at least 1");
  if (const auto* buffer =
          std::get_if<std::shared_ptr<const std::vector<std::uint8_t>>>(&message.source)) {
    if (!*buffer) reject("MemoryWrite", message, "the host buffer is missing");
    if ((*buffer)->size() != message.nbytes) {
      reject(
          "MemoryWrite", message,
          fmt::format("nbytes is {}, the host buffer has {}", message.nbytes, (*buffer)->size()));
    }
  }
}

void validate(const MemoryRead& message) {
  check_ids("MemoryRead", message);
  check_device("MemoryRead", message, message.src.sip);
  if (message.nbytes == 0) reject("MemoryRead", message, "nbytes is 0, allowed is at least 1");
}

void validate(const KernelLaunch& message) {
  check_targets("KernelLaunch", message, message.targets);
  if (message.meta.count("") > 0)
    reject("KernelLaunch", message, "meta has the empty key, allowed is a name");
  if (!message.body)
    reject("KernelLaunch", message,
           fmt::format("the kernel '{}' has no body", message.kernel.name));
  if (message.kernel.kind == KernelRef::Kind::deployed && message.kernel.nbytes_code == 0) {
    reject("KernelLaunch", message,
           fmt::format("the deployed kernel '{}' has nbytes_code 0, allowed is at least 1",
                       message.kernel.name));
  }
  if (message.kernel.kind == KernelRef::Kind::deployed &&
      message.kernel.deploy_where.sip != message.targets.front().sip) {
    reject("KernelLaunch", message,
           fmt::format("the code of kernel '{}' lies on {}, the launch goes to sip{}",
                       message.kernel.name, message.kernel.deploy_where.str(),
                       message.targets.front().sip));
  }
  if (message.kernel.kind == KernelRef::Kind::builtin && message.kernel.nbytes_code != 0) {
    reject("KernelLaunch", message,
           fmt::format("the builtin kernel '{}' has nbytes_code {}, allowed is 0",
                       message.kernel.name, message.kernel.nbytes_code));
  }
}

void validate_targets(const PeMessage& message) {
  check_targets(message.type_name(), message, message.targets);
}

void validate(const MmuMap& message) { check_map("MmuMap", message); }
void validate(const MmuUnmap& message) { check_map("MmuUnmap", message); }

void validate(const SegmentInstall& message) {
  check_targets("SegmentInstall", message, message.targets);
  if (message.segments.empty()) reject("SegmentInstall", message, "no segments");
  for (const BaawSegment& segment : message.segments) {
    check_segment("SegmentInstall", message, segment.la_base, segment.la_size);
    const bool one = segment.mode == HbmMapping::n_to_one;
    if (segment.pa_bases.empty() || (one && segment.pa_bases.size() > 1)) {
      reject("SegmentInstall", message,
             fmt::format("segment at la {} has {} physical bases, allowed is {}", segment.la_base,
                         segment.pa_bases.size(),
                         one ? "one (n_to_one)" : "one for each channel (one_to_one)"));
    }
  }
}

void validate(const SegmentRemove& message) {
  check_targets("SegmentRemove", message, message.targets);
  if (message.segments.empty()) reject("SegmentRemove", message, "no segments");
  for (const SegmentRemove::Range& range : message.segments)
    check_segment("SegmentRemove", message, range.la_base, range.la_size);
}

}  // namespace kernbench
