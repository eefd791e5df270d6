include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# A kernel of four commands, each waited for: two loads, a product, a store. The first two calls take 50 cycles of 1 ns each.
set(cpu cube.pe_template.components.pe_cpu)
foreach(calls 0 2)
  kernbench(json run --bench gemm-single-pe --param compute=dot --verify-data --json --topology tiny --check-protocol
            --stats "${CMAKE_CURRENT_BINARY_DIR}/stats.json" --set ${cpu}.impl=custom.@name@ --set ${cpu}.attrs.clock_ghz=1
            --set ${cpu}.attrs.dispatch_cycles=0 --set ${cpu}.attrs.cold_calls=${calls} --set ${cpu}.attrs.cold_cycles=50)
  string(JSON verdict GET "${json}" verdict)
  expect("verdict" ${verdict} PASS)
  statistic(commands "${CMAKE_CURRENT_BINARY_DIR}/stats.json" pe_cpu commands)
  statistic(cold "${CMAKE_CURRENT_BINARY_DIR}/stats.json" pe_cpu cold)
  expect("commands" ${commands} 4)
  expect("slow calls" ${cold} ${calls})
  simulated_fs(end_${calls} "${json}")
endforeach()
math(EXPR later "${end_2} - ${end_0}")
expect("later by the slow calls, fs" ${later} 100000000)  # 2 * 50
