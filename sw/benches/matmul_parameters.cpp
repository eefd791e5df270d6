#include "sw/benches/matmul_parameters.h"

#include "sw/benches/reference.h"

namespace kernbench::benches {

ParameterSchema matmul_parameters() {
  const auto extent = [](const char* name, const char* description, std::int64_t value) {
    return Parameter::integer(name, description, "", "spec 10.3")
        .default_val(value)
        .range("1", "1048576");
  };
  return {extent("M", "rows of a and of the product", 32),
          extent("K", "columns of a, rows of b", 64),
          extent("N", "columns of b and of the product", 32),
          Parameter::choice("dtype", "of a and b; the product of integers is i32",
                            {"f16", "bf16", "f32", "i8", "i32"}, "spec 10.3")
              .default_val("f16")};
}

MatmulTensors make_matmul_tensors(Torch& torch) {
  const Attributes& parameters = torch.parameters();
  const std::int64_t m = parameters.integer("M"), k = parameters.integer("K"),
                     n = parameters.integer("N");
  const DType dtype = parse_dtype(parameters.text("dtype"));
  const DPPolicy one_pe = DPPolicy::on_one_pe();
  // Device memory first: a tensor that does not fit is refused before its values are drawn.
  MatmulTensors t{torch.empty({m, k}, dtype, one_pe, "a"),
                  torch.empty({k, n}, dtype, one_pe, "b"),
                  torch.empty({m, n}, is_float(dtype) ? dtype : i32, one_pe, "out"),
                  static_cast<int>(m),
                  static_cast<int>(k),
                  static_cast<int>(n),
                  {}};
  if (!torch.with_data()) {  // the same transfers, without making values
    t.a.fill_(0);
    t.b.fill_(0);
    return t;
  }
  const HostArray a = torch.random({m, k}, dtype), b = torch.random({k, n}, dtype);
  t.a.copy_(a);
  t.b.copy_(b);
  t.product = [a, b] { return reference::matmul(a, b); };
  return t;
}

}  // namespace kernbench::benches
