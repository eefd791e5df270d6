include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# PE 0 reads 4096 B of the SRAM, on an idle machine of one cube:
#   command   pe_dma 1 + four routers of 2 + wires 0.700002
#   port      overhead 3 + 4096 B at 64 GB/s = 64
#   answer    4096 B at 128 GB/s = 32, the last flit four times 1 more, wires 0.700002
# A second read of PE 0 waits for the first at the port, which it reaches 1 later; its answer follows 67 after the first.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/reads.csv"
     "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,4096\n"
     "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,4096,4096\n")
kernbench(csv traffic "${CMAKE_CURRENT_BINARY_DIR}/reads.csv" --csv --topology tiny --set cube.components.sram.impl=custom.@name@
          --set cube.components.sram.attrs.overhead_ns=3 --set cube.components.sram.attrs.port_bw_gbs=64)
end_of_request(first "${csv}" 0)
end_of_request(second "${csv}" 1)
expect("end of the first read, ns" ${first} 113.400004)   # 9.700002 + 67 + 36.700002
expect("end of the second read, ns" ${second} 180.400004)  # 67 later
