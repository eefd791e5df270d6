// A ready/valid block for the core's own tests: sums pairs of operands after `latency` cycles. `fault` makes it do wrong.
module adder (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        in_valid,
    output logic        in_ready,
    input  logic [99:0] in_data,
    input  logic [7:0]  latency,
    input  logic [3:0]  fault,
    output logic        out_valid,
    input  logic        out_ready,
    output logic [49:0] out_data
);
  logic [7:0] left;
  logic       busy;
  logic [49:0] never_reset;
  logic       odd;
  logic [3:0] resets = '0;

  assign in_ready = !busy && fault != 4'd2;
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy <= 1'b0;
      out_valid <= 1'b0;
      left <= '0;
      odd <= 1'b0;
      resets <= resets + 4'd1;
      if (resets == 4'd9) $error("a reset of ten cycles");
    end else begin
      odd <= !odd;
      if (in_valid && in_ready) begin
        busy <= 1'b1;
        left <= latency;
        out_data <= in_data[49:0] + in_data[99:50];
        if (fault == 4'd3) out_data <= never_reset;
        if (fault == 4'd4) $error("operands are not wanted");
        if (fault == 4'd5) $finish;
        if (fault == 4'd6) $fatal(1, "no more");
        if (fault == 4'd7) $stop;
      end else if (busy && !out_valid) begin
        if (left == 0) out_valid <= 1'b1;
        else left <= left - 8'd1;
      end else if (out_valid && out_ready) begin
        out_valid <= 1'b0;
        busy <= 1'b0;
      end else if (out_valid && fault == 4'd1) begin
        out_valid <= 1'b0;
      end
      if (fault == 4'd15) never_reset <= in_data[49:0];
    end
  end
endmodule

module adder_top (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        in_valid,
    output logic        in_ready,
    input  logic [99:0] in_data,
    input  logic [7:0]  latency,
    input  logic [3:0]  fault,
    output logic        out_valid,
    input  logic        out_ready,
    output logic [49:0] out_data
);
  adder design_under_test (.*);
  kernbench_stream_checker #(
      .BITS(50),
      .NAME("out")
  ) out_checker (
      .clk,
      .rst_n,
      .valid(out_valid),
      .ready(out_ready),
      .data (out_data)
  );
endmodule
