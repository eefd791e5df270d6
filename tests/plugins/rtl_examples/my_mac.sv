// stream_mac with the pins of the platform (models/rtl/README.md): one row and COLUMNS columns of
// the result at a time, i8 only.
module my_mac #(
    parameter int ROWS = 1,
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
  localparam logic [3:0] I8 = 4'd0;

  // Rows of the result that the task has still to give: m for each COLUMNS of n.
  logic [63:0] rows_left;
  logic mac_ready, busy;
  logic [COLUMNS*8-1:0] weights;

  assign busy = rows_left != 0;
  assign task_ready = !busy;
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      rows_left <= '0;
      error <= '0;
    end else begin
      if (task_valid && task_ready) begin
        rows_left <= 64'(task_m) * ((64'(task_n) + 64'(COLUMNS) - 1) / 64'(COLUMNS));
        error <= task_dtype == I8 ? 8'd0 : 8'd1;
      end else if (result_valid && result_ready) begin
        rows_left <= rows_left - 1;
      end
    end
  end

  // Both operands of a beat, or none, and those of a task that has been taken.
  assign a_ready = busy && b_valid && mac_ready;
  assign b_ready = busy && a_valid && mac_ready;
  always_comb begin
    for (int column = 0; column < COLUMNS; ++column) weights[column*8+:8] = b_data[column*16+:8];
  end

  stream_mac #(
      .LANES(COLUMNS)
  ) mac (
      .clk_i(clk),
      .rst_ni(rst_n),
      .in_valid_i(busy && a_valid && b_valid),
      .in_ready_o(mac_ready),
      .in_x_i(a_data[7:0]),
      .in_w_i(weights),
      .in_last_i(a_last),
      .out_valid_o(result_valid),
      .out_ready_i(result_ready),
      .out_acc_o(result_data)
  );
  assign result_last = rows_left == 1;
endmodule
