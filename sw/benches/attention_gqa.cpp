// attention-gqa: attention with grouped heads over a ring of ranks that share the keys. Prefill:
// keys and values travel around the ring; decode: partial results do. The kernels are in
// sw/ops/attention.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <variant>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/collectives/shipped_graphs.h"
#include "sw/ops/attention.h"

namespace kernbench::benches {
namespace {

using ops::Travels;

struct Panel {
  const char* name;
  Travels travels;
  const char* wiring;
  std::int64_t queries;
  int ranks;
};
constexpr Panel panels[] = {{"single_user_prefill", Travels::keys, "intra_pe_ring", 16, 8},
                            {"multi_user_prefill", Travels::keys, "cube_ring", 16, 4},
                            {"single_user_decode", Travels::sums, "intra_pe_ring", 1, 8},
                            {"multi_user_decode", Travels::sums, "cube_ring", 1, 4}};

std::vector<std::string> panel_names() {
  std::vector<std::string> names;
  for (const Panel& panel : panels) names.emplace_back(panel.name);
  return names;
}

const Panel& panel_of(const Attributes& given) {
  for (const Panel& panel : panels) {
    if (given.text("panel") == panel.name) return panel;
  }
  throw UsageError("attention-gqa: unknown panel");  // the choices are the names
}

// Value of a parameter that the panel decides.
constexpr const char* by_panel = "panel";

// Number of a parameter, or `value` where the panel decides it.
std::int64_t number_or(const Attributes& given, const char* name, std::int64_t value) {
  const std::string& text = given.text(name);
  if (text == by_panel) return value;
  const Parameter number = Parameter::integer(name, "", "", "").range("1", "1048576");
  try {
    return std::get<Rational>(number.parse(text)).to_int64();
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("bench 'attention-gqa': parameter {}: {}, or {}", name,
                                 error.what(), by_panel));
  }
}

Parameter number_by_panel(const char* name, const char* description) {
  return Parameter::text(name, description, "spec 10.3").default_val(by_panel);
}

// Values of the parameters, where the panel has none of them.
struct Problem {
  std::string wiring;
  std::int64_t queries, keys;
  DType dtype;
  std::int64_t magnitude;
  ops::RingAttention ring;
};

// PEs of the ring in its order.
std::vector<PeId> ring_of(const Torch& torch, const std::string& wiring, int ranks) {
  const MachineDescription& machine = torch.spec();
  const bool over_sips = wiring == "sip_ring", over_cubes = wiring == "cube_ring";
  const int there = over_sips ? machine.sips : over_cubes ? machine.cubes() : machine.pes;
  if (ranks > there) {
    throw UsageError(fmt::format("attention-gqa: {} ranks with wiring {}; the machine has {} {}",
                                 ranks, wiring, there,
                                 over_sips    ? "SIPs"
                                 : over_cubes ? "cubes per SIP"
                                              : "PEs per cube"));
  }
  std::vector<PeId> pes;
  for (int rank = 0; rank < ranks; ++rank) {
    pes.push_back(over_sips    ? PeId{rank, 0, 0}
                  : over_cubes ? PeId{this_device, rank, 0}
                               : PeId{this_device, 0, rank});
  }
  if (!over_sips) return pes;
  // All SIPs are in an order of neighbours, if there is one.
  const auto order =
      graphs::ring_order({machine.sip_topology, machine.sips, machine.sip_w, machine.sip_h});
  if (ranks == machine.sips && order) {
    for (std::size_t rank = 0; rank < pes.size(); ++rank) pes[rank].sip = (*order)[rank];
  }
  return pes;
}

std::string wiring_of(const Attributes& given) {
  const std::string& wiring = given.text("wiring");
  return wiring == by_panel ? panel_of(given).wiring : wiring;
}

// Keys of a cube_ring are cut over cubes.
std::vector<CubeId> cubes_of_ring(const BenchSetting& setting) {
  const std::string wiring = wiring_of(setting.parameters);
  if (wiring == "cube_ring") return cubes_of_devices(setting);
  BenchSetting of_ranks = setting;
  if (wiring == "sip_ring") {
    of_ranks.devices.resize(static_cast<std::size_t>(setting.sips));
    std::iota(of_ranks.devices.begin(), of_ranks.devices.end(), 0);
  }
  return first_cubes(of_ranks);
}

Problem problem_of(const Torch& torch) {
  const Attributes& given = torch.parameters();
  const Panel& panel = panel_of(given);
  Problem problem;
  problem.wiring = wiring_of(given);
  problem.queries = number_or(given, "S_q", panel.queries);
  problem.keys = given.integer("S_kv");
  problem.dtype = parse_dtype(given.text("dtype"));
  problem.magnitude = given.integer("magnitude");
  ops::RingAttention& ring = problem.ring;
  ring.travels = panel.travels;
  ring.heads = {given.integer("q_heads"), given.integer("kv_heads"), given.integer("d_head")};
  ring.causal = given.flag("causal");
  const std::int64_t parts =
      ring.travels == Travels::keys ? std::min(problem.queries, problem.keys) : problem.keys;
  const std::int64_t of_machine = problem.wiring == "sip_ring" ? torch.spec().sips : panel.ranks;
  const auto ranks = static_cast<int>(std::min(number_or(given, "ranks", of_machine), parts));
  if (ring.causal && problem.queries > problem.keys) {
    throw UsageError(fmt::format(
        "attention-gqa: causal, and {} queries at the end of {} keys: S_q is at most S_kv",
        problem.queries, problem.keys));
  }
  // Queries are the last tokens of the sequence.
  const ops::Positions queries{problem.keys - problem.queries, problem.queries};
  const auto own_queries = ops::split(queries.first, queries.count, ranks),
             own_keys = ops::split(0, problem.keys, ranks);
  for (const PeId& pe : ring_of(torch, problem.wiring, ranks)) {
    const std::size_t rank = ring.ranks.size();
    ring.ranks.push_back(
        {pe, ring.travels == Travels::keys ? own_queries[rank] : queries, own_keys[rank]});
  }
  ring.tile = ops::largest_tile(ring, problem.dtype, ops::memory_of(torch.spec()));
  return problem;
}

// Rows [rows.first, rows.end()) of the result; q{queries, q_heads * d}, k and v{kv_heads, keys, d}
// of the whole sequence.
std::vector<double> attention(const HostArray& q, const HostArray& k, const HostArray& v,
                              const Problem& of, const ops::Positions& rows) {
  const std::vector<double> queries = q.values(), keys = k.values(), values = v.values();
  const auto& [q_heads, kv_heads, d] = of.ring.heads;
  std::vector<double> out;
  for (std::int64_t i = rows.first; i < rows.end(); ++i) {
    const std::int64_t seen = of.ring.causal ? of.keys - of.queries + i + 1 : of.keys;
    for (std::int64_t head = 0; head < q_heads; ++head) {
      const std::int64_t of_group = head / of.ring.heads.group() * of.keys * d;
      const std::vector<double> result =
          reference::attention(queries.data() + (i * q_heads + head) * d, keys.data() + of_group,
                               values.data() + of_group, seen, d, d);
      out.insert(out.end(), result.begin(), result.end());
    }
  }
  return out;
}

double roundings(const Problem& of) {
  const auto ranks = static_cast<std::int64_t>(of.ring.ranks.size());
  const std::int64_t tiles =
      tl::Program::cdiv(of.ring.ranks.front().keys.count, of.ring.tile.keys) *
      (of.ring.travels == Travels::keys ? ranks : 1);
  return reference::attention_roundings(of.dtype, of.ring.heads.d, of.magnitude, tiles,
                                        of.ring.travels == Travels::sums ? ranks : 0);
}

struct Shapes {
  Shape q, kv;
};
Shapes shapes_of(const Problem& of) {
  const auto& [q_heads, kv_heads, d] = of.ring.heads;
  return {{of.queries, q_heads * d}, {kv_heads, of.keys, d}};
}

// Ring in a SIP: tensors are cut over its PEs or cubes.
void run_on_device(Torch& torch, const Problem& of) {
  const auto ranks = static_cast<int>(of.ring.ranks.size());
  const bool over_cubes = of.wiring == "cube_ring";
  const auto over_ranks = [&](const Placement& placement) {
    return over_cubes ? DPPolicy{placement, Placement::replicate, ranks, 1}
                      : DPPolicy{Placement::replicate, placement, 1, ranks};
  };
  const DPPolicy rows =
      over_ranks(of.ring.travels == Travels::keys ? Placement::cut(0) : Placement::replicate);
  const auto [q_shape, kv_shape] = shapes_of(of);
  ops::install_ring(torch, of.ring, of.dtype);
  const Input q = random_input(torch, q_shape, of.dtype, rows, "q",
                               std::exp2(static_cast<double>(of.magnitude)));
  const Input k = random_input(torch, kv_shape, of.dtype, over_ranks(Placement::cut(1)), "k");
  const Input v = random_input(torch, kv_shape, of.dtype, over_ranks(Placement::cut(1)), "v");
  const Tensor out = torch.empty(q_shape, of.dtype, rows, "out");
  ops::attention(torch, of.ring, q.tensor, k.tensor, v.tensor, out);
  torch.verify(
      out,
      [q = q.host, k = k.host, v = v.host, of] {
        return attention(*q, *k, *v, of, {0, of.queries});
      },
      roundings(of));
}

// Block of `x` with the positions `range` of an axis.
std::vector<double> part_of(const HostArray& x, std::size_t axis, const ops::Positions& range) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < x.shape().rank(); ++i) inner *= x.shape()[i];
  const std::vector<double> values = x.values();
  const auto pitch = static_cast<std::size_t>(x.shape()[axis] * inner);
  std::vector<double> part;
  for (std::size_t at = 0; at < values.size(); at += pitch) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(at) + range.first * inner;
    part.insert(part.end(), first, first + range.count * inner);
  }
  return part;
}

// Ring over SIPs: a thread for each, with tensors of its own.
void run_on_sips(Torch& torch, const Problem& of) {
  if (torch.ahbm.current_device() != 0)
    throw UsageError("attention-gqa: a sip_ring uses several SIPs from SIP 0 on, without --device");
  const auto [q_shape, kv_shape] = shapes_of(of);
  std::shared_ptr<const HostArray> q, k, v;
  if (torch.with_data()) {
    const auto draw = [&](const Shape& shape, double scale) {
      return std::make_shared<const HostArray>(random_array(torch, shape, of.dtype, scale));
    };
    q = draw(q_shape, std::exp2(static_cast<double>(of.magnitude)));
    k = draw(kv_shape, 1);
    v = draw(kv_shape, 1);
  }
  ops::install_ring(torch, of.ring, of.dtype);
  const ops::GroupedHeads& heads = of.ring.heads;
  const std::int64_t first = of.keys - of.queries;
  torch.multiprocessing.spawn(
      [&](int sip) {
        const auto& rank = *std::find_if(of.ring.ranks.begin(), of.ring.ranks.end(),
                                         [sip](const auto& r) { return r.pe.sip == sip; });
        const ops::Positions rows{rank.queries.first - first, rank.queries.count};
        const auto part = [&](const char* name, const auto& whole, std::size_t axis,
                              const ops::Positions& range, const Shape& shape) {
          return input_of(torch, shape, of.dtype, DPPolicy::on_one_pe(), name,
                          [&] { return part_of(*whole, axis, range); })
              .tensor;
        };
        const Shape keys{heads.kv_heads, rank.keys.count, heads.d},
            queries{rows.count, heads.q_heads * heads.d};
        const Tensor own_q = part("q", q, 0, rows, queries),
                     own_k = part("k", k, 1, rank.keys, keys),
                     own_v = part("v", v, 1, rank.keys, keys),
                     out = torch.empty(queries, of.dtype, DPPolicy::on_one_pe(), "out");
        ops::attention(torch, of.ring, own_q, own_k, own_v, out);
        torch.verify(
            out, [q, k, v, of, rows] { return attention(*q, *k, *v, of, rows); }, roundings(of));
      },
      static_cast<int>(of.ring.ranks.size()));
}

void run(Torch& torch) {
  const Problem problem = problem_of(torch);
  (problem.wiring == "sip_ring" ? run_on_sips : run_on_device)(torch, problem);
}

}  // namespace

void register_attention_gqa(BenchRegistry& registry) {
  registry.add(
      {"attention-gqa",
       "Grouped-query attention over a ring of PEs, cubes or SIPs that share the keys: in prefill "
       "keys and values travel, in decode partial results",
       {choice("panel", "kernel, with its wiring, queries and ranks", panel_names()),
        choice("wiring", "ranks of the ring; panel: those of the panel",
               {by_panel, "intra_pe_ring", "cube_ring", "sip_ring"}),
        number_by_panel("ranks",
                        "a number, or panel: the panel's, of a sip_ring all SIPs; fewer if "
                        "there are fewer keys, or queries to share"),
        number_by_panel("S_q", "queries, the last tokens of the sequence: a number, or panel"),
        extent("S_kv", "keys, tokens of the sequence", 128),
        Parameter::integer("q_heads", "query heads", "", "spec 10.3")
            .default_val(8)
            .range("1", "1024"),
        Parameter::integer("kv_heads", "heads of keys and values; the query heads share them", "",
                           "spec 10.3")
            .default_val(1)
            .range("1", "1024"),
        Parameter::integer("d_head", "columns of a head", "", "spec 10.3")
            .default_val(64)
            .range("1", "65536"),
        Parameter::boolean("causal", "a token attends to itself and to previous tokens",
                           "spec 10.3")
            .default_val(true),
        magnitude_of_queries(), float_dtype("element type of all tensors")},
       &run,
       &cubes_of_ring});
}

}  // namespace kernbench::benches
