#include "tests/topology/machines.h"

namespace kernbench::test {
namespace {

Parameter overhead() {
  return Parameter::duration_ns("overhead_ns", "per message", "spec 2.4").default_val(0);
}
Parameter count(const char* name) {
  return Parameter::integer(name, "a count", "", "test").range("0", "");
}
Parameter rate(const char* name) {
  return Parameter::decimal(name, "a rate", "GB/s", "test").positive();
}

void add(ComponentRegistry& registry, const std::string& name, Roles roles,
         ParameterSchema schema) {
  schema.insert(schema.begin(), overhead());
  registry.add(
      {"builtin." + name, "replaces " + name, std::move(roles), std::move(schema), nullptr});
}

}  // namespace

ComponentRegistry make_registry() {
  ComponentRegistry registry;
  for (const char* router : {"forwarding", "switch", "noc", "ucie", "vc_router"})
    add(registry, router, {Role::router}, {});
  add(registry, "pcie_ep", {Role::pcie_ep},
      {Parameter::boolean("cut_through", "do not store and forward", "spec 2.6")
           .default_val(false)});
  add(registry, "ual_ep", {Role::ual_ep},
      {Parameter::boolean("cut_through", "do not store and forward", "spec 2.6")
           .default_val(false)});
  add(registry, "io_cpu", {Role::io_cpu}, {});
  add(registry, "m_cpu", {Role::m_cpu}, {});
  add(registry, "sram", {Role::sram}, {count("size_mb")});
  add(registry, "hbm_banked", {Role::hbm_ctrl}, {});
  add(registry, "hbm_ctrl", {Role::hbm_ctrl},
      {Parameter::integer("num_pcs", "pseudo-channels", "", "spec 2.5").power_of_two(),
       Parameter::integer("burst_bytes", "bytes of a burst", "B", "spec 2.5")
           .power_of_two()
           .default_val(256),
       Parameter::duration_ns("switch_penalty_ns", "read/write change", "spec 2.5").default_val(0),
       Parameter::decimal("efficiency", "share of the peak rate", "", "spec 2.5")
           .range("", "1")
           .positive()
           .default_val("1.0"),
       Parameter::decimal("link_bw_gbs", "rate of the link", "GB/s", "spec 1.3")
           .positive()
           .from_machine(),
       Parameter::integer("flit_bytes", "flit size", "B", "spec 1.3").positive().from_machine()});
  add(registry, "pe_cpu", {Role::pe_cpu},
      {rate("clock_ghz"), count("kernel_stack_bytes"), count("dispatch_cycles"),
       count("scratch_bytes")});
  add(registry, "pe_scheduler", {Role::pe_scheduler},
      {count("tile_m"), count("tile_k"), count("tile_n")});
  add(registry, "pe_dma", {Role::pe_dma},
      {count("queue_depth"), count("baaw_overhead_ns"), count("vc_chunk_size"),
       count("tcm_slot_overhead_ns"), count("sram_slot_overhead_ns"), rate("sram_slot_bw_gbs"),
       count("hbm_slot_overhead_ns"), rate("hbm_slot_bw_gbs"),
       Parameter::integer("channels_per_pe", "channels of the partition", "", "spec 1.3")
           .positive()
           .from_machine(),
       Parameter::decimal("channel_bw_gbs", "rate of a channel", "GB/s", "spec 1.3")
           .positive()
           .from_machine()});
  add(registry, "pe_fetch_store", {Role::pe_fetch_store},
      {count("register_file_bytes"), count("queue_depth")});
  add(registry, "pe_gemm", {Role::pe_gemm},
      {count("macs_per_cycle"), rate("clock_ghz"), count("queue_depth")});
  add(registry, "pe_math", {Role::pe_math},
      {count("lanes"), rate("clock_ghz"), count("queue_depth")});
  add(registry, "pe_tcm", {Role::pe_tcm},
      {count("size_mb"), rate("read_bw_gbs"), rate("write_bw_gbs"), count("reserved_kb")});
  add(registry, "pe_mmu", {Role::pe_mmu},
      {count("page_bytes"),
       Parameter::duration_ns("tlb_overhead_ns", "per lookup", "spec 3.3").default_val(0)});
  add(registry, "pe_ipcq", {Role::pe_ipcq}, {count("queue_pairs")});
  add(registry, "tlm_initiator_bridge", {Role::tlm_initiator}, {});
  add(registry, "tlm_target_bridge", {Role::sram, Role::hbm_ctrl, Role::tlm_target},
      {count("size_mb")});
  return registry;
}

const ComponentRegistry& registry() {
  static const ComponentRegistry instance = make_registry();
  return instance;
}

MachineSpec machine(const std::vector<Override>& overrides) {
  return shipped_spec(default_topology, overrides, registry());
}

Graph graph(const std::vector<Override>& overrides) { return build_graph(machine(overrides)); }

}  // namespace kernbench::test
