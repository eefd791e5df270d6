include("${CMAKE_CURRENT_LIST_DIR}/../../../templates/common/run_kernbench.cmake")

# 32 x 64 x 32 on one PE, loaded and stored as a whole: two operands of 4096 B and a result of 2048 B, a page each. Three walks; the
# loads and the store wait for them.
set(mmu cube.pe_template.components.pe_mmu)
foreach(walk 0 50)
  kernbench(json run --bench gemm-single-pe --param compute=dot --verify-data --json --topology tiny --set ${mmu}.impl=custom.tlb_mmu
            --set ${mmu}.attrs.walk_ns=${walk} --stats "${CMAKE_CURRENT_BINARY_DIR}/stats.json")
  file(READ "${CMAKE_CURRENT_BINARY_DIR}/stats.json" stats)
  string(JSON misses GET "${stats}" totals pe_mmu tlb_misses)
  string(JSON hits GET "${stats}" totals pe_mmu tlb_hits)
  expect("misses of the TLB" ${misses} 3)
  expect("hits of the TLB" ${hits} 0)
  string(JSON simulated GET "${json}" simulated_ns)
  string(REGEX MATCH "^[0-9]+" simulated_${walk} "${simulated}")
endforeach()
math(EXPR walks "${simulated_50} - ${simulated_0}")
expect("time of walks, ns" ${walks} 150)  # 3 * 50, back to back
