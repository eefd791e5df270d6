// Pins of a block that multiplies tiles (models/rtl/README.md). A transfer is an edge with valid and ready high; valid never waits
// for ready within a cycle, and holds with its data until ready.
interface kernbench_gemm_if #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8
) (
    input logic clk,
    input logic rst_n  // synchronous, active low
);
  // Not every user reads all of them. verilator lint_off UNUSEDSIGNAL A task: m x k times k x n elements. Its folds are
  // ROWS x COLUMNS elements of the result, row by row.
  logic                  task_valid;
  logic                  task_ready;
  logic [          31:0] task_m;
  logic [          31:0] task_n;
  logic [          31:0] task_k;
  logic [           3:0] task_dtype;  // 0: i8 x i8 -> i32, 1: f16 x f16 -> f32
  logic [          63:0] task_a_address;
  logic [          63:0] task_b_address;
  logic [          63:0] task_result_address;
  // Beat t of a fold: column t of its rows of A, 16 bits per row (i8 with its sign extended), zeros beyond the edge.
  logic                  a_valid;
  logic                  a_ready;
  logic [   ROWS*16-1:0] a_data;
  logic                  a_last;  // last of the fold's k beats
  // Beat t of a fold: row t of its columns of B.
  logic                  b_valid;
  logic                  b_ready;
  logic [COLUMNS*16-1:0] b_data;
  logic                  b_last;
  // Row r of a fold, 32 bits per column; as many beats as the fold has rows.
  logic                  result_valid;
  logic                  result_ready;
  logic [COLUMNS*32-1:0] result_data;
  logic                  result_last;  // last row of the task
  logic [           7:0] error;        // error code; not 0 ends the run
  // verilator lint_on UNUSEDSIGNAL

  modport block(
      input clk, rst_n,
      input task_valid, task_m, task_n, task_k, task_dtype, task_a_address, task_b_address, task_result_address,
      output task_ready,
      input a_valid, a_data, a_last, b_valid, b_data, b_last, result_ready,
      output a_ready, b_ready, result_valid, result_data, result_last, error
  );
  modport adapter(
      input clk, rst_n,
      output task_valid, task_m, task_n, task_k, task_dtype, task_a_address, task_b_address, task_result_address,
      input task_ready,
      output a_valid, a_data, a_last, b_valid, b_data, b_last, result_ready,
      input a_ready, b_ready, result_valid, result_data, result_last, error
  );
  modport monitor(
      input clk, rst_n,
      input task_valid, task_m, task_n, task_k, task_dtype, task_a_address, task_b_address, task_result_address, task_ready,
      input a_valid, a_data, a_last, a_ready, b_valid, b_data, b_last, b_ready,
      input result_valid, result_data, result_last, result_ready, error
  );
endinterface
