// Verilated top of a GEMM: the design `KERNBENCH_DESIGN with pins of exact width, and the assertions. A design whose
// ports are missing, of other widths or driven by nothing is an error of Verilator.
module kernbench_gemm_top #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8
) (
    input  logic                  clk,
    input  logic                  rst_n,
    input  logic                  task_valid,
    output logic                  task_ready,
    input  logic [          31:0] task_m,
    input  logic [          31:0] task_n,
    input  logic [          31:0] task_k,
    input  logic [           3:0] task_dtype,
    input  logic [          63:0] task_a_address,
    input  logic [          63:0] task_b_address,
    input  logic [          63:0] task_result_address,
    input  logic                  a_valid,
    output logic                  a_ready,
    input  logic [   ROWS*16-1:0] a_data,
    input  logic                  a_last,
    input  logic                  b_valid,
    output logic                  b_ready,
    input  logic [COLUMNS*16-1:0] b_data,
    input  logic                  b_last,
    output logic                  result_valid,
    input  logic                  result_ready,
    output logic [COLUMNS*32-1:0] result_data,
    output logic                  result_last,
    output logic [           7:0] error
);
  `KERNBENCH_DESIGN #(
      .ROWS(ROWS),
      .COLUMNS(COLUMNS)
  ) design_under_test (
      .clk(clk),
      .rst_n(rst_n),
      .task_valid(task_valid),
      .task_ready(task_ready),
      .task_m(task_m),
      .task_n(task_n),
      .task_k(task_k),
      .task_dtype(task_dtype),
      .task_a_address(task_a_address),
      .task_b_address(task_b_address),
      .task_result_address(task_result_address),
      .a_valid(a_valid),
      .a_ready(a_ready),
      .a_data(a_data),
      .a_last(a_last),
      .b_valid(b_valid),
      .b_ready(b_ready),
      .b_data(b_data),
      .b_last(b_last),
      .result_valid(result_valid),
      .result_ready(result_ready),
      .result_data(result_data),
      .result_last(result_last),
      .error(error)
  );

  kernbench_gemm_if #(
      .ROWS(ROWS),
      .COLUMNS(COLUMNS)
  ) pins (
      .clk,
      .rst_n
  );
  assign pins.task_valid = task_valid;
  assign pins.task_ready = task_ready;
  assign pins.task_m = task_m;
  assign pins.task_n = task_n;
  assign pins.task_k = task_k;
  assign pins.task_dtype = task_dtype;
  assign pins.task_a_address = task_a_address;
  assign pins.task_b_address = task_b_address;
  assign pins.task_result_address = task_result_address;
  assign pins.a_valid = a_valid;
  assign pins.a_ready = a_ready;
  assign pins.a_data = a_data;
  assign pins.a_last = a_last;
  assign pins.b_valid = b_valid;
  assign pins.b_ready = b_ready;
  assign pins.b_data = b_data;
  assign pins.b_last = b_last;
  assign pins.result_valid = result_valid;
  assign pins.result_ready = result_ready;
  assign pins.result_data = result_data;
  assign pins.result_last = result_last;
  assign pins.error = error;
  // The platform's adapter complies with the rules of its side.
  kernbench_gemm_checker #(
      .ROWS(ROWS),
      .COLUMNS(COLUMNS),
      .CHECK_DRIVER(0)
  ) checker_of_pins (
      .pins(pins.monitor)
  );
endmodule
