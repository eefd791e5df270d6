include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# A kernel hands over three products at once, and the load before them; a command is one tile here. With one in flight each begins
# overhead 1 and a tile of 3 behind the end of the one before.
set(scheduler cube.pe_template.components.pe_scheduler)
kernbench(json run --bench qkv-gemm --verify-data --json --topology tiny --check-protocol --op-log "${CMAKE_CURRENT_BINARY_DIR}/ops.csv"
          --stats "${CMAKE_CURRENT_BINARY_DIR}/stats.json" --set ${scheduler}.impl=custom.@name@ --set ${scheduler}.attrs.overhead_ns=1
          --set ${scheduler}.attrs.tile_ns=3 --set ${scheduler}.attrs.max_commands=1)
string(JSON verdict GET "${json}" verdict)
expect("verdict" ${verdict} PASS)
file(STRINGS "${CMAKE_CURRENT_BINARY_DIR}/ops.csv" products REGEX ",composite_gemm,")
list(LENGTH products count)
expect("products" ${count} 3)
foreach(product ${products})  # id,t_start_fs,t_end_fs,...
  string(REGEX MATCH "^[0-9]+,([0-9]+),([0-9]+)" times "${product}")
  set(start ${CMAKE_MATCH_1})
  set(end ${CMAKE_MATCH_2})
  if(DEFINED end_before)
    math(EXPR gap "${start} - ${end_before}")
    expect("from a product to the next, fs" ${gap} 4000000)  # 1 + 3 * 1
  endif()
  set(end_before ${end})
endforeach()

# 64 x 128 x 64 is a command of 2 x 2 x 2 tiles, and a load.
kernbench(json run --bench gemm-single-pe --param M=64 --param K=128 --param N=64 --json --topology tiny
          --stats "${CMAKE_CURRENT_BINARY_DIR}/stats.json" --set ${scheduler}.impl=custom.@name@ --set ${scheduler}.attrs.overhead_ns=1
          --set ${scheduler}.attrs.tile_ns=3)
statistic(dispatch "${CMAKE_CURRENT_BINARY_DIR}/stats.json" pe_scheduler dispatch_ns)
expect("time of dispatches, ns" ${dispatch} 29.0)  # 1 + 3 * 8, 1 + 3 * 1
