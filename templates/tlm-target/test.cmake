include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# PE 0 reads 4096 B of the SRAM, on an idle machine of one cube:
#   command   pe_dma 1 + four routers of 2 + wires 0.700002
#   memory    the bridge 2, the module 25
#   answer    4096 B at 128 GB/s = 32, the last flit four times 1 more, wires 0.700002
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/read.csv"
     "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.sram,0,4096\n")
kernbench(csv traffic "${CMAKE_CURRENT_BINARY_DIR}/read.csv" --csv --topology tiny
          --set cube.components.sram.impl=custom.@name@ --set cube.components.sram.attrs.overhead_ns=2
          --set cube.components.sram.attrs.latency_ns=25)
end_of_request(end "${csv}" 0)
expect("end of the read, ns" ${end} 73.400004)  # 9.700002 + 27 + 36.700002
