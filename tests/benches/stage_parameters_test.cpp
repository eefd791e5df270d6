// Parameters of commands and tile stages in the operation log (spec 9): addresses and extents by
// hand from those of the tensors and the tile shape, equal in every data mode.
//
// topology.tiny.yaml, one PE. A tile of an operand in memory counts as stored in tile order for the
// DMA (docs/decisions/tile-order-and-tile-scheduling.md): tile (i0, j0) of X[I, J] is at itemsize *
// (i0 * J + rows_of_the_tile * j0). Its elements lie row by row: the first at itemsize * (i0 * J +
// j0).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "platform/observe/op_parameters.h"
#include "tests/benches/verified_runs.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using test::TorchMachine;

BOOST_AUTO_TEST_SUITE(stage_parameters)

namespace {

const PeId pe0{0, 0, 0};

std::string text_of(const ExecutedOp& op) {
  return row_of({1, op}, [](const sc_core::sc_object*) { return std::string(); }).params;
}

// By name, then tile; in the order of their starts.
using Parameters = std::map<std::string, std::map<std::int64_t, std::vector<std::string>>>;

Parameters parameters(const TorchMachine& machine) {
  Parameters found;
  for (const OpRecord& record : machine.op_log.records())
    found[record.op.name][record.op.tile_id].push_back(text_of(record.op));
  return found;
}

// "HBM:0x2000000000+64" and the like.
std::string range(const char* space, std::uint64_t address, std::uint64_t nbytes) {
  return fmt::format("{}:{:#x}+{}", space, address, nbytes);
}
std::string hbm(std::uint64_t address, std::uint64_t nbytes) {
  return range("HBM", address, nbytes);
}
std::string tcm(std::uint64_t address, std::uint64_t nbytes) {
  return range("PE_TCM", address, nbytes);
}

// The address behind "to=PE_TCM:".
std::uint64_t tcm_target(const std::string& text) {
  const std::string before = "to=PE_TCM:";
  const std::size_t at = text.find(before);
  BOOST_TEST_REQUIRE(at != std::string::npos, text);
  return std::stoull(text.substr(at + before.size()), nullptr, 16);
}

// The tensors of a run and what its operation log says.
struct Logged {
  std::vector<std::uint64_t> tensors;  // physical address of the first shard of each
  std::uint64_t tile_buffers = 0;      // the first of PE 0
  Parameters rows;

  const std::string& row(const std::string& name, std::int64_t tile, std::size_t i = 0) const {
    return rows.at(name).at(tile).at(i);
  }
};

template <class Kernel>
Logged logged(bool with_data, const std::vector<Override>& overrides, Kernel kernel,
              const std::vector<Shape>& shapes) {
  TorchMachine machine("topology.tiny.yaml", overrides, with_data);
  Logged result;
  machine.run([&](Torch& torch) {
    std::vector<Tensor> tensors;
    for (const Shape& shape : shapes) {
      tensors.push_back(torch.zeros(shape, f16, DPPolicy::on_one_pe()));
      result.tensors.push_back(tensors.back().shards().front().pa);
    }
    torch.launch(LaunchSpec("kernel").on_pe(0), kernel, tensors[0], tensors[1], tensors[2]);
  });
  const MachineDescription& description = machine.platform->machine();
  result.tile_buffers = machine.tcm(pe0, description.tcm_bytes - description.tcm_reserved_bytes);
  result.rows = parameters(machine);
  return result;
}

// Runs `check` on the log with data off and on, in a machine of each address model.
template <class Kernel, class Check>
void check_logs(Kernel kernel, const std::vector<Shape>& shapes, Check check) {
  for (const char* model : {"va", "pa", "la"}) {
    for (const bool with_data : {false, true}) {
      test::forked([&] {
        BOOST_TEST_CONTEXT(model << (with_data ? ", with data" : ", without data"))
        check(logged(with_data, {{"cube.memory_map.address_model", model}}, kernel, shapes));
      });
    }
  }
}

constexpr TileShape tile{32, 64, 32};

// c[40, 48] = a[40, 96] x b[96, 48]: tiles of 32 and 8 rows, 32 and 16 columns, 64 and 32 of the
// depth, the depth innermost.
void product_in_memory(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor c) {
  tl.wait(tl.composite(tl::gemm(tl.ref(a.local(), {40, 96}, f16), tl.ref(b.local(), {96, 48}, f16))
                           .to(c.local())
                           .tile(tile)));
}

// c[32, 32] = relu(a[32, 128] x b[128, 32] + bias): a and bias, which is behind the result, in TCM.
void product_of_a_loaded_block(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor c) {
  const tl::Handle x = tl.load(a.local(), {32, 128}, f16);
  const tl::Handle bias = tl.load(c.local() + 2048, {32}, f16);
  tl.wait(tl.composite(tl::gemm(x, tl.ref(b.local(), {128, 32}, f16))
                           .to(c.local())
                           .tile(tile)
                           .epilogue({tl::bias(bias), tl::relu()})));
}

// c[32, 40] = (a + b) / 2, tiles of 32 and 8 columns; then relu over all of it.
void sum_in_memory(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor c) {
  tl.wait(tl.composite(
      tl::math(MathOp::add, {tl.ref(a.local(), {32, 40}, f16), tl.ref(b.local(), {32, 40}, f16)})
          .to(c.local())
          .tile(tile)
          .epilogue({tl::scale(0.5), tl::relu(EpilogueScope::kernel)})));
}

// c[4, 8] = columns 16 to 31 of the first four rows of a[8, 64], x b[16, 8].
void product_of_a_strided_block(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor c) {
  const tl::BlockPtr block = tl.make_block_ptr(a.local(), {8, 64}, {64, 1}, {0, 16}, {4, 16});
  tl.wait(tl.composite(
      tl::gemm(tl.ref(block), tl.ref(b.local(), {16, 8}, f16)).to(c.local()).tile(tile)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(stages_of_a_gemm_have_the_addresses_and_extents_of_their_blocks) {
  check_logs(&product_in_memory, {{40, 96}, {96, 48}, {40, 48}}, [](const Logged& log) {
    const std::uint64_t a = log.tensors[0], b = log.tensors[1], c = log.tensors[2];

    // Tile 0: rows 0 to 31, columns 0 to 31, depth 0 to 63. The blocks of A and B have 32 * 64 * 2
    // bytes; the first tile of an idle machine gets the first tile buffer.
    std::uint64_t buffer = log.tile_buffers;
    BOOST_TEST(log.row("tile/DMA_READ", 0, 0) ==
               "block=f16:32x64 from=" + hbm(a, 4096) + " to=" + tcm(buffer, 4096));
    BOOST_TEST(log.row("tile/DMA_READ", 0, 1) ==
               "block=f16:64x32 from=" + hbm(b, 4096) + " to=" + tcm(buffer + 4096, 4096));
    BOOST_TEST(log.row("tile/FETCH", 0) ==
               "in0=f16:32x64:strided in1=f16:64x32:strided from=" + tcm(buffer, 4096) + ";" +
                   tcm(buffer + 4096, 4096) + " to=registers+8192");
    BOOST_TEST(log.row("tile/GEMM", 0) ==
               "m=32 k=64 n=32 acc=f32 in0=f16:32x64:strided in1=f16:64x32:strided out=f16:32x32 "
               "from=" +
                   hbm(a, 4096) + ";" + hbm(b, 4096) + " to=" + hbm(c, 2048));
    BOOST_TEST(log.rows.at("tile/STORE").count(0) == 0U);  // the depth goes on

    // Tile 7: rows 32 to 39, columns 32 to 47, depth 64 to 95: cut at every edge.
    //   A: 8 * 32 * 2 = 512 bytes; for the DMA at 2 * (32 * 96 + 8 * 64) = 7168, the end of A is
    //      7680; its first element at 2 * (32 * 96 + 64) = 6272
    //   B: 32 * 16 * 2 = 1024 bytes; at 2 * (64 * 48 + 32 * 32) = 8192 of 9216; first element at
    //      2 * (64 * 48 + 32) = 6208
    //   C: 8 * 16 * 2 = 256 bytes; at 2 * (32 * 48 + 8 * 32) = 3584 of 3840; first element at
    //      2 * (32 * 48 + 32) = 3136
    buffer = tcm_target(log.row("tile/DMA_READ", 7, 0));
    BOOST_TEST(log.row("tile/DMA_READ", 7, 0) ==
               "block=f16:8x32 from=" + hbm(a + 7168, 512) + " to=" + tcm(buffer, 512));
    BOOST_TEST(log.row("tile/DMA_READ", 7, 1) ==
               "block=f16:32x16 from=" + hbm(b + 8192, 1024) + " to=" + tcm(buffer + 512, 1024));
    BOOST_TEST(log.row("tile/FETCH", 7) ==
               "in0=f16:8x32:strided in1=f16:32x16:strided from=" + tcm(buffer, 512) + ";" +
                   tcm(buffer + 512, 1024) + " to=registers+1536");
    BOOST_TEST(log.row("tile/GEMM", 7) ==
               "m=8 k=32 n=16 acc=f32 in0=f16:8x32:strided in1=f16:32x16:strided out=f16:8x16 "
               "from=" +
                   hbm(a + 6272, 512) + ";" + hbm(b + 6208, 1024) + " to=" + hbm(c + 3136, 256));
    BOOST_TEST(log.row("tile/STORE", 7) ==
               "block=f16:8x16 from=registers+256 to=" + tcm(buffer + 1536, 256));
    BOOST_TEST(log.row("tile/DMA_WRITE", 7) ==
               "block=f16:8x16 from=" + tcm(buffer + 1536, 256) + " to=" + hbm(c + 3584, 256));

    BOOST_TEST(log.row("composite_gemm", -1) ==
               "m=40 k=96 n=48 acc=f32 tile_k=96 in0=f16:40x96 in1=f16:96x48 out=f16:40x48 from=" +
                   hbm(a, 7680) + ";" + hbm(b, 9216) + " to=" + hbm(c, 3840));
  });
}

// The epilogue belongs to the last tile of the depth. Tile 1 has columns 64 to 127 of a in TCM, the
// first element 128 bytes behind that of a, and rows 64 to 127 of b: 2 * 64 * 32 = 4096 bytes
// behind its first. The bias has 64 bytes, the accumulator 32 * 32 * 4 = 4096.
BOOST_AUTO_TEST_CASE(stages_with_operands_in_tcm_name_their_places_there) {
  check_logs(&product_of_a_loaded_block, {{32, 128}, {128, 32}, {33, 32}}, [](const Logged& log) {
    const std::uint64_t a = log.tensors[0], b = log.tensors[1], c = log.tensors[2];
    const std::uint64_t x = tcm_target(log.row("dma_read", -1, 0)),
                        bias = tcm_target(log.row("dma_read", -1, 1));
    BOOST_TEST(log.row("dma_read", -1, 0) ==
               "block=f16:32x128 from=" + hbm(a, 8192) + " to=" + tcm(x, 8192));
    BOOST_TEST(log.row("dma_read", -1, 1) ==
               "block=f16:32 from=" + hbm(c + 2048, 64) + " to=" + tcm(bias, 64));
    BOOST_TEST(log.rows.at("tile/DMA_READ").at(1).size() == 1U);  // of b
    const std::uint64_t buffer = tcm_target(log.row("tile/DMA_READ", 1));
    BOOST_TEST(log.row("tile/DMA_READ", 1) ==
               "block=f16:64x32 from=" + hbm(b + 4096, 4096) + " to=" + tcm(buffer, 4096));
    BOOST_TEST(log.row("tile/FETCH", 1) ==
               "in0=f16:32x64:strided in1=f16:64x32 in2=f16:1x32 from=" + tcm(x + 128, 4096) + ";" +
                   tcm(buffer, 4096) + ";" + tcm(bias, 64) + " to=registers+8256");
    BOOST_TEST(log.row("tile/GEMM", 1) ==
               "m=32 k=64 n=32 acc=f32 in0=f16:32x64:strided in1=f16:64x32 out=f16:32x32 from=" +
                   tcm(x + 128, 4096) + ";" + hbm(b + 4096, 4096) + " to=" + hbm(c, 2048));
    BOOST_TEST(log.row("tile/MATH", 1, 0) ==
               "op=add operands=in0;in1 in0=f32:32x32 in1=f16:1x32 out=f16:32x32 "
               "from=registers+4096;" +
                   tcm(bias, 64) + " to=" + hbm(c, 2048));
    BOOST_TEST(log.row("tile/MATH", 1, 1) ==
               "op=relu operands=in0 in0=f32:32x32 out=f16:32x32 from=registers+4096 to=" +
                   hbm(c, 2048));
    BOOST_TEST(log.rows.at("tile/MATH").count(0) == 0U);
  });
}

// Columns 32 to 39: 32 * 8 * 2 = 512 bytes, for the DMA at 2 * 32 * 32 = 2048 of 2560, the first
// element at 64. Tiles 0 and 1 are the sum's, 2 and 3 those of the pass of relu.
BOOST_AUTO_TEST_CASE(stages_of_a_math_composite_have_their_operation_and_operands) {
  check_logs(&sum_in_memory, {{32, 40}, {32, 40}, {32, 40}}, [](const Logged& log) {
    const std::uint64_t a = log.tensors[0], b = log.tensors[1], c = log.tensors[2];
    std::uint64_t buffer = tcm_target(log.row("tile/DMA_READ", 1, 0));
    BOOST_TEST(log.row("tile/DMA_READ", 1, 1) ==
               "block=f16:32x8 from=" + hbm(b + 2048, 512) + " to=" + tcm(buffer + 512, 512));
    BOOST_TEST(log.row("tile/FETCH", 1) ==
               "in0=f16:32x8:strided in1=f16:32x8:strided from=" + tcm(buffer, 512) + ";" +
                   tcm(buffer + 512, 512) + " to=registers+1024");
    BOOST_TEST(log.row("tile/MATH", 1, 0) ==
               "op=add operands=in0;in1 in0=f16:32x8:strided in1=f16:32x8:strided out=f16:32x8 "
               "from=" +
                   hbm(a + 64, 512) + ";" + hbm(b + 64, 512) + " to=" + hbm(c + 64, 512));
    BOOST_TEST(log.row("tile/MATH", 1, 1) ==
               "op=mul operands=in0 in0=f16:32x8 out=f16:32x8 from=registers+512 to=" +
                   hbm(c + 64, 512));
    BOOST_TEST(log.row("tile/DMA_WRITE", 1) ==
               "block=f16:32x8 from=" + tcm(buffer + 1024, 512) + " to=" + hbm(c + 2048, 512));

    buffer = tcm_target(log.row("tile/DMA_READ", 3));
    BOOST_TEST(log.row("tile/DMA_READ", 3) ==
               "block=f16:32x8 from=" + hbm(c + 2048, 512) + " to=" + tcm(buffer, 512));
    BOOST_TEST(log.row("tile/FETCH", 3) ==
               "in0=f16:32x8:strided from=" + tcm(buffer, 512) + " to=registers+512");
    BOOST_TEST(log.row("tile/MATH", 3) ==
               "op=relu operands=in0 in0=f16:32x8 out=f16:32x8 from=registers+512 to=" +
                   hbm(c + 64, 512));
  });
}

// Rows of 16 * 2 = 32 bytes at a pitch of 64 * 2 = 128, the first 32 bytes behind a's.
BOOST_AUTO_TEST_CASE(a_dma_stage_of_a_strided_block_lists_its_runs) {
  check_logs(&product_of_a_strided_block, {{8, 64}, {16, 8}, {4, 8}}, [](const Logged& log) {
    const std::uint64_t a = log.tensors[0], buffer = log.tile_buffers;
    BOOST_TEST(log.row("tile/DMA_READ", 0, 0) ==
               "runs=4 block=f16:4x16 from=" + hbm(a + 32, 32) + ";" + hbm(a + 160, 32) + ";" +
                   hbm(a + 288, 32) + ";" + hbm(a + 416, 32) + " to=" + tcm(buffer, 128));
    BOOST_TEST(
        log.row("tile/GEMM", 0)
                .find("in0=f16:4x16:strided in1=f16:16x8 out=f16:4x8 from=" + hbm(a + 32, 128) +
                      ";" + hbm(log.tensors[1], 256)) != std::string::npos,
        log.row("tile/GEMM", 0));
  });
}

// a[48, 64]: rows 0 to 23 are on PE 0, 24 to 47 on PE 1. Tile 0 has rows 0 to 31, of 128 bytes
// each.
BOOST_AUTO_TEST_CASE(a_dma_stage_across_shards_has_the_range_of_each) {
  for (const bool with_data : {false, true}) {
    test::forked([&] {
      TorchMachine machine("topology.tiny.yaml", {}, with_data);
      std::vector<Shard> shards;
      machine.run([&](Torch& torch) {
        DPPolicy halves;
        halves.pe = Placement::row_wise;
        halves.num_cubes = 1;
        halves.num_pes = 2;
        const Tensor a = torch.zeros({48, 64}, f16, halves);
        const Tensor b = torch.zeros({64, 32}, f16, DPPolicy::on_one_pe()),
                     c = torch.zeros({48, 32}, f16, DPPolicy::on_one_pe());
        shards = a.shards();
        torch.launch(
            LaunchSpec("kernel").on_pe(0),
            [](tl::Program& tl, tl::Ptr a, tl::Ptr b, tl::Ptr c) {
              tl.wait(tl.composite(
                  tl::gemm(tl.ref(a, {48, 64}, f16), tl.ref(b, {64, 32}, f16)).to(c).tile(tile)));
            },
            a, b, c);
      });
      BOOST_TEST_REQUIRE(shards.size() == 2U);
      const std::string row = parameters(machine).at("tile/DMA_READ").at(0).at(0);
      BOOST_TEST(row.find("block=f16:32x64 from=" + hbm(shards[0].pa, 24 * 128) + ";" +
                          hbm(shards[1].pa, 8 * 128) + " to=PE_TCM:") == 0U,
                 row);
    });
  }
}

// A send names the block of its kernel, the copy that and the slot, the receive the slot.
BOOST_AUTO_TEST_CASE(a_copy_of_a_message_has_the_source_of_its_send_and_the_slot_of_its_receive) {
  for (const DataMode mode : {DataMode::off, DataMode::deferred}) {
    test::BenchRunOptions options;
    options.data = mode;
    options.overrides = {{"system.sips.count", "2"}};
    const std::string log = test::forked_value([&] {
      return test::run_bench("ccl-allreduce", {{"n_elem", "64"}}, options).op_log;
    });
    // Sorted, by name and column of the text.
    std::map<std::string, std::vector<std::string>> found;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t name = line.find(",ipcq_");
      if (name == std::string::npos) continue;
      const std::string key = line.substr(name + 6, 4);
      std::istringstream words(line.substr(line.find("block=")));
      for (std::string word; words >> word;) {
        const std::size_t value = word.find('=');
        found[key + " " + word.substr(0, value)].push_back(
            word.substr(value + 1, word.find(',') - value - 1));
      }
    }
    for (auto& [key, values] : found) std::sort(values.begin(), values.end());
    BOOST_TEST_CONTEXT(name_of(mode)) {
      BOOST_TEST(found["copy block"].size() > 1U);
      BOOST_TEST(found["copy block"] == found["send block"]);
      BOOST_TEST(found["copy from"] == found["send from"]);
      BOOST_TEST(found["copy to"] == found["recv from"]);
      BOOST_TEST(found["copy to"].size() == found["copy block"].size());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
