#include "sw/benches/model_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "models/base/errors.h"
#include "sw/benches/reference.h"

namespace kernbench::benches {
namespace {

// Number of cubes or PEs that work.
int units_of(const std::string& bench, const Attributes& given, const char* name, int present) {
  const std::int64_t count = given.integer(name);
  if (count > present)
    throw UsageError(
        fmt::format("{}: {} is {}, allowed: 1 to {}, or 0: all", bench, name, count, present));
  return count == 0 ? present : static_cast<int>(count);
}

}  // namespace

Parameter model_parameter(const char* description) {
  std::vector<std::string> models;
  for (const ModelSpec& model : model_presets()) models.push_back(model.name);
  return choice("model", description, models);
}

Parameter size_parameter() {
  return choice("size",
                "reduced: 12 query heads of 32 elements, ffn 768; preset: published extents",
                {"reduced", "preset"});
}

Parameter count_of(const char* name, const std::string& description, std::int64_t count) {
  return Parameter::integer(name, description, "", "spec 10.3")
      .default_val(count)
      .range(count == 0 ? "0" : "1", "1048576");
}

Parameter tp_parameter() {
  return count_of("tp", "SIPs over which the layer is cut; 0: all of the machine");
}
Parameter cubes_parameter(int count) {
  return count_of("cubes", "cubes of a SIP that work; 0: all").default_val(count);
}
Parameter pes_parameter() { return count_of("pes", "PEs of a cube that work; 0: all"); }

ModelSpec reduced(ModelSpec model) {
  const bool grouped = model.kv_heads < model.q_heads;
  model.q_heads = 12;
  model.kv_heads = grouped ? 2 : 12;
  model.d_head = 32;
  model.hidden = model.q_heads * model.d_head;
  model.ffn = 768;
  model.vocab = 3072;
  if (model.is_mixture()) model.experts = 4;
  model.layers = 1;
  return model;
}

ModelSpec selected_model(const Attributes& given) {
  const ModelSpec& preset = model_preset(given.text("model"));
  return given.text("size") == "reduced" ? reduced(preset) : preset;
}

std::int64_t selected_tp(const Torch& torch, const std::string& bench) {
  const std::int64_t given = torch.parameters().integer("tp"), sips = torch.spec().sips;
  if (given > sips)
    throw UsageError(
        fmt::format("{}: tp is {}, allowed: up to the {} SIPs of the machine", bench, given, sips));
  return given != 0 ? given : sips;
}

ops::PeGrid selected_grid(const Torch& torch, const std::string& bench) {
  const Attributes& given = torch.parameters();
  return {units_of(bench, given, "cubes", torch.spec().cubes()),
          units_of(bench, given, "pes", torch.spec().pes)};
}

std::vector<CubeId> cubes_of_ranks(const BenchSetting& setting) {
  const auto tp =
      static_cast<int>(std::min<std::int64_t>(setting.parameters.integer("tp"), setting.sips));
  BenchSetting of_ranks = setting;
  of_ranks.devices.resize(static_cast<std::size_t>(tp == 0 ? setting.sips : tp));
  std::iota(of_ranks.devices.begin(), of_ranks.devices.end(), 0);
  return cubes_of_devices(of_ranks);
}

HostWeight draw_weight(Torch& torch, DType dtype, const Shape& shape, double factor, bool norm) {
  const std::vector<double> drawn = torch.random(shape, dtype).values();
  return std::make_shared<const HostArray>(shape, dtype,
                                           reference::each(drawn, [factor, norm](double value) {
                                             return value * factor + (norm ? 1 : 0);
                                           }));
}

std::vector<double> cache_of_heads(const std::vector<double>& all, const ops::CacheShape& shape,
                                   const ops::Range& heads) {
  std::vector<double> part;
  for (std::int64_t block = 0; block < shape.blocks; ++block) {
    const auto first = all.begin() + shape.row(block, heads.begin, 0) * shape.d;
    part.insert(part.end(), first, first + heads.size() * shape.block_tokens * shape.d);
  }
  return part;
}

void on_tensor_parallel_ranks(Torch& torch, const std::string& bench, std::int64_t tp,
                              const std::function<void(int rank, const Group& group)>& body) {
  const RankCount ranks = torch.distributed.ranks_to_spawn();
  if (ranks.unit != RankUnit::sip)
    throw UsageError(bench + ": rank_unit is pe, expected sip: a rank is a SIP");
  if (tp == 1) return body(0, {});
  torch.multiprocessing.spawn(
      [&](int rank) {
        torch.ahbm.set_device(rank);
        torch.distributed.init_process_group("ahbm");
        Group group;
        if (tp < torch.spec().sips) {
          std::vector<int> members(static_cast<std::size_t>(tp));
          std::iota(members.begin(), members.end(), 0);
          group = torch.distributed.new_group(members);
          if (rank >= tp) return;
        }
        body(rank, group);
      },
      ranks);
}

}  // namespace kernbench::benches
