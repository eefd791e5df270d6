include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# PE 0 reads 4096 B of the SRAM, on an idle machine of one cube:
#   command   pe_dma 1 + four routers of 2 + wires 0.700002
#   port      overhead 3 + 4096 B at 64 GB/s = 64
#   answer    4096 B at 128 GB/s = 32, the last flit four times 1 more, wires 0.700002
# PE 1, one router further away, reads at the same time: its access waits at the port for that of PE 0, and its answer has one link of
# 0.25 more to go, over which the last flit takes 1.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/reads.csv"
     "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,4096\n"
     "0,sip0.cube0.pe1.pe_dma,read,sip0.cube0.sram,4096,4096\n")
kernbench(csv traffic "${CMAKE_CURRENT_BINARY_DIR}/reads.csv" --csv --topology tiny --set cube.components.sram.impl=custom.@name@
          --set cube.components.sram.attrs.overhead_ns=3 --set cube.components.sram.attrs.port_bw_gbs=64)
end_of_request(first "${csv}" 0)
end_of_request(second "${csv}" 1)
expect("end of the first read, ns" ${first} 113.400004)   # 9.700002 + 67 + 36.700002
expect("end of the second read, ns" ${second} 181.650004)  # 9.700002 + 2 * 67 + 36.700002 + 1.25
