// gemm-single-pe, matmul-composite: product of two matrices on one PE, out[M,N] = act(a[M,K]
// b[K,N]).
#include "sw/ops/matmul.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "models/base/errors.h"
#include "sw/benches/bench.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

using ops::Activation, ops::epilogue_of;

// --- on the PE

enum class MatmulVariant : std::int32_t {
  ref_ref,    // both operands stream from memory
  load_ref,   // a is loaded into TCM first
  load_load,  // both are loaded
};

// One composite. The dtype is that of the tensors; M, K, N are their extents. Loaded operands must
// fit the scratch.
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

// Load, load, dot, store: one PE_GEMM operation without tiling.
void matmul_dot(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int M, int K, int N) {
  auto A = tl.load(a, {M, K}, a.dtype());
  auto B = tl.load(b, {K, N}, b.dtype());
  tl.store(out, tl.dot(A, B, out.dtype()));
}

// --- on the host

// M, K, N and dtype.
ParameterSchema matmul_parameters() {
  return {extent("M", "rows of a and of the product", 32),
          extent("K", "columns of a, rows of b", 64),
          extent("N", "columns of b and of the product", 32),
          any_dtype("element type of a and b; the product of integers is i32")};
}

// a{M,K}, b{K,N} with random values, and an output, on PE 0 of cube 0.
struct MatmulTensors {
  Tensor a, b, out;
  int m, k, n;
  std::function<std::vector<double>()> product;  // reference; not called with data off
};

MatmulTensors make_matmul_tensors(Torch& torch) {
  const Attributes& parameters = torch.parameters();
  const std::int64_t m = parameters.integer("M"), k = parameters.integer("K"),
                     n = parameters.integer("N");
  const DType dtype = parse_dtype(parameters.text("dtype"));
  const DPPolicy one_pe = DPPolicy::on_one_pe();
  // Allocated first: a tensor that does not fit is refused before its values are drawn.
  MatmulTensors t{torch.empty({m, k}, dtype, one_pe, "a"),
                  torch.empty({k, n}, dtype, one_pe, "b"),
                  torch.empty({m, n}, is_float(dtype) ? dtype : i32, one_pe, "out"),
                  static_cast<int>(m),
                  static_cast<int>(k),
                  static_cast<int>(n),
                  {}};
  if (!torch.with_data()) {  // the same transfers, without making values
    t.a.fill_(0);
    t.b.fill_(0);
    return t;
  }
  const HostArray a = torch.random({m, k}, dtype), b = torch.random({k, n}, dtype);
  t.a.copy_(a);
  t.b.copy_(b);
  t.product = [a, b] { return reference::matmul(a, b); };
  return t;
}

void run_single_pe(Torch& torch) {
  const MatmulTensors t = make_matmul_tensors(torch);
  const LaunchSpec launch = LaunchSpec("gemm").on_pe(0);
  if (torch.parameters().text("compute") == "dot") {
    torch.launch(launch, matmul_dot, t.a, t.b, t.out, t.m, t.k, t.n);
  } else {
    torch.launch(launch, matmul_composite, t.a, t.b, t.out, t.m, t.k, t.n,
                 static_cast<int>(MatmulVariant::load_ref), static_cast<int>(Activation::none));
  }
  torch.verify(t.out, t.product);
}

struct ActivationInfo {
  Activation activation;
  double (*reference)(double);  // null: none
};

const std::map<std::string, ActivationInfo>& activations() {
  static const std::map<std::string, ActivationInfo> table{
      {"none", {Activation::none, nullptr}},
      {"relu", {Activation::relu, &reference::relu}},
      {"gelu", {Activation::gelu, &reference::gelu}},
      {"silu", {Activation::silu, &reference::silu}}};
  return table;
}

const std::map<std::string, MatmulVariant>& variants() {
  static const std::map<std::string, MatmulVariant> table{{"ref_ref", MatmulVariant::ref_ref},
                                                          {"load_ref", MatmulVariant::load_ref},
                                                          {"load_load", MatmulVariant::load_load}};
  return table;
}

void run_composite(Torch& torch) {
  const std::string& name = torch.parameters().text("epilogue");
  const ActivationInfo& epilogue = activations().at(name);
  if (!is_float(parse_dtype(torch.parameters().text("dtype"))) && name != "none" &&
      name != "relu") {
    throw UsageError(fmt::format(
        "matmul-composite: epilogue {} of dtype {}; allowed for integers are none and relu", name,
        torch.parameters().text("dtype")));
  }
  const MatmulTensors t = make_matmul_tensors(torch);
  const MatmulVariant variant = variants().at(torch.parameters().text("variant"));
  torch.launch(LaunchSpec("matmul").on_pe(0), matmul_composite, t.a, t.b, t.out, t.m, t.k, t.n,
               static_cast<int>(variant), static_cast<int>(epilogue.activation));
  torch.verify(t.out, [product = t.product, activate = epilogue.reference] {
    return activate == nullptr ? product() : reference::each(product(), activate);
  });
}

Bench single_pe_bench() {
  ParameterSchema parameters = matmul_parameters();
  parameters.push_back(
      choice("compute",
             "composite: tiles through the whole PE; dot: one PE_GEMM operation on loaded operands",
             {"composite", "dot"}));
  return {"gemm-single-pe", "Matrix product on one PE, tiled or as one dot", std::move(parameters),
          &run_single_pe, &first_cubes};
}

Bench composite_bench() {
  ParameterSchema parameters = matmul_parameters();
  parameters.push_back(
      Parameter::choice(
          "variant",
          "which operands are loaded into TCM before the tiles are made; the others stream",
          {"ref_ref", "load_ref", "load_load"}, "spec 10.3")
          .default_val("load_ref"));
  parameters.push_back(choice("epilogue", "applied to every output tile",
                              {"none", "relu", "gelu", "silu"}, "spec 5.3"));
  return {"matmul-composite", "Tiled matrix product on one PE, by operand variant and epilogue",
          std::move(parameters), &run_composite, &first_cubes};
}

}  // namespace

void register_matmul(BenchRegistry& registry) {
  registry.add(single_pe_bench());
  registry.add(composite_bench());
}

}  // namespace kernbench::benches
