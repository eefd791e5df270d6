// A third-party block, unchanged: a row of multiplier-accumulators behind ready/valid streams. Each
// beat of the input has one number and LANES numbers; every lane adds their product to its sum. The
// beat with in_last_i ends the sums, which stay valid at the output until they are accepted.
module stream_mac #(
    parameter int LANES = 8,
    parameter int IN_WIDTH = 8,
    parameter int ACC_WIDTH = 32
) (
    input logic clk_i,
    input logic rst_ni,

    input  logic                      in_valid_i,
    output logic                      in_ready_o,
    input  logic [      IN_WIDTH-1:0] in_x_i,
    input  logic [LANES*IN_WIDTH-1:0] in_w_i,
    input  logic                      in_last_i,

    output logic                       out_valid_o,
    input  logic                       out_ready_i,
    output logic [LANES*ACC_WIDTH-1:0] out_acc_o
);
  logic signed [ACC_WIDTH-1:0] sums_q[LANES];
  logic signed [ACC_WIDTH-1:0] sums_d[LANES];
  logic first_q;
  logic in_fire;

  assign in_ready_o = !out_valid_o || out_ready_i;
  assign in_fire = in_valid_i && in_ready_o;

  always_comb begin
    for (int lane = 0; lane < LANES; ++lane)
      sums_d[lane] = (first_q ? '0 : sums_q[lane])
          + ACC_WIDTH'($signed(in_x_i)) * ACC_WIDTH'($signed(in_w_i[lane*IN_WIDTH+:IN_WIDTH]));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      out_valid_o <= 1'b0;
    end else begin
      if (in_fire) begin
        sums_q <= sums_d;
        first_q <= in_last_i;
      end
      if (in_fire && in_last_i) begin
        out_valid_o <= 1'b1;
        for (int lane = 0; lane < LANES; ++lane) out_acc_o[lane*ACC_WIDTH+:ACC_WIDTH] <= sums_d[lane];
      end else if (out_ready_i) begin
        out_valid_o <= 1'b0;
      end
    end
  end
endmodule
