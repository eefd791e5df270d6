#include "sw/mock/mock_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "models/base/errors.h"
#include "models/data/elements.h"

namespace kernbench {
namespace {

constexpr std::uint64_t slice_bytes = PhysAddr::hbm_window_bytes / PhysAddr::pes;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t first_va = std::uint64_t{1} << 52;  // beyond all physical addresses

std::uint64_t page_aligned(std::uint64_t nbytes) {
  return (nbytes + page_bytes - 1) / page_bytes * page_bytes;
}

std::uint64_t hbm_address(const PeId& pe, std::uint64_t offset) {
  return PhysAddr::pe_hbm_addr(static_cast<unsigned>(pe.sip), static_cast<unsigned>(pe.cube),
                               static_cast<unsigned>(pe.pe), offset, slice_bytes)
      .encode();
}

void check_extent(const char* what, std::int64_t value, std::int64_t largest) {
  if (value >= 1 && value <= largest) return;
  throw UsageError(fmt::format("MockSetup::{} is {}, allowed is 1 to {}", what, value, largest));
}

}  // namespace

MockMemory::MockMemory(const MockSetup& setup) : next_va_(first_va) {
  check_extent("pes", setup.pes, PhysAddr::pes);
  check_extent("cubes", setup.cubes, PhysAddr::ahbm_dies);
  check_extent("sips", setup.sips, PhysAddr::sips);
  check_extent("n_slots", setup.n_slots, std::numeric_limits<std::uint32_t>::max());
  check_extent("calls_per_turn", setup.calls_per_turn, std::numeric_limits<int>::max());
  data_.record_moves(false);
  describe(setup);
}

// Nodes of each PE: one for all engines, its TCM, its HBM.
void MockMemory::describe(const MockSetup& setup) {
  attributes_.set("tile_m", Rational(setup.tile.m));
  attributes_.set("tile_k", Rational(setup.tile.k));
  attributes_.set("tile_n", Rational(setup.tile.n));
  machine_.sips = machine_.sip_w = setup.sips;
  machine_.cube_mesh_w = setup.cubes;
  machine_.pes = setup.pes;
  machine_.hbm_slice_bytes = slice_bytes;
  machine_.tcm_bytes = machine_.scratch_bytes = setup.scratch_bytes;
  machine_.page_bytes = page_bytes;
  machine_.size_tables(0);
  machine_.nodes = {{"mock", "mock", &attributes_}};
  std::vector<MemoryRange> ranges;
  for (int sip = 0; sip < setup.sips; ++sip) {
    for (int cube = 0; cube < setup.cubes; ++cube) {
      for (int pe = 0; pe < setup.pes; ++pe) {
        const PeId where{sip, cube, pe};
        const std::size_t place = machine_.index(where);
        const auto node = [&](const std::string& name, const char* kind) {
          machine_.nodes.push_back({name, kind, &attributes_});
          return static_cast<NodeId>(machine_.nodes.size() - 1);
        };
        const NodeId cpu = node(where.str() + ".pe_cpu", "pe_cpu");
        for (std::vector<NodeId>& engines : machine_.tables.engines) engines[place] = cpu;
        machine_.tables.engines.at(static_cast<std::size_t>(PeEngine::pe_tcm))[place] =
            node(where.str() + ".pe_tcm", "pe_tcm");
        const NodeId hbm =
            node(fmt::format("sip{}.cube{}.hbm_ctrl.pe{}", sip, cube, pe), "hbm_ctrl");
        machine_.tables.hbms[place] = hbm;
        ranges.push_back({hbm_address(where, 0), slice_bytes, hbm});
      }
    }
  }
  machine_.memory_map = MemoryMap(std::move(ranges));
}

tl::TensorInfoPtr MockMemory::add(const std::string& name, const Shape& block, DType dtype,
                                  const std::vector<PeId>& where) {
  if (block.rank() == 0 || block.elements() == 0)
    throw UsageError(
        fmt::format("mock tensor '{}': a block {} has no elements", name, block.str()));
  tl::TensorInfo info;
  info.name = name;
  info.va_base = next_va_;
  info.dtype = dtype;
  std::vector<std::int64_t> extents = block.extents();
  const std::uint64_t nbytes = static_cast<std::uint64_t>(block.elements()) * size_of(dtype);
  for (const PeId& pe : where) {
    std::uint64_t& used = used_[pe];
    if (page_aligned(nbytes) > slice_bytes - used) {
      throw UsageError(fmt::format("mock tensor '{}': {} bytes on {}, which has {} left of {}",
                                   name, nbytes, pe.str(), slice_bytes - used, slice_bytes));
    }
    std::vector<std::int64_t> start(block.rank(), 0);
    start[0] = static_cast<std::int64_t>(info.blocks.size()) * block[0];
    info.blocks.push_back({pe, hbm_address(pe, used), info.nbytes, nbytes, block, start});
    used += page_aligned(nbytes);
    info.nbytes += nbytes;
  }
  extents[0] *= static_cast<std::int64_t>(where.size());
  info.shape = Shape(extents);
  next_va_ += page_aligned(info.nbytes) + page_bytes;
  auto tensor = std::make_shared<const tl::TensorInfo>(std::move(info));
  tensors_.emplace(tensor->va_base, tensor);
  for (const tl::Block& each : tensor->blocks)
    data_.store(FunctionalModel::zeros(block, dtype), {{each.pa, each.nbytes}});
  return tensor;
}

namespace {

const tl::Block& block_on(const tl::TensorInfo& tensor, const PeId& where) {
  const auto found = std::find_if(tensor.blocks.begin(), tensor.blocks.end(),
                                  [&](const tl::Block& each) { return each.where == where; });
  if (found != tensor.blocks.end()) return *found;
  throw UsageError(fmt::format("mock tensor '{}' has no block on {}", tensor.name, where.str()));
}

}  // namespace

void MockMemory::write(const tl::TensorInfo& tensor, PeId where,
                       const std::vector<double>& values) {
  const tl::Block& block = block_on(tensor, where);
  if (values.size() != static_cast<std::size_t>(block.shape.elements())) {
    throw UsageError(fmt::format("mock tensor '{}' on {}: {} values for {}", tensor.name,
                                 where.str(), values.size(),
                                 kernbench::describe(tensor.dtype, block.shape)));
  }
  std::vector<std::byte> bytes(block.nbytes);
  for (std::size_t i = 0; i < values.size(); ++i)
    write_element(bytes.data() + i * size_of(tensor.dtype), tensor.dtype, values[i]);
  data_.store(FunctionalModel::constant(bytes.data(), block.shape, tensor.dtype),
              {{block.pa, block.nbytes}});
}

std::vector<double> MockMemory::read(const tl::TensorInfo& tensor, PeId where) {
  const tl::Block& block = block_on(tensor, where);
  const std::vector<std::byte> bytes =
      data_.bytes(data_.view({{block.pa, block.nbytes}}, block.shape, tensor.dtype));
  std::vector<double> values;
  for (std::uint64_t at = 0; at < block.nbytes; at += size_of(tensor.dtype))
    values.push_back(read_element(bytes.data() + at, tensor.dtype));
  return values;
}

PhysRanges MockMemory::translate(std::uint64_t address, std::uint64_t nbytes) const {
  const auto behind = tensors_.upper_bound(address);
  if (behind != tensors_.begin()) {
    const tl::TensorInfo& tensor = *std::prev(behind)->second;
    const std::uint64_t offset = address - tensor.va_base;
    if (offset < tensor.nbytes && nbytes <= tensor.nbytes - offset) {
      PhysRanges ranges;
      for (const tl::Block& block : tensor.blocks) {
        const std::uint64_t begin = std::max(offset, block.offset),
                            end = std::min(offset + nbytes, block.offset + block.nbytes);
        if (begin < end) ranges.push_back({block.pa + begin - block.offset, end - begin});
      }
      return ranges;
    }
  }
  for (const auto& [base, tensor] : tensors_) {
    for (const tl::Block& block : tensor->blocks) {
      if (address >= block.pa && address - block.pa < block.nbytes &&
          nbytes <= block.nbytes - (address - block.pa))
        return {{address, nbytes}};
    }
  }
  throw AccessFault(fmt::format(
      "{} bytes at {:#x} are not all in a tensor of the mock runtime (MockRuntime::tensor)", nbytes,
      address));
}

}  // namespace kernbench
