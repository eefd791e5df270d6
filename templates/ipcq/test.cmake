include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# Two PEs send 4096 B to and fro, 12 messages in the game that is timed and 12 in the one that is verified, one on its way at a time. Half the rate takes 64 longer for each.
set(ipcq cube.pe_template.components.pe_ipcq)
foreach(rate 64 32)
  kernbench(json run --bench ipcq-pingpong --param min_bytes=4096 --param max_bytes=4096 --verify-data --json --topology tiny
            --check-protocol --stats "${CMAKE_CURRENT_BINARY_DIR}/stats.json" --set ${ipcq}.impl=custom.@name@
            --set ${ipcq}.attrs.copy_bw_gbs=${rate})
  string(JSON verdict GET "${json}" verdict)
  expect("verdict" ${verdict} PASS)
  statistic(sends "${CMAKE_CURRENT_BINARY_DIR}/stats.json" pe_ipcq sends)
  statistic(copying_${rate} "${CMAKE_CURRENT_BINARY_DIR}/stats.json" pe_ipcq copying_ns)
  expect("messages" ${sends} 24)
  simulated_fs(end_${rate} "${json}")
endforeach()
expect("time of copies at 64 GB/s, ns" ${copying_64} 1536.0)  # 24 * 4096 / 64
expect("time of copies at 32 GB/s, ns" ${copying_32} 3072.0)  # 24 * 4096 / 32
math(EXPR later "${end_32} - ${end_64}")
expect("later at half the rate, fs" ${later} 1536000000)  # 24 * (128 - 64)
