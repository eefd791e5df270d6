#include "sw/benches/matmul_parameters.h"
#include "sw/benches/shipped.h"
#include "sw/kernels/matmul.h"

namespace kernbench::benches {
namespace {

void run(Torch& torch) {
  const MatmulTensors t = make_matmul_tensors(torch);
  const LaunchSpec launch = LaunchSpec("gemm").on_pe(0);
  if (torch.parameters().text("compute") == "dot") {
    torch.launch(launch, kernels::matmul_dot, t.a, t.b, t.out, t.m, t.k, t.n);
  } else {
    torch.launch(launch, kernels::matmul_composite, t.a, t.b, t.out, t.m, t.k, t.n,
                 static_cast<int>(kernels::MatmulVariant::load_ref),
                 static_cast<int>(kernels::Activation::none));
  }
  torch.verify(t.out, t.product);
}

}  // namespace

Bench gemm_single_pe() {
  ParameterSchema parameters = matmul_parameters();
  parameters.push_back(
      Parameter::choice(
          "compute",
          "composite: tiles through the whole PE; dot: one PE_GEMM operation on loaded operands",
          {"composite", "dot"}, "spec 10.3")
          .default_val("composite"));
  return {"gemm-single-pe", "Matrix product on one PE, tiled or as one dot", std::move(parameters),
          &run};
}

}  // namespace kernbench::benches
