include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# A PE reads 4096 B of its HBM partition through one router, on an idle machine of one cube:
#   command   pe_dma 1 + router 2
#   bursts    wake 20, then 8 on each of 8 channels: the first 8 flits are out
#   answer    16 flits of 256 B at 256 GB/s: the first after 1 at the router, held there for 2, then 16 behind one another
#   wires     four of 1 fs
# 20 after its end a second one finds the channels awake.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/reads.csv"
     "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n"
     "70,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n")
kernbench(csv traffic "${CMAKE_CURRENT_BINARY_DIR}/reads.csv" --csv --topology tiny --set cube.components.hbm_ctrl.impl=custom.@name@
          --set cube.components.hbm_ctrl.attrs.wake_ns=20)
end_of_request(first "${csv}" 0)
end_of_request(second "${csv}" 1)
expect("end of the first read, ns" ${first} 50.000004)    # 1 + 2 + 20 + 8 + 1 + 2 + 16
expect("end of the second read, ns" ${second} 100.000004)  # 70 + 1 + 2 + 8 + 1 + 2 + 16
