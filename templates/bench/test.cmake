include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# The result agrees with the reference, also for odd extents (8 PEs share the rows).
foreach(extents "rows=64;columns=256" "rows=8;columns=37")
  list(TRANSFORM extents PREPEND "--param;" OUTPUT_VARIABLE parameters)
  kernbench(out run --bench @kebab-name@ --verify-data --topology tiny ${parameters})
  string(REGEX MATCH "verdict: [A-Z]+" verdict "${out}")
  expect("${extents}" "${verdict}" "verdict: PASS")
endforeach()
# 8 rows of 64 elements, 128 B each: x and y are read, out is written by each PE.
kernbench(json run --bench @kebab-name@ --topology tiny --param rows=8 --param columns=64 --json)
busy_of_engine(busy "${json}" pe_math math)
expect("busy time of pe_math, ns" ${busy} 24.0)  # 8 PEs, three operations of ceil(64 / 128) = 1 cycle each
