include("${CMAKE_CURRENT_LIST_DIR}/../../../templates/common/run_kernbench.cmake")

# 64 x 128 x 64 on one PE, in 2 x 2 x 2 tiles of 32 x 64 x 32: 8 fetches of (32 * 64 + 64 * 32) * 2 B at 512 GB/s = 16 ns each, and a
# store of 32 * 32 * 2 B = 4 ns for each of 4 results. What they take in the TCM is their busy time, which the setup precedes.
set(engine cube.pe_template.components.pe_fetch_store)
foreach(setup 0 40)
  kernbench(json run --bench gemm-single-pe --param M=64 --param K=128 --param N=64 --json --topology tiny
            --set ${engine}.impl=custom.address_setup_fetch_store --set ${engine}.attrs.fetch_setup_ns=${setup})
  busy_of_engine(fetch "${json}" pe_fetch_store fetch)
  busy_of_engine(store "${json}" pe_fetch_store store)
  expect("busy time of fetches, ns" ${fetch} 128.0)  # 8 * 16
  expect("busy time of stores, ns" ${store} 16.0)    # 4 * 4
  string(JSON window_${setup} GET "${json}" activity composite_window_ns)
endforeach()
message(STATUS "composite window: ${window_0} ns, with the setup ${window_40} ns")
if(NOT window_40 GREATER window_0)
  message(FATAL_ERROR "the setup of fetches takes no time")
endif()
