include("${CMAKE_CURRENT_LIST_DIR}/run_kernbench.cmake")

# 64 x 128 x 64 on one PE, in 2 x 2 x 2 tiles of 32 x 64 x 32. On an array of 32 x 32 each tile is one pass of 64 + 32 + 32 - 2 = 126
# cycles of 1 ns.
kernbench(json run --bench gemm-single-pe --param M=64 --param K=128 --param N=64 --json --topology tiny
          --set cube.pe_template.components.pe_gemm.impl=custom.@name@ --set cube.pe_template.components.pe_gemm.attrs.rows=32
          --set cube.pe_template.components.pe_gemm.attrs.columns=32)
busy_of_engine(busy "${json}" pe_gemm gemm)
expect("busy time of pe_gemm, ns" ${busy} 1008.0)  # 8 * 126
