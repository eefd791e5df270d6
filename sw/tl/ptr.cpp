#include "sw/tl/ptr.h"

#include <fmt/format.h>

#include <cstdio>

#include "models/base/errors.h"

namespace kernbench::tl {

std::string Block::range_text() const {
  std::string text;
  for (std::size_t axis = 0; axis < start.size(); ++axis)
    text += fmt::format("{}{}:{}", axis == 0 ? "" : ", ", start[axis], start[axis] + shape[axis]);
  return "[" + text + "]";
}

TensorInfoPtr TensorInfo::whole(std::string name, std::uint64_t base, const Shape& shape,
                                DType dtype, PeId where) {
  const std::uint64_t nbytes = static_cast<std::uint64_t>(shape.elements()) * size_of(dtype);
  const Block block{where, base, 0, nbytes, shape, std::vector<std::int64_t>(shape.rank(), 0)};
  return std::make_shared<const TensorInfo>(
      TensorInfo{std::move(name), base, nbytes, shape, dtype, {block}});
}

Ptr::Ptr(TensorInfoPtr tensor)
    : address_(tensor->va_base), tensor_(std::move(tensor)), dtype_(tensor_->dtype) {}

Ptr Ptr::as(DType dtype) const {
  Ptr ptr = *this;
  ptr.dtype_ = dtype;
  return ptr;
}

Ptr& Ptr::operator+=(std::int64_t bytes) {
  address_ += static_cast<std::uint64_t>(bytes);
  return *this;
}

void Ptr::check_access(const char* call, std::uint64_t nbytes) const {
  if (!tensor_) return;
  const std::uint64_t offset =
      address_ - tensor_->va_base;  // a pointer before the base wraps to a huge offset
  if (offset <= tensor_->nbytes && nbytes <= tensor_->nbytes - offset) return;
  throw AccessFault(fmt::format("{}: {} bytes at {} are not all inside tensor '{}' of {} bytes",
                                call, nbytes, str(), tensor_->name, tensor_->nbytes));
}

void Ptr::check_elements(const char* call, DType dtype) const {
  if (dtype_ && *dtype_ != dtype)
    throw UsageError(fmt::format("{} of {} at {}, which holds {}; ptr.as(dtype) reinterprets", call,
                                 name_of(dtype), str(), name_of(*dtype_)));
  if (address_ % size_of(dtype) != 0)
    throw AccessFault(fmt::format("{} of {} at {}: the address must be a multiple of {}", call,
                                  name_of(dtype), str(), size_of(dtype)));
}

std::string Ptr::str() const {
  if (tensor_) {
    const auto offset = static_cast<std::int64_t>(address_ - tensor_->va_base);
    if (offset == 0) return tensor_->name;
    return fmt::format("{} {} {}", tensor_->name, offset < 0 ? '-' : '+',
                       offset < 0 ? -offset : offset);
  }
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address_));
  return text;
}

Tensor::Tensor(TensorInfoPtr info, PeId where) : info_(std::move(info)), where_(where) {
  const auto before = [](const Block& block, const PeId& pe) { return block.where < pe; };
  const auto found = std::lower_bound(info_->blocks.begin(), info_->blocks.end(), where_, before);
  if (found != info_->blocks.end() && found->where == where_) block_ = &*found;
}

const Block& Tensor::local_block() const {
  if (block_ == nullptr) {
    throw UsageError(fmt::format(
        "tensor '{}' has no shard on {}; a launch starts on every PE of a cube that "
        "has one, LaunchSpec(name).on_pes({{...}}) on fewer, and has_local() checks for one",
        info_->name, where_.str()));
  }
  return *block_;
}

Ptr Tensor::local() const { return ptr() + static_cast<std::int64_t>(local_block().offset); }

}  // namespace kernbench::tl
