// Every epilogue at every scope, through the whole stack (spec 5.3): what phase 2 computes against
// sums in double precision.
#include <cmath>
#include <functional>

#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(epilogue_test)

namespace {

// 130 columns are k tiles of 64, 64 and 2.
constexpr int M = 5, K = 130, N = 37, tile_k = 64, k_tiles = 3;

struct Operands {
  std::vector<double> x, w, row, whole, per_tile;
};

// The operands of the entries as blocks in TCM.
struct Blocks {
  tl::Handle row, whole, per_tile;
};

// Element (i, j) of the output, or of what one k tile adds to it.
struct Point {
  double x = 0;
  int i = 0, j = 0, k_tile = 0;
};

struct Case {
  std::string name;
  std::function<tl::EpilogueEntry(const Blocks&, EpilogueScope)> entry;
  std::function<double(const Point&, const Operands&)> value;
  bool per_k_tile_only = false;
};

const std::vector<Case>& cases() {
  using B = const Blocks&;
  using S = EpilogueScope;
  using P = const Point&;
  using O = const Operands&;
  static const std::vector<Case> all{
      {"relu", [](B, S s) { return tl::relu(s); }, [](P p, O) { return std::max(p.x, 0.0); }},
      {"gelu", [](B, S s) { return tl::gelu(s); },
       [](P p, O) { return 0.5 * p.x * (1 + std::erf(p.x / std::sqrt(2.0))); }},
      {"silu", [](B, S s) { return tl::silu(s); },
       [](P p, O) { return p.x / (1 + std::exp(-p.x)); }},
      {"exp", [](B, S s) { return tl::exp(s); }, [](P p, O) { return std::exp(p.x); }},
      {"scale", [](B, S s) { return tl::scale(0.375, s); }, [](P p, O) { return p.x * 0.375; }},
      {"clamp", [](B, S s) { return tl::clamp(-0.5, 0.75, s); },
       [](P p, O) { return std::clamp(p.x, -0.5, 0.75); }},
      {"bias", [](B b, S s) { return tl::bias(b.row, s); },
       [](P p, O o) { return p.x + o.row[p.j]; }},
      {"add", [](B b, S s) { return tl::add(b.whole, s); },
       [](P p, O o) { return p.x + o.whole[p.i * N + p.j]; }},
      {"add_row", [](B b, S s) { return tl::add(b.row, s); },
       [](P p, O o) { return p.x + o.row[p.j]; }},
      {"mul", [](B b, S s) { return tl::mul(b.whole, s); },
       [](P p, O o) { return p.x * o.whole[p.i * N + p.j]; }},
      {"mul_row", [](B b, S s) { return tl::mul(b.row, s); },
       [](P p, O o) { return p.x * o.row[p.j]; }},
      {"dequant", [](B, S s) { return tl::dequant(0.25, s); }, [](P p, O) { return p.x * 0.25; }},
      {"dequant_tiles", [](B b, S s) { return tl::dequant(b.per_tile, s); },
       [](P p, O o) { return p.x * o.per_tile[p.k_tile]; }, true},
  };
  return all;
}

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
        sum +=
            scope == EpilogueScope::k_tile ? which.value({partial, i, j, tile}, operands) : partial;
      }
      if (scope != EpilogueScope::k_tile) sum = which.value({sum, i, j, 0}, operands);
      sum *= 0.5;
    }
  }
  return result;
}

void fused(tl::Program& tl, tl::Ptr x, tl::Ptr w, tl::Tensor row, tl::Ptr whole, tl::Ptr per_tile,
           tl::Tensor out, int which, int scope_number) {
  const DType dtype = row.dtype();
  const auto scope = static_cast<EpilogueScope>(scope_number);
  const Blocks blocks{tl.load(row, {N}, dtype), tl.load(whole, {M, N}, dtype),
                      tl.load(per_tile, {k_tiles}, dtype)};
  const EpilogueScope last = scope == EpilogueScope::k_tile ? EpilogueScope::output_tile : scope;
  tl.composite(tl::gemm(tl.ref(x, {M, K}, dtype), tl.ref(w, {K, N}, dtype))
                   .to(out)
                   .epilogue({cases()[static_cast<std::size_t>(which)].entry(blocks, scope),
                              tl::scale(0.5, last)}));
  tl.wait();
}

void run_all(Torch& torch, DType dtype) {
  const DPPolicy one = DPPolicy::on_one_pe();
  const auto draw = [&](const Shape& shape, double scale) {
    std::vector<double> values = torch.random(shape, f32).values();
    for (double& value : values) value *= scale;
    return HostArray(shape, dtype, values);
  };
  const HostArray x = draw({M, K}, 0.25), w = draw({K, N}, 0.5), row = draw({N}, 1),
                  whole = draw({M, N}, 1), per_tile = draw({k_tiles}, 1);
  const Operands operands{x.values(), w.values(), row.values(), whole.values(), per_tile.values()};
  const Tensor xt = torch.from_host(x, one, "x"), wt = torch.from_host(w, one, "w"),
               rt = torch.from_host(row, one, "row"), ot = torch.from_host(whole, one, "whole"),
               st = torch.from_host(per_tile, one, "per_tile");
  for (std::size_t i = 0; i < cases().size(); ++i) {
    for (const EpilogueScope scope :
         {EpilogueScope::k_tile, EpilogueScope::output_tile, EpilogueScope::kernel}) {
      if (cases()[i].per_k_tile_only && scope != EpilogueScope::k_tile) continue;
      const Tensor out = torch.empty({M, N}, dtype, one,
                                     cases()[i].name + std::to_string(static_cast<int>(scope)));
      torch.launch(LaunchSpec("fused").on_pe(0), fused, xt, wt, rt, ot, st, out,
                   static_cast<int>(i), static_cast<int>(scope));
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

BOOST_AUTO_TEST_SUITE_END()
