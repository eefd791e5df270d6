// my_mac with one fault, the one whose macro is defined: each file next to this one is a block of its
// name.
module `FAULTY_MAC #(
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
`ifdef NARROW_A
    input  logic [    ROWS*8-1:0] a_data,
`else
    input  logic [   ROWS*16-1:0] a_data,
`endif
    input  logic                  a_last,
    input  logic                  b_valid,
    output logic                  b_ready,
    input  logic [COLUMNS*16-1:0] b_data,
    input  logic                  b_last,
    output logic                  result_valid,
`ifndef NO_RESULT_READY
    input  logic                  result_ready,
`endif
    output logic [COLUMNS*32-1:0] result_data,
    output logic                  result_last,
    output logic [           7:0] error
);
  logic mac_task_ready, mac_a_ready, mac_b_ready, mac_result_valid, mac_result_last, taken;
  logic [COLUMNS*32-1:0] mac_result_data;
  logic [7:0] mac_error;
  logic [ROWS*16-1:0] wide_a;
`ifdef NO_RESULT_READY
  logic result_ready;
  assign result_ready = 1;
`endif
`ifdef NARROW_A
  assign wide_a = (ROWS*16)'($signed(a_data));
`else
  assign wide_a = a_data;
`endif

  my_mac #(
      .ROWS(ROWS),
      .COLUMNS(COLUMNS)
  ) mac (
      .task_ready(mac_task_ready),
      .a_data(wide_a),
      .a_ready(mac_a_ready),
      .b_ready(mac_b_ready),
      .result_valid(mac_result_valid),
      .result_ready(taken),
      .result_data(mac_result_data),
      .result_last(mac_result_last),
      .error(mac_error),
      .*
  );

  // Cycles for which the row at the output has waited.
  logic [7:0] waited;
  logic [COLUMNS*32-1:0] never_driven;
  always_ff @(posedge clk) begin
    if (!rst_n || !mac_result_valid || taken) waited <= 0;
    else waited <= waited + 1;
    if (rst_n && waited == 8'hff) never_driven <= 0;
  end
  logic unused;
  assign unused = &{1'b0, never_driven, waited};

  always_comb begin
    task_ready   = mac_task_ready;
    a_ready      = mac_a_ready;
    b_ready      = mac_b_ready;
    result_valid = mac_result_valid;
    result_data  = mac_result_data;
    result_last  = mac_result_last;
`ifndef NO_ERROR
    error = mac_error;
`endif
`ifdef DROPS_VALID  // for two cycles, when the row has waited for one
    result_valid = mac_result_valid && waited != 1 && waited != 2;
`endif
`ifdef CHANGES_DATA
    result_data[31:0] = mac_result_data[31:0] + 32'(waited);
`endif
`ifdef NEVER_ANSWERS
    result_valid = 0;
`endif
`ifdef WRONG_SUM  // of column 3, where it is odd
    result_data[3*32+:32] = mac_result_data[3*32+:32] + 32'(mac_result_data[3*32]);
`endif
`ifdef UNKNOWN_SUM
    result_data[5*32+:32] = mac_result_data[5*32+:32] ^ never_driven[5*32+:32];
`endif
    taken = result_valid && result_ready;
  end
endmodule
