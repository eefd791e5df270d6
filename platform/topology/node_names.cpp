#include "platform/topology/node_names.h"

#include <fmt/format.h>

namespace kernbench::node_names {

std::string sip(int sip) { return fmt::format("sip{}", sip); }

std::string io(int sip, std::string_view chiplet, std::string_view component) {
  return fmt::format("sip{}.{}.{}", sip, chiplet, component);
}

std::string io_ucie(int sip, std::string_view chiplet, std::string_view phy) {
  return fmt::format("sip{}.{}.io_ucie-{}", sip, chiplet, phy);
}

std::string io_conn(int sip, std::string_view chiplet, std::string_view phy, int conn) {
  return fmt::format("sip{}.{}.io_ucie-{}.conn{}", sip, chiplet, phy, conn);
}

std::string cube(int sip, int cube) { return fmt::format("sip{}.cube{}", sip, cube); }

std::string router(int sip, int cube, int row, int col) {
  return fmt::format("sip{}.cube{}.r{}c{}", sip, cube, row, col);
}

std::string m_cpu(int sip, int cube) { return fmt::format("sip{}.cube{}.m_cpu", sip, cube); }

std::string sram(int sip, int cube) { return fmt::format("sip{}.cube{}.sram", sip, cube); }

std::string hbm_ctrl(int sip, int cube, int pe) {
  return fmt::format("sip{}.cube{}.hbm_ctrl.pe{}", sip, cube, pe);
}

std::string ucie_port(int sip, int cube, char side) {
  return fmt::format("sip{}.cube{}.ucie-{}", sip, cube, side);
}

std::string ucie_conn(int sip, int cube, char side, int conn) {
  return fmt::format("sip{}.cube{}.ucie-{}.conn{}", sip, cube, side, conn);
}

std::string pe(int sip, int cube, int pe) {
  return fmt::format("sip{}.cube{}.pe{}", sip, cube, pe);
}

std::string engine(int sip, int cube, int pe, std::string_view engine) {
  return fmt::format("sip{}.cube{}.pe{}.{}", sip, cube, pe, engine);
}

std::string hbm_channel(int sip, int cube, int pe, int channel) {
  return fmt::format("sip{}.cube{}.pe{}.ch{}", sip, cube, pe, channel);
}

std::optional<int> sip_of(std::string_view node) {
  const std::string_view prefix = "sip", digits = "0123456789";
  if (node.substr(0, prefix.size()) != prefix) return std::nullopt;
  node.remove_prefix(prefix.size());
  const std::string number(node.substr(0, node.find('.')));
  const bool is_number =
      !number.empty() && number.size() < 4 && number.find_first_not_of(digits) == std::string::npos;
  return is_number ? std::optional<int>(std::stoi(number)) : std::nullopt;
}

std::string attached_to(std::string_view node, std::string_view id) {
  return fmt::format("{}{}", node.substr(0, node.rfind('.') + 1), id);  // npos + 1 == 0
}

}  // namespace kernbench::node_names
