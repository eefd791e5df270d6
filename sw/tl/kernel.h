// Conversion of a kernel function and its arguments to a KernelCall, which is sent to the PEs. The
// arguments are checked against the kernel's signature when the program is compiled:
//
//   void scale(tl::Program& tl, tl::Ptr x, tl::Tensor y, float factor, int n);
//
// A tensor is passed as a tl::Ptr or a tl::Tensor. A scalar (bool, int, int64, tl::Half, float) is
// passed unchanged: an argument that its parameter cannot represent exactly does not compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/protocol/host_messages.h"
#include "models/protocol/kernel_context.h"
#include "sw/tl/half.h"
#include "sw/tl/overlap.h"
#include "sw/tl/program.h"
#include "sw/tl/ptr.h"

namespace kernbench::tl {

// Parameters of the kernel after tl::Program&.
template <class Kernel>
struct KernelSignature : KernelSignature<decltype(&Kernel::operator())> {};
template <class... Params>
struct KernelSignature<void (*)(Program&, Params...)> {
  using Parameters = std::tuple<std::decay_t<Params>...>;
};
template <class Closure, class... Params>
struct KernelSignature<void (Closure::*)(Program&, Params...) const> {
  using Parameters = std::tuple<std::decay_t<Params>...>;
};

// Tensor as it appears in the arguments of a launch.
inline KernelArgument tensor_argument(const TensorInfo& info) {
  TensorArgument argument{info.va_base, info.nbytes, {}};
  argument.shards.reserve(info.blocks.size());
  for (const Block& block : info.blocks)
    argument.shards.push_back({block.where, block.pa, block.nbytes, block.offset});
  return argument;
}

namespace detail {

template <class To, class From, class = void>
struct HoldsExactly : std::false_type {};
template <class To, class From>
struct HoldsExactly<To, From, std::void_t<decltype(To{std::declval<From>()})>> : std::true_type {};

template <class T>
inline constexpr bool is_scalar_parameter =
    std::is_same_v<T, bool> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, Half> || std::is_same_v<T, float>;
// A Half may be passed as a Half or as an f32, which holds it exactly.
template <class T>
inline constexpr bool is_scalar_argument = std::is_arithmetic_v<T> || std::is_same_v<T, Half>;
template <class T>
inline constexpr bool is_pointer_parameter = std::is_same_v<T, Ptr> || std::is_same_v<T, Tensor>;

// Argument as stored until the kernel runs.
template <class Param>
struct BoundArgument {
  static_assert(is_scalar_parameter<Param>,
                "a kernel parameter is tl::Ptr, tl::Tensor, bool, std::int32_t, std::int64_t, "
                "tl::Half or float");
  template <class Arg>
  explicit BoundArgument(const Arg& arg) : value{arg} {
    static_assert(is_scalar_argument<Arg>,
                  "this kernel parameter is a scalar; a scalar must be passed");
    static_assert(std::is_same_v<Param, bool> == std::is_same_v<Arg, bool>,
                  "bool goes to bool, and nothing else does");
  }
  Param at(PeId) const { return value; }
  KernelArgument message() const {
    if constexpr (std::is_same_v<Param, Half>) {
      return ScalarArgument(Float16Bits{value.bits()});
    } else {
      return ScalarArgument(value);
    }
  }
  Param value;
};

template <>
struct BoundArgument<Ptr> {
  explicit BoundArgument(TensorInfoPtr tensor) : value(std::move(tensor)) {}
  explicit BoundArgument(const Ptr& ptr) : value(ptr) {}
  const Ptr& at(PeId) const { return value; }
  KernelArgument message() const {
    if (value.tensor()) return tensor_argument(*value.tensor());
    return ScalarArgument(static_cast<std::int64_t>(value.address()));
  }
  Ptr value;
};

template <>
struct BoundArgument<Tensor> {
  explicit BoundArgument(TensorInfoPtr tensor) : value(std::move(tensor)) {}
  Tensor at(PeId where) const { return Tensor(value, where); }
  KernelArgument message() const { return tensor_argument(*value); }
  TensorInfoPtr value;
};

template <class Param, class Arg>
constexpr void check_argument() {
  if constexpr (is_pointer_parameter<Param>) {
    static_assert(std::is_convertible_v<Arg, TensorInfoPtr> ||
                      (std::is_same_v<Param, Ptr> && std::is_same_v<Arg, Ptr>),
                  "this kernel parameter is a tl::Ptr or tl::Tensor; a tensor must be passed");
  } else {
    static_assert(is_scalar_argument<Arg>,
                  "this kernel parameter is a scalar; a scalar must be passed");
    static_assert(
        std::is_same_v<Param, Half> ? std::is_same_v<Arg, Half> : HoldsExactly<Param, Arg>::value,
        "this argument may not fit the kernel's parameter: scalars arrive exactly as passed");
  }
}

template <class... Params>
class BoundKernel final : public KernelBody {
 public:
  using Arguments = std::tuple<BoundArgument<Params>...>;
  BoundKernel(std::function<void(Program&, Params...)> kernel, Arguments arguments)
      : kernel_(std::move(kernel)), arguments_(std::move(arguments)) {}

  void run(KernelContext& context) const override {
    const PeId where = context.where();
    Program program(context);
    std::apply([&](const auto&... argument) { kernel_(program, argument.at(where)...); },
               arguments_);
  }

  std::vector<KernelArgument> messages() const {
    std::vector<KernelArgument> list;
    list.reserve(sizeof...(Params));
    std::apply([&list](const auto&... argument) { (list.push_back(argument.message()), ...); },
               arguments_);
    return list;
  }

 private:
  std::function<void(Program&, Params...)> kernel_;
  Arguments arguments_;
};

template <class Kernel, class... Params, class... Args>
auto bind_to(std::tuple<Params...>*, Kernel kernel, Args&&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args),
                "the kernel takes a different number of arguments");
  (check_argument<Params, std::decay_t<Args>>(), ...);
  return std::make_shared<const BoundKernel<Params...>>(
      std::move(kernel), std::tuple<BoundArgument<Params>...>(BoundArgument<Params>(args)...));
}

}  // namespace detail

// Kernel with its arguments, and the arguments as the launch message lists them.
struct KernelCall {
  std::shared_ptr<const KernelBody> body;
  std::vector<KernelArgument> args;
  std::uint64_t scratch_bytes = 0;  // upper bound of the kernel's own scratch; 0: unknown
};

// Arguments: TensorInfoPtr, tl::Ptr, or scalars.
template <class Kernel, class... Args>
KernelCall bind_kernel(Kernel kernel, const Args&... args) {
  using Parameters = typename KernelSignature<std::decay_t<Kernel>>::Parameters;
  auto body = detail::bind_to(static_cast<Parameters*>(nullptr), std::move(kernel), args...);
  std::vector<KernelArgument> messages = body->messages();
  return {std::move(body), std::move(messages), 0};
}

}  // namespace kernbench::tl
