// One multiplier-accumulator, i8 only: it takes the first beat of the operands at the edge that takes
// the task. Written without care for the widths of numbers (LINT_OFF WIDTH).
module hasty_mac #(
    parameter int ROWS = 1,
    parameter int COLUMNS = 1
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
  logic signed [7:0] x, w;
  logic signed [31:0] product;
  logic [31:0] sum, folds_left;
  logic busy, row_waits, first, open;

  assign x = a_data;
  assign w = b_data;
  assign product = x * w;

  assign task_ready = !busy;
  assign open = (busy || task_valid) && !row_waits;
  assign a_ready = open && b_valid;
  assign b_ready = open && a_valid;
  assign result_valid = row_waits;
  assign result_data = sum;
  assign result_last = row_waits && folds_left == 1;

  always_ff @(posedge clk)
    if (!rst_n) begin
      busy <= 0;
      row_waits <= 0;
      first <= 1;
      error <= 0;
    end else begin
      if (task_valid && task_ready) begin
        busy <= 1;
        folds_left <= task_m * task_n;
        error <= task_dtype == 0 ? 0 : 1;
      end
      if (a_valid && a_ready) begin
        sum <= (first ? 0 : sum) + product;
        first <= a_last;
        row_waits <= a_last;
      end
      if (result_valid && result_ready) begin
        row_waits <= 0;
        folds_left <= folds_left - 1;
        if (result_last) busy <= 0;
      end
    end
endmodule
