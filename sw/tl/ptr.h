// tl::Ptr: device address in a kernel, and tl::TensorInfo: the tensor of a tensor argument.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "models/protocol/host_messages.h"

namespace kernbench::tl {

// Block of a tensor on one PE: dense and row-major.
struct Block {
  PeId where;
  std::uint64_t pa = 0;
  std::uint64_t offset = 0;  // bytes from the tensor's base
  std::uint64_t nbytes = 0;
  Shape shape;
  std::vector<std::int64_t> start;  // position of the block in the whole tensor, per axis
  int summand = 0;  // index of a partial sum; blocks with the same offset and summand are copies

  std::string range_text() const;  // in the whole tensor: "[8:16, 0:64]"
};

struct TensorInfo {
  std::string name;
  std::uint64_t va_base = 0;
  std::uint64_t nbytes = 0;
  Shape shape;
  DType dtype = DType::f32;
  std::vector<Block> blocks;  // in (sip, cube, pe) order

  // Contiguous tensor owned by one PE: for recordings.
  static std::shared_ptr<const TensorInfo> whole(std::string name, std::uint64_t base,
                                                 const Shape& shape, DType dtype, PeId where = {});
};
using TensorInfoPtr = std::shared_ptr<const TensorInfo>;

// Byte address. Arithmetic counts bytes (`b + col_start * K * itemsize`) and may leave the tensor;
// an access may not.
class Ptr {
 public:
  explicit Ptr(std::uint64_t address)
      : address_(address) {}           // raw: a physical address, without bounds or type
  explicit Ptr(TensorInfoPtr tensor);  // the tensor's first byte, with its bounds and type

  std::uint64_t address() const { return address_; }
  const TensorInfoPtr& tensor() const { return tensor_; }
  std::optional<DType> dtype() const { return dtype_; }
  Ptr as(DType dtype) const;  // the same address with a different type

  Ptr& operator+=(std::int64_t bytes);
  friend Ptr operator+(Ptr ptr, std::int64_t bytes) { return ptr += bytes; }
  friend Ptr operator-(Ptr ptr, std::int64_t bytes) { return ptr += -bytes; }

  // Throws AccessFault, naming `call`, unless [address, address + nbytes) is within the tensor.
  void check_access(const char* call, std::uint64_t nbytes) const;
  // Throws UsageError if the pointer has a different type, AccessFault if its address is not a
  // multiple of the element size.
  void check_elements(const char* call, DType dtype) const;
  std::string str() const;  // "a + 64", "0x4000"

 private:
  std::uint64_t address_;
  TensorInfoPtr tensor_;
  std::optional<DType> dtype_;
};

// Tensor argument with its shape and the running PE's own block. Converts to Ptr.
class Tensor {
 public:
  Tensor(TensorInfoPtr info, PeId where);

  const std::string& name() const { return info_->name; }
  const Shape& shape() const { return info_->shape; }
  DType dtype() const { return info_->dtype; }
  Ptr ptr() const { return Ptr(info_); }
  operator Ptr() const { return ptr(); }  // NOLINT(google-explicit-constructor)

  // Block of the running PE. All members but has_local() throw UsageError if the tensor has no
  // block there.
  bool has_local() const { return block_ != nullptr; }
  const Shape& local_shape() const { return local_block().shape; }
  const std::vector<std::int64_t>& local_start() const { return local_block().start; }
  Ptr local() const;

 private:
  const Block& local_block() const;

  TensorInfoPtr info_;
  PeId where_;
  const Block* block_ = nullptr;
};

inline Ptr operator+(const Tensor& tensor, std::int64_t bytes) { return tensor.ptr() + bytes; }

}  // namespace kernbench::tl
