// The arithmetic of a cell at pins, beyond what an array's operands can reach.
module mac_probe
  import kernbench_mac_pkg::*;
(
    input  result_t  x,
    input  result_t  y,
    output result_t  sum,
    input  operand_t a,
    input  operand_t b,
    output result_t  product
);
  assign sum = f32_sum(x, y);
  assign product = f16_product(a, b);
endmodule
