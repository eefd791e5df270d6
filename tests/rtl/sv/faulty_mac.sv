// The systolic array with a fault that the rows of the task choose: 3 a wrong element, 5 no result, 7 result_last in every row,
// 9 result_valid that drops, 11 an error, 13 data that change while they wait. Others: none.
module faulty_mac #(
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
  logic valid, last, odd;
  logic [COLUMNS*32-1:0] data;
  logic [7:0] code;
  logic [31:0] m;
  kernbench_systolic #(
      .ROWS(ROWS),
      .COLUMNS(COLUMNS)
  ) array (
      .result_valid(valid),
      .result_last(last),
      .result_data(data),
      .error(code),
      .*
  );
  always_ff @(posedge clk) begin
    odd <= rst_n && !odd;
    if (!rst_n) m <= '0;
    else if (task_valid && task_ready) m <= task_m;
  end
  assign result_valid = valid && m != 5 && !(m == 9 && odd);
  assign result_last = last || m == 7;
  assign error = m == 11 ? 8'd42 : code;
  always_comb begin
    result_data = data;
    if (m == 3) result_data[32] = !data[32];
    if (m == 13) result_data[0] = odd;
  end
endmodule
