#include "platform/topology/diagram_blocks.h"

#include <algorithm>
#include <cctype>

#include "models/protocol/pe_engine.h"

namespace kernbench {
namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

// "sip0.cube3.hbm_ctrl.pe1", 2 -> "hbm_ctrl.pe1".
std::string behind_steps(std::string_view name, int steps) {
  while (steps-- > 0) name.remove_prefix(std::min(name.size(), name.find('.')) + 1);
  return std::string(name);
}

std::string first_steps(std::string_view name, int steps) {
  std::size_t end = name.find('.');
  while (--steps > 0 && end != std::string_view::npos) end = name.find('.', end + 1);
  return std::string(name.substr(0, end));
}

std::string block_of_cube_node(const Node& node) {
  if (is_engine_of_pe(node.kind)) return "pe" + std::to_string(node.at.pe);
  if (node.kind == Role::hbm_channel) return "hbm_ctrl.pe" + std::to_string(node.at.pe);
  const std::string name = behind_steps(node.name, 2);
  return node.kind == Role::ucie_conn ? first_steps(name, 1) : name;
}

std::string block_of_pe_node(const Node& node) {
  if (is_engine_of_pe(node.kind)) return std::string(name_of(node.kind));
  if (node.kind == Role::hbm_ctrl || node.kind == Role::hbm_channel) return "hbm_ctrl";
  return node.kind == Role::router ? "router" : "";
}

LinkKind kind_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::router_mesh:
      return LinkKind::mesh;
    case EdgeKind::pe_to_router:
      return LinkKind::pe_port;
    case EdgeKind::router_to_hbm:
    case EdgeKind::router_to_sram:
      return LinkKind::memory;
    case EdgeKind::router_to_mcpu:
    case EdgeKind::command:
      return LinkKind::control;
    case EdgeKind::ucie_internal:
    case EdgeKind::router_to_ucie_conn:
    case EdgeKind::ucie_conn_to_router:
    case EdgeKind::ucie_mesh:
      return LinkKind::die_to_die;
    case EdgeKind::io_internal:
    case EdgeKind::io_to_cube:
    case EdgeKind::cube_to_io:
      return LinkKind::input_output;
    case EdgeKind::pcie:
      return LinkKind::pcie;
    case EdgeKind::ual:
      return LinkKind::ual;
    case EdgeKind::pe_internal:
      return LinkKind::internal;
    case EdgeKind::router_to_tlm:
      return LinkKind::module;
  }
  return LinkKind::internal;
}

}  // namespace

bool NaturalOrder::operator()(std::string_view a, std::string_view b) const {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const std::size_t from_a = i, from_b = j;
    while (i < a.size() && digit(a[i])) ++i;
    while (j < b.size() && digit(b[j])) ++j;
    if (i - from_a != j - from_b) return i - from_a < j - from_b;
    const int order = a.compare(from_a, i - from_a, b, from_b, j - from_b);
    if (order != 0) return order < 0;
  }
  return a.size() - i < b.size() - j;
}

std::string block_of(DiagramLevel level, const Node& node) {
  const bool outside = node.at.sip < 0;
  switch (level) {
    case DiagramLevel::system:
      if (outside) return behind_steps(node.name, 1);
      return node.at.io >= 0 ? first_steps(node.name, 2) : first_steps(node.name, 1);
    case DiagramLevel::sip:
      if (outside) return behind_steps(node.name, 1);
      return node.at.io >= 0 ? first_steps(behind_steps(node.name, 1), 1)
                             : "cube" + std::to_string(node.at.cube);
    case DiagramLevel::cube:
      return node.at.cube < 0 ? "" : block_of_cube_node(node);
    case DiagramLevel::pe:
      return node.at.cube < 0 ? "" : block_of_pe_node(node);
  }
  return "";
}

DiagramScope instance_of(DiagramLevel level, const Node& node) {
  DiagramScope at;
  if (level >= DiagramLevel::sip) at.sip = node.at.sip;
  if (level >= DiagramLevel::cube) at.cube = node.at.cube;
  if (level >= DiagramLevel::pe) at.pe = node.at.pe;
  return at;
}

BlockKind kind_of(DiagramLevel level, const Node& node) {
  if (node.at.sip < 0)
    return node.kind == Role::fabric_switch ? BlockKind::input_output : BlockKind::module;
  if (level <= DiagramLevel::sip)
    return node.at.io >= 0 ? BlockKind::input_output : BlockKind::compute;
  if (level == DiagramLevel::cube && is_engine_of_pe(node.kind)) return BlockKind::compute;
  switch (node.kind) {
    case Role::pe_cpu:
    case Role::pe_scheduler:
    case Role::m_cpu:
      return BlockKind::control;
    case Role::pe_gemm:
    case Role::pe_math:
      return BlockKind::compute;
    case Role::pe_tcm:
    case Role::sram:
    case Role::hbm_ctrl:
    case Role::hbm_channel:
      return BlockKind::memory;
    case Role::pe_mmu:
      return BlockKind::translation;
    case Role::ucie_port:
    case Role::ucie_conn:
      return BlockKind::die_to_die;
    case Role::tlm_initiator:
    case Role::tlm_target:
      return BlockKind::module;
    default:
      return BlockKind::network;
  }
}

std::string label_of(DiagramLevel level, const Node& node, const std::string& id) {
  if (node.kind == Role::fabric_switch) return "switch";
  if (node.kind == Role::tlm_initiator || node.kind == Role::tlm_target) return id;
  if (level <= DiagramLevel::sip && node.at.io >= 0)
    return level == DiagramLevel::sip ? "IO chiplet " + id : behind_steps(id, 1);
  if (level == DiagramLevel::system) return "SIP " + std::to_string(node.at.sip);
  if (level == DiagramLevel::sip) return "cube " + std::to_string(node.at.cube);
  const bool in_pe = level == DiagramLevel::pe;
  if (is_engine_of_pe(node.kind)) return upper(id);
  switch (node.kind) {
    case Role::hbm_ctrl:
    case Role::hbm_channel:
      return in_pe ? "local HBM" : "HBM" + std::to_string(node.at.pe);
    case Role::router:
      return in_pe ? "fabric port" : id;
    case Role::ucie_port:
    case Role::ucie_conn:
      return "UCIe " + id.substr(id.size() - 1);
    default:
      return upper(id);
  }
}

LinkKind kind_of(const Graph& graph, const Edge& edge) {
  for (const NodeId end : {edge.src, edge.dst}) {
    const Role role = graph.node(end).kind;
    if (role == Role::tlm_initiator || role == Role::tlm_target) return LinkKind::module;
  }
  return kind_of(edge.kind);
}

}  // namespace kernbench
