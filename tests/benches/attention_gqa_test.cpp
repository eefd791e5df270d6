// attention-gqa and its operator (sw/ops/attention.h): values and operations of the panels, any
// lengths, heads and splits, times against bounds computed by hand, and refused input.
#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "sw/benches/reference.h"
#include "sw/ops/attention.h"
#include "tests/benches/timed_forms.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(attention_gqa_test)

namespace {

const char* const bench = "attention-gqa";

// Rows of the op log on an engine, "sip0.cube0.pe3.pe_gemm", whose names begin so.
std::size_t rows(const std::string& op_log, const std::string& engine, const std::string& name) {
  std::size_t n = 0;
  std::istringstream lines(op_log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("," + engine + ",");
    if (at != std::string::npos && line.find("," + name, at + 1) != std::string::npos) ++n;
  }
  return n;
}

// The panel completes with right values, and every rank has so many products and sends.
void expect_operations(const Parameters& parameters, const std::vector<std::string>& ranks,
                       std::uint64_t elements, std::size_t products, std::size_t sends,
                       const BenchRunOptions& options) {
  forked([&] {
    const BenchOutcome outcome = run_bench(bench, parameters, options);
    BOOST_TEST(outcome.status == "completed", outcome.error);
    BOOST_TEST(outcome.failures == "");
    BOOST_TEST(outcome.verified == elements);
    for (const std::string& rank : ranks) {
      BOOST_TEST(rows(outcome.op_log, rank + ".pe_gemm", "gemm") == products, rank);
      BOOST_TEST(rows(outcome.op_log, rank + ".pe_ipcq", "ipcq_send") == sends, rank);
    }
  });
}

std::vector<std::string> pes_of_cube() {
  std::vector<std::string> pes;
  for (int pe = 0; pe < 8; ++pe) pes.push_back(fmt::format("sip0.cube0.pe{}", pe));
  return pes;
}
std::vector<std::string> cubes_of_sip() {
  std::vector<std::string> pes;
  for (int cube = 0; cube < 4; ++cube) pes.push_back(fmt::format("sip0.cube{}.pe0", cube));
  return pes;
}

BenchRunOptions with_scratch(int bytes) {
  BenchRunOptions options;
  options.overrides = {
      {"cube.pe_template.components.pe_cpu.attrs.scratch_bytes", std::to_string(bytes)}};
  return options;
}

}  // namespace

// Prefill: two products for each rank's tile, n - 1 sends of its keys and n - 1 of its values.
BOOST_AUTO_TEST_CASE(prefill_panels_send_keys_and_values_to_every_other_rank) {
  expect_operations({}, pes_of_cube(), 16 * 8 * 64, 2 * 8, 2 * 7, {});
  expect_operations({{"panel", "multi_user_prefill"}}, cubes_of_sip(), 16 * 8 * 64, 2 * 4, 2 * 3,
                    on_16_cubes());
}

// Decode: two products of the rank's part, n - 1 sends of partial results; a result on each rank.
BOOST_AUTO_TEST_CASE(decode_panels_have_two_products_and_n_minus_1_sends_per_rank) {
  expect_operations({{"panel", "single_user_decode"}}, pes_of_cube(), 8 * 8 * 64, 2, 7, {});
  expect_operations({{"panel", "multi_user_decode"}}, cubes_of_sip(), 4 * 8 * 64, 2, 3,
                    on_16_cubes());
}

// Heads of several groups are one product of three axes.
BOOST_AUTO_TEST_CASE(decode_of_several_groups_has_two_products_per_rank) {
  expect_operations({{"panel", "single_user_decode"}, {"q_heads", "16"}, {"kv_heads", "4"}},
                    pes_of_cube(), 8 * 16 * 64, 2, 7, {});
}

BOOST_AUTO_TEST_CASE(rings_over_sips_are_right) {
  const Parameters over_sips{{"wiring", "sip_ring"}, {"S_q", "5"}, {"S_kv", "67"}};
  expect_operations(over_sips, {"sip0.cube0.pe0", "sip1.cube0.pe0"}, 5 * 8 * 64, 2 * 2, 2 * 1,
                    on_16_cubes());
  expect_operations(with(over_sips, {{"panel", "single_user_decode"}}),
                    {"sip0.cube0.pe0", "sip1.cube0.pe0"}, 2 * 5 * 8 * 64, 2, 1, on_16_cubes());
}

// Any lengths, heads and tiles; small scratches make many tiles and passes.
RC_BOOST_PROP(any_lengths_heads_and_tiles_are_right, ()) {
  if (*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 2)) != 0) return;
  const int kv_heads = *rc::gen::inRange(1, 4), group = *rc::gen::inRange(1, 4),
            d = *rc::gen::inRange(1, 24), keys = *rc::gen::inRange(1, 120),
            queries = *rc::gen::inRange(1, std::min(keys, 40) + 1), ranks = *rc::gen::inRange(1, 9);
  const bool prefill = *rc::gen::arbitrary<bool>();
  const int copies = prefill ? 1 : std::min(ranks, keys);
  const Parameters parameters{{"panel", prefill ? "single_user_prefill" : "single_user_decode"},
                              {"S_q", std::to_string(queries)},
                              {"S_kv", std::to_string(keys)},
                              {"q_heads", std::to_string(kv_heads * group)},
                              {"kv_heads", std::to_string(kv_heads)},
                              {"d_head", std::to_string(d)},
                              {"ranks", std::to_string(ranks)},
                              {"causal", *rc::gen::element<std::string>("true", "false")},
                              {"dtype", *rc::gen::element<std::string>("f16", "bf16", "f32")},
                              {"magnitude", *rc::gen::element<std::string>("3", "8")}};
  const BenchRunOptions options = with_scratch(*rc::gen::inRange(12, 48) * 1024);
  for (const auto& [name, value] : parameters) RC_TAG(name + "=" + value);
  expect_right(bench, parameters,
               static_cast<std::uint64_t>(copies * queries * kv_heads * group * d), options);
}

namespace {

// A split of the keys over the ring: keys[r] keys on PE pes[r]. In tensors with more rows than a
// rank has keys; the others have values that must not be used.
std::vector<std::int64_t> numbers_of(const std::string& text) {
  std::vector<std::int64_t> numbers;
  std::istringstream words(text);
  for (std::int64_t number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

// q{tokens, heads * d}; k, v{kv_heads, keys, d}, all keys in order.
std::vector<double> expected_of(const HostArray& q, const std::vector<double>& k,
                                const std::vector<double>& v, std::int64_t keys,
                                const ops::GroupedHeads& heads) {
  const std::vector<double> queries = q.values();
  const std::int64_t tokens = q.shape()[0], d = heads.d;
  std::vector<double> out;
  for (std::int64_t row = 0; row < tokens * heads.q_heads; ++row) {
    const std::int64_t token = row / heads.q_heads,
                       head = row % heads.q_heads / heads.group() * keys * d;
    const auto result = reference::attention(queries.data() + row * d, k.data() + head,
                                             v.data() + head, keys - tokens + token + 1, d, d);
    out.insert(out.end(), result.begin(), result.end());
  }
  return out;
}

void run_split(Torch& torch) {
  const std::vector<std::int64_t> counts = numbers_of(torch.parameters().text("keys")),
                                  order = numbers_of(torch.parameters().text("pes"));
  const auto n = static_cast<std::int64_t>(counts.size());
  const std::int64_t keys = std::accumulate(counts.begin(), counts.end(), std::int64_t{0}),
                     rows = *std::max_element(counts.begin(), counts.end()) + 1, tokens = 2 * n;
  ops::RingAttention of{
      torch.parameters().flag("prefill") ? ops::Travels::keys : ops::Travels::sums,
      {4, 2, 16},
      true,
      {},
      {}};
  const std::int64_t d = of.heads.d, first_query = keys - tokens;
  std::int64_t first = 0;
  for (std::int64_t rank = 0; rank < n; ++rank) {
    const std::int64_t pe = order[rank];
    const ops::Positions own{first_query + 2 * pe, 2}, all{first_query, tokens};
    of.ranks.push_back({{this_device, 0, static_cast<int>(pe)},
                        of.travels == ops::Travels::keys ? own : all,
                        {first, counts[rank]}});
    first += counts[rank];
  }
  of.tile = ops::largest_tile(of, f16, ops::memory_of(torch.spec()));
  const DPPolicy over_pes{Placement::replicate, Placement::cut(1), 1, static_cast<int>(n)},
      of_q{Placement::replicate,
           of.travels == ops::Travels::keys ? Placement::cut(0) : Placement::replicate, 1,
           static_cast<int>(n)};
  const HostArray q = torch.random({tokens, 4 * d}, f16);
  std::vector<Tensor> tensors;
  std::vector<std::vector<double>> whole;
  for (const char* name : {"k", "v"}) {
    const std::vector<double> values = torch.random({2, keys, d}, f16).values();
    std::vector<HostArray> parts(static_cast<std::size_t>(n),
                                 HostArray::full({2, rows, d}, f16, 1000));
    for (const ops::AttentionRank& rank : of.ranks) {
      std::vector<double> part(static_cast<std::size_t>(2 * rows * d), 1000.0);
      for (std::int64_t head = 0; head < 2; ++head) {
        std::copy_n(values.begin() + (head * keys + rank.keys.first) * d, rank.keys.count * d,
                    part.begin() + head * rows * d);
      }
      parts[static_cast<std::size_t>(rank.pe.pe)] = HostArray({2, rows, d}, f16, part);
    }
    tensors.push_back(torch.from_local(parts, {2, n * rows, d}, over_pes, name));
    whole.push_back(values);
  }
  const Tensor queries = torch.from_host(q, of_q, "q"),
               out = torch.empty({tokens, 4 * d}, f16, of_q, "out");
  ops::install_ring(torch, of, f16);
  ops::attention(torch, of, queries, tensors[0], tensors[1], out);
  torch.verify(
      out, [=] { return expected_of(q, whole[0], whole[1], keys, of.heads); },
      reference::attention_roundings(f16, d, 0, 1));
}

Bench split_bench() {
  return {"split",
          "attention over a given split",
          {Parameter::text("keys", "of each rank", "test"),
           Parameter::text("pes", "of each rank", "test"),
           Parameter::boolean("prefill", "keys travel", "test")},
          &run_split};
}

std::string text_of(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += std::to_string(number) + " ";
  return text;
}

}  // namespace

// Parts of any lengths, empty ones included, on PEs in any order.
RC_BOOST_PROP(any_split_of_the_keys_and_any_order_of_the_ranks_give_the_same_value, ()) {
  if (*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 2)) != 0) return;
  const int n = *rc::gen::inRange(2, 6);
  std::vector<int> counts, pes;
  for (int rank = 0; rank < n; ++rank) {
    counts.push_back(*rc::gen::element(0, 0, 1, 5, 33));
    pes.push_back(rank);
  }
  counts[static_cast<std::size_t>(*rc::gen::inRange(0, n))] = 2 * n;  // each query sees a key
  for (int i = n - 1; i > 0; --i)
    std::swap(pes[static_cast<std::size_t>(i)],
              pes[static_cast<std::size_t>(*rc::gen::inRange(0, i + 1))]);
  const bool prefill = *rc::gen::arbitrary<bool>();
  RC_TAG(text_of(counts), text_of(pes), prefill);
  expect_right(
      split_bench(),
      {{"keys", text_of(counts)}, {"pes", text_of(pes)}, {"prefill", prefill ? "true" : "false"}},
      static_cast<std::uint64_t>((prefill ? 1 : n) * 2 * n * 4 * 16), with_scratch(20480));
}

// 8 query heads on one of keys, d 128, 32768 keys on 8 PEs: each loads 4096 keys and values of 256
// B from its HBM at 256 B/ns: 8192 ns.
BOOST_AUTO_TEST_CASE(decode_reaches_80_percent_of_the_hbm_rate) {
  const Fs bound = Fs{4096 * 2 * 256 / 256} * fs_per_ns;
  const Fs time = time_of(bench, {{"panel", "single_user_decode"},
                                  {"q_heads", "8"},
                                  {"kv_heads", "1"},
                                  {"d_head", "128"},
                                  {"S_kv", "32768"}});
  BOOST_TEST(bound <= time);
  BOOST_TEST(static_cast<double>(time) <= static_cast<double>(bound) / 0.8);
}

// PE_GEMM and PE_MATH share a slot. 512 queries of 8 heads on 8 PEs: 512 rows each, in tiles of 128
// rows and all 64 keys of a part, 4 passes of 8 tiles. A tile: two products of 128 * 64 * 128 MACs
// at 4096 per ns, 512 ns; 64 rows of lanes of max, fma, exp2 (4 cycles) and sum, 448 ns; scaling of
// the sums {128, 128}, 128 ns. 32 tiles: 34816 ns.
BOOST_AUTO_TEST_CASE(prefill_reaches_the_rate_of_its_tiles) {
  const Parameters square{
      {"q_heads", "8"}, {"d_head", "128"}, {"S_q", "512"}, {"S_kv", "512"}, {"causal", "false"}};
  const Fs bound = Fs{32 * (512 + 448 + 128)} * fs_per_ns;
  const Fs time = time_of(bench, square);
  BOOST_TEST(bound <= time);
  BOOST_TEST(static_cast<double>(time) <= static_cast<double>(bound) / 0.9);
}

BOOST_AUTO_TEST_CASE(tiles_fit_the_memory_of_the_pe) {
  ops::RingAttention of{ops::Travels::keys, {64, 8, 128}, true, {}, {}};
  const auto queries = ops::split(0, 4096, 8);
  for (int pe = 0; pe < 8; ++pe) of.ranks.push_back({{0, 0, pe}, queries[pe], queries[pe]});
  for (const std::uint64_t scratch : {1 << 20, 1 << 18, 1 << 16}) {
    const ops::AttentionTile tile = ops::largest_tile(of, f16, {scratch, 1 << 17});
    BOOST_TEST(ops::scratch_bytes(of.heads, tile, f16) <= scratch);
    BOOST_TEST(tile.keys >= 1);
  }
  // Keys of 128 * 2 B: a message of 4 KiB has 16.
  BOOST_TEST(ops::largest_tile(of, f16, {1 << 20, 4096}).keys == 16);
}

BOOST_AUTO_TEST_CASE(impossible_attention_is_wrong_usage) {
  const auto check_refused = [](const Parameters& parameters, const std::vector<std::string>& parts,
                                const BenchRunOptions& options = {}) {
    check_contains(failure_of(bench, parameters, options), parts);
  };
  check_refused({{"q_heads", "8"}, {"kv_heads", "3"}},
                {"usage: attention: 8 query heads do not share 3 heads of keys evenly"});
  check_refused({{"S_q", "129"}}, {"causal, and 129 queries at the end of 128 keys"});
  check_refused({{"ranks", "9"}},
                {"9 ranks with wiring intra_pe_ring; the machine has 8 PEs per cube"});
  check_refused({{"panel", "multi_user_decode"}},
                {"4 ranks with wiring cube_ring; the machine has 1 cubes per SIP"});
  check_refused({{"d_head", "65536"}},
                {"usage: attention: one query of 8 heads and one key, of d 65536 in f16, need ",
                 "bytes of scratch (scratch_bytes of pe_cpu: 1048576)"});
  check_refused({}, {"scratch_bytes of pe_cpu: 4096"}, with_scratch(4096));
  BenchRunOptions on_sip_1 = on_16_cubes();
  on_sip_1.devices = {1};
  check_refused({{"wiring", "sip_ring"}},
                {"usage: attention-gqa: a sip_ring uses several SIPs from SIP 0 on"}, on_sip_1);
  for (const char* count : {"S_q", "ranks"}) {
    check_refused({{count, "0"}}, {std::string("usage: bench 'attention-gqa': parameter ") + count,
                                   "1 to 1048576", "or panel"});
  }
  for (const char* length : {"S_kv", "q_heads", "kv_heads", "d_head", "panel"}) {
    BOOST_CHECK_EXCEPTION(failure_of(bench, {{length, "0"}}), ForkedFailure,
                          [&](const ForkedFailure& failure) {
                            return std::string(failure.what()).find(length) != std::string::npos;
                          });
  }
}

BOOST_AUTO_TEST_SUITE_END()
