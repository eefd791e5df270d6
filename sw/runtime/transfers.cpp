#include "sw/runtime/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/data/elements.h"
#include "sw/runtime/block_runs.h"
#include "sw/runtime/partial_sum.h"
#include "sw/tl/dtypes.h"

namespace kernbench {
namespace {

FillPattern pattern_of(DType dtype, double value) {
  FillPattern pattern;
  std::byte element[4] = {};
  write_element(element, dtype, value);
  for (std::uint64_t i = 0; i < size_of(dtype); ++i)
    pattern.bits |= std::to_integer<std::uint32_t>(element[i]) << (8 * i);
  if (pattern.bits == 0) return pattern;  // zeros are zeros in every dtype
  switch (dtype) {
    case DType::f16:
      pattern.kind = FillPattern::Kind::fp16;
      break;
    case DType::bf16:
      pattern.kind = FillPattern::Kind::u16;
      break;
    case DType::f32:
      pattern.kind = FillPattern::Kind::fp32;
      break;
    case DType::i8:
      pattern.kind = FillPattern::Kind::u8;
      break;
    case DType::i32:
      pattern.kind = FillPattern::Kind::u32;
      break;
  }
  return pattern;
}

std::vector<std::uint8_t> bytes_of(const HostArray& array, const tl::Block& block) {
  const std::uint64_t size = size_of(array.dtype());
  std::vector<std::uint8_t> bytes(block.nbytes);
  for_each_run(array.shape(), block,
               [&](std::int64_t whole, std::int64_t local, std::int64_t count) {
                 std::copy_n(array.bytes().begin() + whole * static_cast<std::int64_t>(size),
                             count * static_cast<std::int64_t>(size),
                             bytes.begin() + local * static_cast<std::int64_t>(size));
               });
  return bytes;
}

void check_same(const TensorSlice& target, const Shape& shape, DType dtype) {
  if (target.shape() == shape && target.dtype() == dtype) return;
  throw UsageError(fmt::format("copy of {} to tensor '{}' {}", describe(dtype, shape), target.str(),
                               describe(target.dtype(), target.shape())));
}

// Checks that there is one array per shard of a whole tensor, and equal arrays for copies.
void check_parts(const TensorSlice& target, const std::vector<HostArray>& sources) {
  const std::vector<tl::Block>& blocks = target.tensor().info()->blocks;
  if (sources.size() != blocks.size())
    throw UsageError(fmt::format("{} arrays for the {} shards of tensor '{}'", sources.size(),
                                 blocks.size(), target.str()));
  std::map<std::pair<std::uint64_t, int>, std::size_t> first_copies;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string where = fmt::format("tensor '{}' on {}", target.str(), blocks[i].where.str());
    if (!(sources[i].shape() == blocks[i].shape) || sources[i].dtype() != target.dtype())
      throw UsageError(fmt::format("{} for the shard {} of {}",
                                   describe(sources[i].dtype(), sources[i].shape()),
                                   describe(target.dtype(), blocks[i].shape), where));
    const std::size_t first =
        first_copies.try_emplace({blocks[i].offset, blocks[i].summand}, i).first->second;
    if (sources[i].bytes() != sources[first].bytes())
      throw UsageError(fmt::format("{} is a copy of what {} has, and gets other values", where,
                                   blocks[first].where.str()));
  }
}

bool is_partial(const TensorSlice& slice) {
  const auto holders = slice.holders();
  return !holders.empty() && holders.front().size() > 1;
}

bool same_summands(const TensorSlice& a, const TensorSlice& b) {
  return std::equal(a.blocks().begin(), a.blocks().end(), b.blocks().begin(), b.blocks().end(),
                    [](const tl::Block& x, const tl::Block& y) {
                      return x.summand == y.summand && x.start == y.start && x.shape == y.shape;
                    });
}

// Fill value with the semantics of torch.full: integers must be in range and lose their fraction.
double fill_value(const TensorSlice& target, double value) {
  const DType dtype = target.dtype();
  if (is_float(dtype)) return value;
  const double beyond = dtype == DType::i8 ? 128 : 0x1p31, whole = std::trunc(value);
  if (whole >= -beyond && whole < beyond) return whole;
  throw UsageError(fmt::format("fill of tensor '{}' {} by {}: allowed are {} to {}", target.str(),
                               describe(dtype, target.shape()), value, -beyond, beyond - 1));
}

}  // namespace

void Transfers::send(const TensorSlice& target,
                     const std::function<Source(const tl::Block&)>& source_of,
                     const std::string& label) {
  FunctionalModel* data = link_.port().data();
  HostRequests requests;
  for (const tl::Block& block : target.blocks()) {
    if (untimed_) {
      if (data == nullptr) continue;
      const Source source = source_of(block);
      if (const auto* pattern = std::get_if<FillPattern>(&source)) {
        if (pattern->bits == 0)
          data->memory().clear(block.pa, block.nbytes);
        else
          data->memory().fill(block.pa, block.nbytes, &pattern->bits, size_of(target.dtype()));
      } else {
        data->memory().write_bytes(block.pa, std::get<1>(source)->data(), block.nbytes);
      }
      continue;
    }
    MemoryWrite message;
    message.dst = block.where;
    message.pa = block.pa;
    message.nbytes = block.nbytes;
    message.dst_mem_kind = MemoryKind::hbm;
    message.source = source_of(block);
    requests.push_back(link_.submit(std::move(message), label));
  }
  link_.wait(requests);
}

void Transfers::fill(const TensorSlice& target, double given) {
  const double value = fill_value(target, given);
  const FillPattern pattern = pattern_of(target.dtype(), value);
  const auto source_of = [&](const tl::Block& block) {
    return Source(block.summand == 0 ? pattern : FillPattern{});
  };
  send(target, source_of, "fill " + target.str());
}

void Transfers::write(const TensorSlice& target, const HostArray& source) {
  check_same(target, source.shape(), source.dtype());
  const bool with_data = link_.port().data() != nullptr;
  const auto source_of = [&](const tl::Block& block) {
    if (!with_data || block.summand != 0)
      return Source(FillPattern{});  // without data the bytes are not used
    return Source(std::make_shared<const std::vector<std::uint8_t>>(bytes_of(source, block)));
  };
  send(target, source_of, "write " + target.str());
}

void Transfers::write_each(const TensorSlice& target, const std::vector<HostArray>& sources) {
  const std::vector<tl::Block>& blocks = target.blocks();
  check_parts(target, sources);
  const bool with_data = link_.port().data() != nullptr;
  const auto source_of = [&](const tl::Block& block) {
    if (!with_data) return Source(FillPattern{});
    const HostArray& source = sources[static_cast<std::size_t>(&block - blocks.data())];
    return Source(std::make_shared<const std::vector<std::uint8_t>>(source.bytes()));
  };
  send(target, source_of, "write " + target.str());
}

HostRequests Transfers::read(const TensorSlice& source, ReadSink sink) {
  HostRequests requests;
  for (const tl::Block& block : source.blocks()) {
    MemoryRead message;
    message.src = block.where;
    message.pa = block.pa;
    message.nbytes = block.nbytes;
    message.dst_kind = sink;
    requests.push_back(link_.submit(std::move(message), "read " + source.str()));
  }
  link_.wait(requests);
  return requests;
}

void Transfers::discard(const TensorSlice& source) {
  if (!untimed_) read(source, ReadSink::discard);
}

Transfers::Images Transfers::fetch(const TensorSlice& source) {
  FunctionalModel* data = link_.port().data();
  Images images;
  if (untimed_) {
    for (const tl::Block& block : source.blocks()) {
      if (data != nullptr) images.push_back(data->memory().snapshot(block.pa, block.nbytes));
    }
    return images;
  }
  for (const auto& request : read(source, ReadSink::host_sink)) {
    if (data != nullptr) images.push_back(*request->response().image);
  }
  return images;
}

// Values in row-major order, as references; partial sums: one of them.
TensorValue Transfers::value_of(const TensorSlice& source, const Images& fetched,
                                std::size_t summand) {
  const std::uint64_t size = size_of(source.dtype());
  std::map<std::int64_t, ByteImage> runs;  // by first element in the box
  for (const TensorSlice::Holders& holders : source.distinct_holders()) {
    const std::size_t index = holders[summand];
    const ByteImage& image = fetched[index];
    for_each_run(source.shape(), source.blocks()[index],
                 [&](std::int64_t whole, std::int64_t local, std::int64_t count) {
                   runs[whole] = image.slice(static_cast<std::uint64_t>(local) * size,
                                             static_cast<std::uint64_t>(count) * size);
                 });
  }
  TensorValue value{{}, source.shape(), source.dtype(), {}};
  for (const auto& [first, image] : runs) value.image.append(image);
  return value;
}

std::vector<std::byte> Transfers::bytes(const TensorSlice& source, const Images& fetched) const {
  FunctionalModel& data = *link_.port().data();
  if (source.blocks().empty()) return {};
  std::vector<std::vector<std::byte>> summands;
  for (std::size_t i = 0; i < source.holders().front().size(); ++i)
    summands.push_back(data.bytes(value_of(source, fetched, i)));
  return summands.size() == 1 ? summands.front() : sum_of(source.dtype(), summands);
}

HostArray Transfers::values(const TensorSlice& source, const Images& fetched) const {
  FunctionalModel* data = link_.port().data();
  if (data == nullptr) {
    throw UsageError(fmt::format(
        "values of tensor '{}' are read, and this run has no data; use --data deferred or eager",
        source.str()));
  }
  std::vector<std::byte> bytes;
  try {
    bytes = this->bytes(source, fetched);
  } catch (const PendingDataError&) {
    throw PendingDataError(
        fmt::format("values of tensor '{}' are read, but what kernels compute is pending until "
                    "phase 2 has run; check it with torch.verify, or run with --data eager",
                    source.str()));
  }
  std::vector<std::uint8_t> copy(bytes.size());
  std::transform(bytes.begin(), bytes.end(), copy.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return {source.shape(), source.dtype(), std::move(copy)};
}

void Transfers::copy(const TensorSlice& target, const TensorSlice& source) {
  check_same(target, source.shape(), source.dtype());
  const Images fetched = fetch(source);
  FunctionalModel* data = link_.port().data();
  const bool one_by_one = is_partial(source) && same_summands(target, source);
  if (is_partial(source) && !one_by_one && data != nullptr)
    return write(target, values(source, fetched));
  TensorValue value;
  if (data != nullptr) value = value_of(source, fetched);
  const auto no_bytes = [](const tl::Block&) {
    return Source(FillPattern{});
  };  // followed as references
  if (!untimed_) send(target, no_bytes, fmt::format("copy {} to {}", source.str(), target.str()));
  if (data == nullptr) return;
  const std::uint64_t size = size_of(target.dtype());
  for (std::size_t i = 0; i < target.blocks().size(); ++i) {
    const tl::Block& block = target.blocks()[i];
    if (one_by_one) {
      data->memory().write_image(block.pa, fetched[i]);
      continue;
    }
    if (block.summand != 0) {
      data->memory().clear(block.pa, block.nbytes);
      continue;
    }
    ByteImage image;
    for_each_run(target.shape(), block, [&](std::int64_t whole, std::int64_t, std::int64_t count) {
      image.append(value.image.slice(static_cast<std::uint64_t>(whole) * size,
                                     static_cast<std::uint64_t>(count) * size));
    });
    data->memory().write_image(block.pa, image);
  }
}

}  // namespace kernbench
