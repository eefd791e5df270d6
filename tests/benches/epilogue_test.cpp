// Every epilogue at every scope, through the whole stack (spec 5.3): what phase 2 computes against sums in double precision.
#include <cmath>

#include "tests/benches/test_bench.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

// 130 columns are k tiles of 64, 64 and 2.
constexpr int M = 5, K = 130, N = 37, tile_k = 64, k_tiles = 3;

struct Operands {
  std::vector<double> x, w, row, whole, per_tile;
};

struct Case {
  std::string name;
  tl::EpilogueEntry (*entry)(const tl::Handle& row, const tl::Handle& whole, const tl::Handle& per_tile, EpilogueScope scope);
  double (*value)(double x, int i, int j, int k_tile, const Operands& operands);
  bool per_k_tile_only = false;
};

#define ENTRY [](const tl::Handle& row, const tl::Handle& whole, const tl::Handle& per_tile, EpilogueScope scope)
#define VALUE [](double x, int i, int j, int k_tile, const Operands& o) -> double

const std::vector<Case>& cases() { static const std::vector<Case> all{{"relu", ENTRY{return tl::relu(scope); }
, VALUE { return std::max(x, 0.0); }
}  // namespace
, {"gelu", ENTRY{return tl::gelu(scope);
}
, VALUE { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
}
, {"silu", ENTRY{return tl::silu(scope);
}
, VALUE { return x / (1 + std::exp(-x)); }
}
, {"exp", ENTRY{return tl::exp(scope);
}
, VALUE { return std::exp(x); }
}
, {"scale", ENTRY{return tl::scale(0.375, scope);
}
, VALUE { return x * 0.375; }
}
, {"clamp", ENTRY{return tl::clamp(-0.5, 0.75, scope);
}
, VALUE { return std::clamp(x, -0.5, 0.75); }
}
, {"bias", ENTRY{return tl::bias(row, scope);
}
, VALUE { return x + o.row[j]; }
}
, {"add", ENTRY{return tl::add(whole, scope);
}
, VALUE { return x + o.whole[i * N + j]; }
}
, {"add_row", ENTRY{return tl::add(row, scope);
}
, VALUE { return x + o.row[j]; }
}
, {"mul", ENTRY{return tl::mul(whole, scope);
}
, VALUE { return x * o.whole[i * N + j]; }
}
, {"mul_row", ENTRY{return tl::mul(row, scope);
}
, VALUE { return x * o.row[j]; }
}
, {"dequant", ENTRY{return tl::dequant(0.25, scope);
}
, VALUE { return x * 0.25; }
}
, {"dequant_tiles", ENTRY{return tl::dequant(per_tile, scope);
}
, VALUE { return x * o.per_tile[k_tile]; }
, true
}
,
}
;
return all;
}

#undef ENTRY
#undef VALUE

// The entry, then a scaling of the finished output: entries apply in list order.
std::vector<double> expected(const Case& which, EpilogueScope scope, const Operands& operands) {
  std::vector<double> result(M * N);
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      double& sum = result[i * N + j];
      for (int tile = 0; tile < k_tiles; ++tile) {
        double partial = 0;
        for (int k = tile * tile_k; k < std::min(K, (tile + 1) * tile_k); ++k)
          partial += operands.x[i * K + k] * operands.w[k * N + j];
        sum += scope == EpilogueScope::k_tile ? which.value(partial, i, j, tile, operands) : partial;
      }
      if (scope != EpilogueScope::k_tile) sum = which.value(sum, i, j, 0, operands);
      sum *= 0.5;
    }
  }
  return result;
}

void fused(tl::Program& tl, tl::Ptr x, tl::Ptr w, tl::Tensor row, tl::Ptr whole, tl::Ptr per_tile, tl::Tensor out, int which,
           int scope_number) {
  const DType dtype = row.dtype();
  const auto scope = static_cast<EpilogueScope>(scope_number);
  const tl::Handle bias = tl.load(row, {N}, dtype), other = tl.load(whole, {M, N}, dtype),
                   scales = tl.load(per_tile, {k_tiles}, dtype);
  const EpilogueScope last = scope == EpilogueScope::k_tile ? EpilogueScope::output_tile : scope;
  tl.composite(tl::gemm(tl.ref(x, {M, K}, dtype), tl.ref(w, {K, N}, dtype))
                   .to(out)
                   .epilogue({cases()[static_cast<std::size_t>(which)].entry(bias, other, scales, scope), tl::scale(0.5, last)}));
  tl.wait();
}

void run_all(Torch& torch, DType dtype) {
  const DPPolicy one = DPPolicy::on_one_pe();
  const auto draw = [&](const Shape& shape, double scale) {
    std::vector<double> values = torch.random(shape, f32).values();
    for (double& value : values) value *= scale;
    return HostArray(shape, dtype, values);
  };
  const HostArray x = draw({M, K}, 0.25), w = draw({K, N}, 0.5), row = draw({N}, 1), whole = draw({M, N}, 1),
                  per_tile = draw({k_tiles}, 1);
  const Operands operands{x.values(), w.values(), row.values(), whole.values(), per_tile.values()};
  const Tensor xt = torch.from_host(x, one, "x"), wt = torch.from_host(w, one, "w"), rt = torch.from_host(row, one, "row"),
               ot = torch.from_host(whole, one, "whole"), st = torch.from_host(per_tile, one, "per_tile");
  for (std::size_t i = 0; i < cases().size(); ++i) {
    for (const EpilogueScope scope : {EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel}) {
      if (cases()[i].per_k_tile_only && scope != EpilogueScope::k_tile) continue;
      const Tensor out = torch.empty({M, N}, dtype, one, cases()[i].name + std::to_string(static_cast<int>(scope)));
      torch.launch(LaunchSpec("fused").on_pe(0), fused, xt, wt, rt, ot, st, out, static_cast<int>(i), static_cast<int>(scope));
      torch.verify(out, [i, scope, operands] { return expected(cases()[i], scope, operands); });
    }
  }
}

void in_f32(Torch& torch) { run_all(torch, f32); }
void in_f16(Torch& torch) { run_all(torch, f16); }
void in_bf16(Torch& torch) { run_all(torch, bf16); }

}  // namespace

BOOST_AUTO_TEST_CASE(every_epilogue_at_every_scope_is_what_the_specification_says) {
  for (auto* run : {in_f32, in_f16, in_bf16}) {
    forked([run] {
      const BenchOutcome outcome = run_function(run);
      BOOST_TEST(outcome.status == "completed", outcome.error);
      BOOST_TEST(outcome.failures == "");
      BOOST_TEST(outcome.verified == 37U * M * N);  // 12 at three scopes, one at one
    });
  }
}
