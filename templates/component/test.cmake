include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# The policy is called @calls@ times, sequentially (@derivation@): 50 ns more for each make the run
# @calls@ * 50 ns longer.
foreach(extra 0 50)
  kernbench(json run --bench @bench@ --verify-data --json --topology tiny --check-protocol
            --stats "${CMAKE_CURRENT_BINARY_DIR}/stats.json" --set @key@.impl=custom.@name@
            --set @key@.attrs.@extra_key@=${extra})
  string(JSON verdict GET "${json}" verdict)
  expect("verdict" ${verdict} PASS)
  statistic(calls "${CMAKE_CURRENT_BINARY_DIR}/stats.json" @role@ rule_calls)
  expect("calls of @rule@()" ${calls} @calls@)
  simulated_fs(end_${extra} "${json}")
endforeach()
math(EXPR later "${end_50} - ${end_0}")
math(EXPR expected "@calls@ * 50000000")
expect("longer, fs" ${later} ${expected})
