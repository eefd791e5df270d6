include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# PE 0 asks for a read, a write and another read of 4096 B of its HBM partition at once, on an idle machine of one cube. Each takes:
#   read    pe_dma 1 + router 2, the first 256 B of each channel 8, the first flit to the router 1 + 2, 16 flits of 256 B at 256 GB/s
#   write   pe_dma 1 + router 2, 16 flits, the last one 1 further, its burst 8, the router of the answer 2
#   wires   four of 1 fs, there and back
# One after the other, in the order in which they were asked for; the direction changes before the second and the third.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/accesses.csv"
     "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n"
     "0,sip0.cube0.pe0.pe_dma,write,sip0.cube0.hbm_ctrl.pe0,65536,4096\n"
     "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,8192,4096\n")
set(dma cube.pe_template.components.pe_dma)
kernbench(csv traffic "${CMAKE_CURRENT_BINARY_DIR}/accesses.csv" --csv --topology tiny --check-protocol --set ${dma}.impl=custom.@name@
          --set ${dma}.attrs.overhead_ns=1 --set ${dma}.attrs.turnaround_ns=3)
end_of_request(first "${csv}" 0)
end_of_request(second "${csv}" 1)
end_of_request(third "${csv}" 2)
expect("end of the read, ns" ${first} 30.000004)           # 1 + 2 + 8 + 1 + 2 + 16
expect("end of the write, ns" ${second} 63.000008)         # 3 + 1 + 2 + 16 + 1 + 8 + 2 later
expect("end of the second read, ns" ${third} 96.000012)    # 3 + 30 later

# Results are those of any other DMA; a kernel reads and writes in turns.
kernbench(json run --bench matmul-composite --verify-data --json --topology tiny --check-protocol --set ${dma}.impl=custom.@name@)
string(JSON verdict GET "${json}" verdict)
expect("verdict" ${verdict} PASS)
