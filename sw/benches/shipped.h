// The benches of this program, one source file each. register_benches.cpp lists them.
#pragma once

#include "sw/benches/bench.h"

namespace kernbench::benches {

Bench ccl_allreduce();
Bench collectives();
Bench gather_walk();
Bench gemm_single_pe();
Bench gpt3_qkv();
Bench ipcq_pingpong();
Bench layernorm();
Bench matmul_composite();
Bench mlp_fused();
Bench newton_until();
Bench qkv_gemm();
Bench qkv_gemm_multi_pe();
Bench softmax_rows();
Bench va_offset_verify();

}  // namespace kernbench::benches
