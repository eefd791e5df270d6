include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# A PE reads 4096 B of its HBM partition through one router, on an idle machine of one cube:
#   command   pe_dma 1 + router 2
#   bursts    16 of 256 B over 4 channels: 4 on each, 256 B at 32 GB/s = 8
#   answer    16 flits of 256 B at 256 GB/s: the first after 1 at the router, held there for 2, then 16 behind one another
#   wires     four of 1 fs
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/read.csv"
     "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n")
kernbench(csv traffic "${CMAKE_CURRENT_BINARY_DIR}/read.csv" --csv --topology tiny --set cube.components.hbm_ctrl.impl=custom.@name@
          --set cube.components.hbm_ctrl.attrs.channels=4)
end_of_request(end "${csv}" 0)
expect("end of the read, ns" ${end} 54.000004)  # 1 + 2 + 4 * 8 + 1 + 2 + 16
