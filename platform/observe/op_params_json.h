// The parameters of a data op, typed: what SQLite's JSON functions can ask for.
#pragma once

#include <nlohmann/json.hpp>

#include "models/data/data_op.h"

namespace kernbench {

// {"op": "gemm", "m": 32, ..., "inputs": [{"dtype": "f16", "shape": [32, 64], "strides": null}],
// "outputs": [...],
//  "from": [{"address": 4096, "bytes": 4096, "space": "HBM"}], "to": [...]}
// Keys that the kind of op does not have are absent; strides (in elements) are null for dense
// row-major blocks.
nlohmann::ordered_json op_params_json(const DataOp& op);

}  // namespace kernbench
