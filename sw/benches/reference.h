// References in double precision, computed only from the inputs as transferred to the device.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sw/runtime/host_array.h"

namespace kernbench::reference {

// a{M,K} b{K,N}, row-major.
std::vector<double> matmul(const HostArray& a, const HostArray& b);
std::vector<double> matmul(const std::vector<double>& a, const std::vector<double>& b,
                           std::int64_t m, std::int64_t k, std::int64_t n);
// values{rows, N} with row{N} added to every row.
std::vector<double> add_to_rows(std::vector<double> values, const HostArray& row);
std::vector<double> each(std::vector<double> values, const std::function<double(double)>& function);

// softmax(q k^T / sqrt(d)) v for one query q{d}: k and v have `keys` rows of d values, `pitch`
// apart.
std::vector<double> attention(const double* q, const double* k, const double* v, std::int64_t keys,
                              std::int64_t pitch, std::int64_t d);

// Roundings on the longest chain of attention with `blocks` blocks of keys and `merges` merges, for
// queries of up to 2^magnitude and keys and values of up to 1.
double attention_roundings(DType dtype, std::int64_t d, std::int64_t magnitude, std::int64_t blocks,
                           std::int64_t merges = 0);

// Each row of x{tokens, width} times the matrices{experts, width, out_width} of the `top` experts
// with the largest logits in x router{width, experts}, weighted by their softmax. On equal logits
// the lower expert is chosen.
struct Mixture {
  std::vector<double> chosen, weights;  // {tokens, top}
  std::vector<double> out;              // {tokens, out_width}
};
Mixture mixture_of_experts(const HostArray& x, const HostArray& router, const HostArray& matrices,
                           int top);

// Upper bound up to which every integer is representable: smaller sums are exact in any order.
double exact_up_to(DType dtype);

double relu(double x);
double gelu(double x);  // exact formula with erf
double silu(double x);

}  // namespace kernbench::reference
