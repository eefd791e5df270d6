include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# A PE reads 4096 B of its HBM partition through one router, on an idle machine of one cube:
#   command   pe_dma 1 + router 5
#   burst     8 channels of 32 GB/s: the first 256 B of each after 8
#   answer    16 flits of 256 B at 256 GB/s: the first after 1 at the router, held there for 5, the other 15 for 3 each; the last one
#             takes 1 more on the link
#   wires     four of 1 fs
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/read.csv"
     "at_ns,initiator,op,target,offset,bytes\n0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4096\n")
kernbench(csv traffic "${CMAKE_CURRENT_BINARY_DIR}/read.csv" --csv --topology tiny --set cube.components.router.impl=custom.@name@
          --set cube.components.router.attrs.overhead_ns=5 --set cube.components.router.attrs.flit_ns=3)
end_of_request(end "${csv}" 0)
expect("end of the read, ns" ${end} 66.000004)  # 1 + 5 + 8 + 1 + 5 + 15 * 3 + 1
