include("${CMAKE_CURRENT_LIST_DIR}/../../../templates/common/run_kernbench.cmake")

# 64 x 128 x 64 on one PE, in 2 x 2 x 2 tiles of 32 x 64 x 32: 8 fetches of (32 * 64 + 64 * 32) * 2 B, and a store of 32 * 32 * 2 B for
# each of 4 results, at 256 GB/s. The busy time of the engine is what its accesses take in the TCM.
set(tcm cube.pe_template.components.pe_tcm)
kernbench(json run --bench gemm-single-pe --param M=64 --param K=128 --param N=64 --json --topology tiny
          --set ${tcm}.impl=custom.one_port_tcm --set ${tcm}.attrs.port_bw_gbs=256)
busy_of_engine(fetch "${json}" pe_fetch_store fetch)
busy_of_engine(store "${json}" pe_fetch_store store)
expect("busy time of fetches, ns" ${fetch} 256.0)  # 8 * 8192 / 256
expect("busy time of stores, ns" ${store} 32.0)    # 4 * 2048 / 256
