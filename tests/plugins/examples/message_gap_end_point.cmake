include("${CMAKE_CURRENT_LIST_DIR}/../../../templates/common/run_kernbench.cmake")

# The host reads 256 B three times at once, on an idle machine of one cube:
#   commands   the first after 5, each further one gap_ns after the one before; two UCIe ports of 8, router 2, wires 0.200006
#   burst      8
#   answer     one flit: links 1 + 2 + 2 + 0.5 + 2 + 2 + 1, router 2, two UCIe ports of 8, wires 0.200006
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/reads.csv"
     "at_ns,initiator,op,target,offset,bytes\n0,sip0.io0.pcie_ep,read,sip0.cube0.hbm_ctrl.pe0,0,256\n"
     "0,sip0.io0.pcie_ep,read,sip0.cube0.hbm_ctrl.pe0,4096,256\n0,sip0.io0.pcie_ep,read,sip0.cube0.hbm_ctrl.pe0,8192,256\n")
set(end sip.io_chiplets.io0.components.pcie_ep)
kernbench(csv traffic "${CMAKE_CURRENT_BINARY_DIR}/reads.csv" --csv --topology tiny --check-protocol --set ${end}.impl=custom.message_gap_end_point
          --set ${end}.attrs.overhead_ns=5 --set ${end}.attrs.gap_ns=20)
end_of_request(first "${csv}" 0)
end_of_request(second "${csv}" 1)
end_of_request(third "${csv}" 2)
expect("end of the first read, ns" ${first} 59.900012)    # 23.200006 + 8 + 28.700006
expect("end of the second read, ns" ${second} 79.900012)  # 20 later
expect("end of the third read, ns" ${third} 99.900012)    # 40 later

# Copies, launches and their answers pass, also between SIPs.
kernbench(out run --bench ccl-allreduce --topology six_sip --param n_elem=8 --verify-data --check-protocol --set ${end}.impl=custom.message_gap_end_point)
string(REGEX MATCH "verdict: [A-Z]+" verdict "${out}")
expect("between SIPs" "${verdict}" "verdict: PASS")

# Replaces the UAL end points, which then carry the traffic between SIPs.
set(chiplet sip.io_chiplets.io0)
kernbench(out run --bench ccl-allreduce --topology six_sip --param n_elem=8 --verify-data --check-protocol
          --set "${chiplet}.components.ual_ep={impl: custom.message_gap_end_point, attrs: {overhead_ns: 3}}" --set ${chiplet}.links.ual_ep_to_noc_bw_gbs=256
          --set "system.links.io_ual_to_switch={bw_gbs: 128, distance_mm: 25}" --stats "${CMAKE_CURRENT_BINARY_DIR}/stats.json")
string(REGEX MATCH "verdict: [A-Z]+" verdict "${out}")
expect("over UAL" "${verdict}" "verdict: PASS")
statistic(passed "${CMAKE_CURRENT_BINARY_DIR}/stats.json" ual_ep passed)
statistic(passed_by_pcie "${CMAKE_CURRENT_BINARY_DIR}/stats.json" pcie_ep passed)
expect("messages between SIPs over PCIe" ${passed_by_pcie} 0)
if(NOT passed GREATER 0)
  message(FATAL_ERROR "no message has passed a UAL end point")
endif()
