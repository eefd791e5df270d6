#include "sw/runtime/tensor_addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sw/tl/dtypes.h"

namespace kernbench {
namespace {

// "{32, 0}": index, in the whole tensor, of the element that contains byte `offset` of a block.
std::string element_of(const tl::Block& block, std::uint64_t offset, DType dtype) {
  std::int64_t rest = static_cast<std::int64_t>((offset - block.offset) / size_of(dtype));
  std::vector<std::int64_t> element = block.start;
  for (std::size_t axis = element.size(); axis-- > 0;) {
    element[axis] += rest % block.shape[axis];
    rest /= block.shape[axis];
  }
  return fmt::format("{{{}}}", fmt::join(element, ", "));
}

// "sip0.cube0.pe1 [8:16, 0:64]"
std::string shard_text(const tl::Block& block) {
  return fmt::format("{} {}", block.where.str(), block.range_text());
}

// Texts of the first two shards and the last one.
std::string shards_text(const std::vector<tl::Block>& blocks) {
  std::string text = shard_text(blocks.front());
  if (blocks.size() > 1) text += ", " + shard_text(blocks[1]);
  if (blocks.size() > 3) text += fmt::format(", {} more", blocks.size() - 3);
  if (blocks.size() > 2) text += ", " + shard_text(blocks.back());
  return text;
}

// "sip0.cube0 to cube3"
std::string cubes_text(const std::vector<tl::Block>& blocks) {
  const PeId first = blocks.front().where, last = blocks.back().where;
  std::string text = fmt::format("sip{}.cube{}", first.sip, first.cube);
  if (last.cube != first.cube) text += fmt::format(" to cube{}", last.cube);
  return text;
}

}  // namespace

TensorAddresses::TensorAddresses(const MachineDescription& machine)
    : machine_(machine), book_(machine.address_book) {
  book_->set([this](std::uint64_t address, PeId where) { return explain(address, where); });
}

std::string TensorAddresses::Entry::str() const {
  return fmt::format("tensor '{}' {}", name, describe(dtype, shape));
}

// --- entries

void TensorAddresses::add(const tl::TensorInfo& tensor, const DPPolicy& policy, int sip) {
  if (tensor.nbytes == 0) return;
  Entries& entries = tensors_[sip];
  const std::uint64_t end = tensor.va_base + tensor.nbytes;
  auto first = entries.lower_bound(tensor.va_base);
  if (first != entries.begin()) {
    const auto before = std::prev(first);
    if (before->first + before->second.nbytes > tensor.va_base) first = before;
  }
  // Removes freed tensors: an address has at most one owner.
  entries.erase(first, entries.lower_bound(end));
  entries[tensor.va_base] = {tensor.name,   tensor.dtype, tensor.shape,
                             tensor.nbytes, policy,       tensor.blocks};
}

void TensorAddresses::summed(const tl::TensorInfo& tensor, int sip) {
  const auto found = tensors_[sip].find(tensor.va_base);
  if (found != tensors_[sip].end()) found->second.policy = found->second.policy.summed();
}

void TensorAddresses::freed(const tl::TensorInfo& tensor, int sip) {
  const auto found = tensors_[sip].find(tensor.va_base);
  if (found != tensors_[sip].end()) found->second.blocks = {};
}

const TensorAddresses::Entries& TensorAddresses::of_sip(int sip) const {
  static const Entries none;
  const auto found = tensors_.find(sip);
  return found == tensors_.end() ? none : found->second;
}

TensorAddresses::Entries::const_iterator TensorAddresses::at(const Entries& entries,
                                                             std::uint64_t address) {
  const auto behind = entries.upper_bound(address);
  if (behind == entries.begin()) return entries.end();
  const auto found = std::prev(behind);
  return address - found->first < found->second.nbytes ? found : entries.end();
}

// --- texts

std::string TensorAddresses::explain(std::uint64_t address, PeId where) const {
  const Entries& entries = of_sip(where.sip);
  const auto found = at(entries, address);
  if (found == entries.end()) return explain_elsewhere(address, where);
  return explain_tensor(found->second, address - found->first, where);
}

std::string TensorAddresses::explain_tensor(const Entry& tensor, std::uint64_t offset,
                                            PeId where) const {
  const std::string which = fmt::format("it is byte {} of {}", offset, tensor.str());
  if (tensor.freed()) {
    return which +
           ", which has been freed: a tensor lives as long as a handle to it or a launch with it "
           "as an argument";
  }
  const auto shard =
      std::find_if(tensor.blocks.begin(), tensor.blocks.end(), [offset](const tl::Block& block) {
        return offset >= block.offset && offset - block.offset < block.nbytes;
      });
  return fmt::format("{}, element {}; its shards by {} are on {}; {}", which,
                     element_of(*shard, offset, tensor.dtype), tensor.policy.str(),
                     shards_text(tensor.blocks), visibility(tensor, where));
}

// PEs that have the mappings (DeviceMemory::mappings), and a policy that would map the tensor for
// `where`.
std::string TensorAddresses::visibility(const Entry& tensor, PeId where) const {
  if (machine_.address_model == AddressModel::pa) {
    return "in the address model pa a kernel reaches the tensors among the arguments of its launch "
           "alone";
  }
  const std::string cut_cubes =
      "a cube placement and a PE placement that both cut an axis map the shards on every PE of the "
      "SIP";
  const Reach reach = reach_of(tensor.policy);
  if (reach == Reach::own_pe) {
    const PeId only = tensor.blocks.front().where;
    if (only.cube != 0 || only.pe != 0) {
      return fmt::format(
          "a PE's copy is mapped on that PE alone, and with rank_unit pe a tensor lies on the PE "
          "of its rank: {} gets the values by a message",
          where.str());
    }
    return fmt::format(
        "a PE's copy is mapped on that PE alone; num_cubes of at least {} with num_pes of at least "
        "{} gives {} a copy, a PE placement that cuts an axis maps the shards on their whole cube, "
        "and {}",
        where.cube + 1, where.pe + 1, where.str(), cut_cubes);
  }
  if (reach == Reach::own_cube) {
    return fmt::format(
        "they are mapped on the PEs of {} alone, each cube its own copy; num_cubes of at least {} "
        "gives sip{}.cube{} a copy, and {}",
        cubes_text(tensor.blocks), where.cube + 1, where.sip, where.cube, cut_cubes);
  }
  return fmt::format("they are mapped on every PE of sip{}", where.sip);
}

std::string TensorAddresses::explain_elsewhere(std::uint64_t address, PeId where) const {
  for (const auto& [sip, entries] : tensors_) {
    const auto found = at(entries, address);
    if (sip == where.sip || found == entries.end() || found->second.freed()) continue;
    return fmt::format(
        "sip{} has no tensor there; on sip{} it is byte {} of {}, and tensors are mapped on their "
        "own SIP alone: torch.ahbm.set_device({}) makes one here, messages and collectives bring "
        "values over",
        where.sip, sip, address - found->first, found->second.str(), where.sip);
  }
  return neighbours(address, where.sip);
}

std::string TensorAddresses::neighbours(std::uint64_t address, int sip) const {
  const Entries& entries = of_sip(sip);
  if (entries.empty()) return fmt::format("sip{} has no tensor", sip);
  const auto freed = [](const Entry& entry) { return entry.freed() ? " (freed)" : ""; };
  const auto behind = entries.upper_bound(address);
  std::string text = fmt::format("no tensor of sip{} is there", sip);
  if (behind != entries.begin()) {
    const auto& [begin, entry] = *std::prev(behind);
    text += fmt::format("; {}{} of {} bytes ends {} bytes before", entry.str(), freed(entry),
                        entry.nbytes, address - (begin + entry.nbytes));
  }
  if (behind != entries.end()) {
    text += fmt::format("; {}{} begins {} bytes behind", behind->second.str(),
                        freed(behind->second), behind->first - address);
  }
  return text;
}

}  // namespace kernbench
