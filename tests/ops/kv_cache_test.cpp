// The paged KV cache: values for any assignment of physical blocks, append in place, what the
// kernels read, times, and what is refused.
#include "sw/ops/kv_cache.h"

#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <numeric>

#include "sw/benches/reference.h"
#include "tests/support/error_text.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(kv_cache)

namespace {

using Blocks = std::vector<std::uint32_t>;
using Values = std::vector<double>;

// One SIP of two cubes with 8 PEs.
std::vector<Override> two_cubes() { return sips("ring_1d", 1, 1, 2, 1); }

struct Case {
  ops::CacheShape shape;
  std::int64_t group = 1;
  ops::TokenBatch batch;
  ops::PeGrid grid{2, 8};
};

// Arrays of a case: all of the cache before the batch, and the new rows.
struct Inputs {
  Inputs(Torch& torch, const Case& c)
      : k(torch.random({c.shape.rows(), c.shape.d}, f16)),
        v(torch.random({c.shape.rows(), c.shape.d}, f16)),
        q(torch.random({c.batch.tokens(), c.shape.kv_heads * c.group * c.shape.d}, f16)),
        kv(torch.random({c.batch.tokens(), 2 * c.shape.kv_heads * c.shape.d}, f16)) {}
  HostArray k, v, q, kv;
};

std::int64_t place_of(const Case& c, const ops::SequenceStep& sequence, std::int64_t head,
                      std::int64_t position) {
  const auto block = static_cast<std::size_t>(position / c.shape.block_tokens);
  return c.shape.row(sequence.blocks[block], head, position % c.shape.block_tokens) * c.shape.d;
}

// The cache after the batch: all other elements are unchanged. `half`: 0 keys, 1 values.
Values appended(const Case& c, const Inputs& in, int half) {
  Values cache = (half == 0 ? in.k : in.v).values();
  const std::int64_t d = c.shape.d, heads = c.shape.kv_heads;
  std::int64_t token = 0;
  for (const ops::SequenceStep& sequence : c.batch.sequences) {
    for (std::int64_t p = sequence.context - sequence.new_tokens; p < sequence.context;
         ++p, ++token) {
      for (std::int64_t i = 0; i < heads * d; ++i)
        cache[static_cast<std::size_t>(place_of(c, sequence, i / d, p) + i % d)] =
            in.kv.at({token, half * heads * d + i});
    }
  }
  return cache;
}

Values attended(const Case& c, const Inputs& in) {
  const Values k = appended(c, in, 0), v = appended(c, in, 1), q = in.q.values();
  const std::int64_t d = c.shape.d, heads = c.shape.kv_heads * c.group;
  Values out;
  std::int64_t token = 0;
  for (const ops::SequenceStep& sequence : c.batch.sequences) {
    for (std::int64_t i = 1; i <= sequence.new_tokens; ++i, ++token) {
      for (std::int64_t head = 0; head < heads; ++head) {
        const std::int64_t visible = sequence.context - sequence.new_tokens + i;
        Values keys, values;
        for (std::int64_t p = 0; p < visible; ++p) {
          const std::int64_t from = place_of(c, sequence, head / c.group, p);
          keys.insert(keys.end(), k.begin() + from, k.begin() + from + d);
          values.insert(values.end(), v.begin() + from, v.begin() + from + d);
        }
        const Values result = reference::attention(q.data() + (token * heads + head) * d,
                                                   keys.data(), values.data(), visible, d, d);
        out.insert(out.end(), result.begin(), result.end());
      }
    }
  }
  return out;
}

// Appends and attends; returns the time of both. `change`: called with the block tables in memory.
Fs run_case(Torch& torch, Case c, const std::function<void(Tensor)>& change = {}) {
  const Inputs in(torch, c);
  ops::KvCache cache = ops::make_kv_cache(torch, c.shape, f16, c.grid);
  const DPPolicy rows = ops::rows_over(c.grid, c.batch.tokens());
  const Tensor q = torch.empty(in.q.shape(), f16, rows, "q"),
               kv = torch.empty(in.kv.shape(), f16, rows, "kv"),
               out = torch.empty(in.q.shape(), f16, rows, "out");
  if (torch.with_data())
    torch.untimed([&] {
      const std::pair<Tensor, const HostArray*> inputs[] = {
          {cache.k, &in.k}, {cache.v, &in.v}, {q, &in.q}, {kv, &in.kv}};
      for (auto [tensor, values] : inputs) tensor.copy_(*values);
    });
  ops::write_block_tables(torch, c.batch, c.shape, c.grid);
  if (change) torch.untimed([&] { change(c.batch.block_tables); });
  const Fs begin = torch.now();
  ops::append(torch, c.batch, kv, 0, kv, c.shape.kv_heads * c.shape.d, cache);
  ops::attend(torch, c.batch, c.group, q, cache, out, c.grid);
  const Fs time = torch.now() - begin;
  c.batch.block_tables = {};  // of the device, which ends before the references are computed
  torch.verify(cache.k, [=] { return appended(c, in, 0); });
  torch.verify(cache.v, [=] { return appended(c, in, 1); });
  torch.verify(
      out, [=] { return attended(c, in); }, reference::attention_roundings(f16, c.shape.d, 0, 1));
  return time;
}

std::string failures_of(const Case& c) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", two_cubes());
    m.run([&](Torch& torch) { run_case(torch, c); });
    return m.failures();
  });
}

// Time on one PE of a sequence of one head, with one new token, in blocks of `tokens`. Rows of 32
// B.
Fs time_of(std::int64_t tokens, const Blocks& blocks, bool with_data = true) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", two_cubes(), with_data);
    Fs time = 0;
    m.run([&](Torch& torch) {
      const std::int64_t context = tokens * static_cast<std::int64_t>(blocks.size());
      time = run_case(torch, {{64 / tokens, tokens, 1, 16}, 2, {{{1, context, blocks}}}, {1, 1}});
    });
    return time;
  });
}

// Sequences whose blocks are in a random order in the cache.
Case random_case() {
  Case c;
  c.shape.block_tokens = *rc::gen::inRange(1, 10);
  c.shape.kv_heads = *rc::gen::inRange(1, 4);
  c.shape.d = *rc::gen::element(8, 20);
  c.group = *rc::gen::inRange(1, 4);
  std::int64_t used = 0;
  const int sequences = *rc::gen::inRange(1, 6);
  for (int i = 0; i < sequences; ++i) {
    const std::int64_t context = *rc::gen::inRange(1, 60);
    const bool decode = *rc::gen::arbitrary<bool>();
    c.batch.sequences.push_back({decode ? 1 : *rc::gen::inRange<std::int64_t>(1, context + 1),
                                 context,
                                 Blocks(static_cast<std::size_t>(c.shape.blocks_of(context)))});
    used += c.shape.blocks_of(context);
  }
  // At times as many blocks as 16 PEs have evenly.
  c.shape.blocks = *rc::gen::element(used, used + 5, (used + 15) / 16 * 16);
  Blocks order(static_cast<std::size_t>(c.shape.blocks));
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  auto next = order.begin();
  for (ops::SequenceStep& sequence : c.batch.sequences) {
    std::copy_n(next, sequence.blocks.size(), sequence.blocks.begin());
    next += static_cast<std::ptrdiff_t>(sequence.blocks.size());
  }
  return c;
}

std::string refused(const ops::TokenBatch& batch, const ops::CacheShape& shape) {
  return error_of<UsageError>([&] { ops::check_batch("kv", batch, shape); });
}

}  // namespace

// Block sizes, lengths, mixtures of decode, prefill and its continuation, blocks of several PEs.
RC_BOOST_PROP(any_assignment_of_physical_blocks_gives_the_same_values, ()) {
  const Case c = random_case();
  RC_TAG(c.shape.block_tokens);
  RC_ASSERT(failures_of(c) == "");
}

// Two sequences read block 5, the first 4 tokens of both; each writes to blocks of its own.
BOOST_AUTO_TEST_CASE(blocks_that_are_only_read_may_be_shared) {
  const Case c{{16, 4, 2, 8}, 2, {{{1, 5, {5, 9}}, {3, 7, {5, 1}}}}};
  BOOST_TEST(failures_of(c) == "");
}

// The plan has the blocks {3, 0}, memory has {1, 2}.
BOOST_AUTO_TEST_CASE(kernels_compute_addresses_from_the_tables_in_memory) {
  const Case planned{{4, 4, 1, 8}, 1, {{{1, 8, {3, 0}}}}, {1, 1}};
  const auto told = [&](const Values& in_memory) {
    return forked_value([&] {
      TorchMachine m("topology.tiny.yaml", two_cubes());
      const std::string error = m.error([&](Torch& torch) {
        run_case(torch, planned, [&](Tensor tables) {
          tables.copy_(HostArray({1, 2}, i32, in_memory));
        });
      });
      return error.empty() ? m.failures() : error;
    });
  };
  BOOST_TEST(told({3, 0}) == "");
  check_contains(told({1, 2}), {"tensor 'k_cache'", "tensor 'v_cache'", "tensor 'out'"});
  check_contains(told({3, 4}), {"'block_tables'[0, 1] is 4, allowed: the blocks 0 to 3"});
}

// 32 keys, 1 KiB, in a block of 32, or in 16 blocks of 2. If these are consecutive, attend() reads
// 16 entries of the table instead of 1: 60 B more on two links of 256 GB/s. The keys are 4 bursts
// of 8 ns on different channels and 4 flits of 1 ns on two links: 8 + 4 + 1 = 13 ns. If they are
// every other block, in an order in which no two neighbours are in one burst, they are 16 flits of
// 64 B, and each of 8 channels reads two bursts: 16 + 2 / 4 = 16.5 ns. The values arrive before the
// weights in each case.
BOOST_AUTO_TEST_CASE(a_consecutive_table_costs_a_dense_access_and_a_scattered_one_its_runs) {
  Blocks consecutive(16), scattered(16);
  for (std::uint32_t i = 0; i < 16; ++i) {
    consecutive[i] = i;
    scattered[i] = i * 7 % 16 * 2;
  }
  const Fs dense = time_of(32, {0}), blocks = time_of(2, consecutive), runs = time_of(2, scattered);
  BOOST_TEST(blocks >= dense);
  BOOST_TEST(blocks - dense <= 2 * 60 * 1'000'000U / 256);
  BOOST_TEST(runs == blocks + 3'500'000U);
}

BOOST_AUTO_TEST_CASE(times_are_those_of_the_accesses_with_data_off) {
  for (const Blocks& blocks : {Blocks{0, 1, 2, 3}, Blocks{6, 0, 4, 2}})
    BOOST_TEST(time_of(8, blocks, false) == time_of(8, blocks, true));
}

BOOST_AUTO_TEST_CASE(consecutive_blocks_are_distributed_evenly) {
  ops::TokenBatch batch{{{1, 5}, {2, 6}}};
  ops::assign_consecutive_blocks(batch, {7, 2, 1, 8});
  BOOST_TEST(batch.sequences[0].blocks == (Blocks{0, 1, 2}));
  BOOST_TEST(batch.sequences[1].blocks == (Blocks{3, 4, 5}));
  BOOST_TEST(batch.positions() == (std::vector<std::int64_t>{4, 4, 5}));
}

BOOST_AUTO_TEST_CASE(block_tables_that_do_not_fit_are_refused_with_the_numbers) {
  const ops::CacheShape shape{4, 8, 1, 8};
  BOOST_TEST(refused({{{1, 16, {0, 3}}, {1, 1, {1, 9}}}}, shape) == "");  // 9 is after the context
  check_contains(refused({}, shape), {"kv: a batch without sequences"});
  check_contains(refused({{{2, 1, {0}}}}, shape),
                 {"sequence 0 has 2 new tokens and a context of 1, allowed: at least 1"});
  check_contains(refused({{{1, 8, {0}}, {1, 17, {1, 2}}}}, shape),
                 {"sequence 1 has 17 tokens, but its block table has room for 16: 2 blocks of 8"});
  check_contains(refused({{{1, 9, {0, 4}}}}, shape),
                 {"block 1 of sequence 0 is block 4 of the KV cache, allowed: 0 to 3"});
  const char* twice =
      "block 2 of the KV cache is block 0 of sequence 0 and block 1 of sequence 1, but it is to "
      "have new tokens";
  check_contains(refused({{{1, 1, {2}}, {1, 9, {0, 2}}}}, shape), {twice});     // both write
  check_contains(refused({{{1, 9, {2, 3}}, {1, 9, {0, 2}}}}, shape), {twice});  // one reads
  check_contains(refused({{{9, 16, {1, 1}}}}, shape),
                 {"is block 0 of sequence 0 and block 1 of sequence 0"});
}

KERNBENCH_SYSTEMC_TEST(block_tables_have_to_be_written_for_the_batch) {
  TorchMachine m("topology.tiny.yaml", two_cubes());
  check_contains(m.error([](Torch& torch) {
    const ops::KvCache cache = ops::make_kv_cache(torch, {4, 8, 1, 8}, f16, {2, 8});
    const Tensor kv = torch.zeros({1, 16}, f16, DPPolicy::on_one_pe(), "kv");
    ops::TokenBatch batch{{{1, 8, {0, 1}}}};
    BOOST_CHECK_EXCEPTION(
        ops::append(torch, batch, kv, 0, kv, 8, cache), UsageError,
        with_text<UsageError>("the block tables on the device are not written, expected "
                              "i32{1, 1}: call write_block_tables()"));
    ops::write_block_tables(torch, batch, cache.shape, {2, 8});
    batch.sequences[0].context = 9;
    ops::attend(torch, batch, 1, kv, cache, kv, {2, 8});
  }),
                 {"are 'block_tables' i32{1, 1}, expected i32{1, 2}"});
}

BOOST_AUTO_TEST_SUITE_END()
