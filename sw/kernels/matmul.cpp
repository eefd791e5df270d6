#include "sw/kernels/matmul.h"

#include "models/base/errors.h"

namespace kernbench::kernels {
namespace {

std::vector<tl::EpilogueEntry> epilogue_of(Activation activation) {
  switch (activation) {
    case Activation::none:
      return {};
    case Activation::relu:
      return {tl::relu()};
    case Activation::gelu:
      return {tl::gelu()};
    case Activation::silu:
      return {tl::silu()};
  }
  throw UsageError("matmul: activation " + std::to_string(static_cast<int>(activation)) +
                   " does not exist");
}

}  // namespace

void matmul_composite(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int M, int K,
                      int N, int variant, int activation) {
  const auto chosen = static_cast<MatmulVariant>(variant);
  auto A = chosen == MatmulVariant::ref_ref ? tl.ref(a, {M, K}, a.dtype())
                                            : tl.load(a, {M, K}, a.dtype());
  auto B = chosen == MatmulVariant::load_load ? tl.load(b, {K, N}, b.dtype())
                                              : tl.ref(b, {K, N}, b.dtype());
  auto h = tl.composite(
      tl::gemm(A, B).to(out).epilogue(epilogue_of(static_cast<Activation>(activation))));
  tl.wait(h);
}

void matmul_dot(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int M, int K, int N) {
  auto A = tl.load(a, {M, K}, a.dtype());
  auto B = tl.load(b, {K, N}, b.dtype());
  tl.store(out, tl.dot(A, B, out.dtype()));
}

}  // namespace kernbench::kernels
