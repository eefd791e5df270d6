// Names of the topology's nodes (spec 1.1). The only place that formats them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernbench::node_names {

inline constexpr std::string_view switch0 = "fabric.switch0";

std::string sip(int sip);  // "sip0"
std::string io(int sip, std::string_view chiplet,
               std::string_view component);  // "sip0.io0.pcie_ep"
std::string io_ucie(int sip, std::string_view chiplet,
                    std::string_view phy);  // "sip0.io0.io_ucie-P0"
std::string io_conn(int sip, std::string_view chiplet, std::string_view phy,
                    int conn);                                  // "sip0.io0.io_ucie-P0.conn0"
std::string cube(int sip, int cube);                            // "sip0.cube0"
std::string router(int sip, int cube, int row, int col);        // "sip0.cube0.r0c0"
std::string m_cpu(int sip, int cube);                           // "sip0.cube0.m_cpu"
std::string sram(int sip, int cube);                            // "sip0.cube0.sram"
std::string hbm_ctrl(int sip, int cube, int pe);                // "sip0.cube0.hbm_ctrl.pe0"
std::string ucie_port(int sip, int cube, char side);            // "sip0.cube0.ucie-N"
std::string ucie_conn(int sip, int cube, char side, int conn);  // "sip0.cube0.ucie-N.conn0"
std::string pe(int sip, int cube, int pe);                      // "sip0.cube0.pe0"
std::string engine(int sip, int cube, int pe, std::string_view engine);  // "sip0.cube0.pe0.pe_dma"
std::string hbm_channel(int sip, int cube, int pe, int channel);         // "sip0.cube0.pe0.ch0"
// "sip3.cube0.sram" -> 3; none for names outside a SIP.
std::optional<int> sip_of(std::string_view node);
// Name of a sibling node: "sip0.cube0.ext0" next to "sip0.cube0.r0c0".
std::string attached_to(std::string_view node, std::string_view id);

}  // namespace kernbench::node_names
