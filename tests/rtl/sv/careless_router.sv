// A router that gives itself a credit for every flit that it sends.
module careless_router #(
    parameter int PORTS = 4,
    parameter int VIRTUAL_CHANNELS = 2,
    parameter int BUFFER_FLITS = 2
) (
    input logic clk,
    input logic rst_n,
    input logic [PORTS-1:0] in_valid,
    input logic [PORTS-1:0][3:0] in_channel,
    input logic [PORTS-1:0] in_head,
    input logic [PORTS-1:0] in_tail,
    input logic [PORTS-1:0][2:0] in_route,
    input logic [PORTS-1:0][63:0] in_tag,
    output logic [PORTS-1:0][VIRTUAL_CHANNELS:0] in_credit,
    output logic [PORTS-1:0] out_valid,
    output logic [PORTS-1:0][3:0] out_channel,
    output logic [PORTS-1:0] out_head,
    output logic [PORTS-1:0] out_tail,
    output logic [PORTS-1:0][2:0] out_route,
    output logic [PORTS-1:0][63:0] out_tag,
    /* verilator lint_off UNUSEDSIGNAL */
    input logic [PORTS-1:0][VIRTUAL_CHANNELS:0] out_credit
    /* verilator lint_on UNUSEDSIGNAL */
);
  logic [PORTS-1:0][VIRTUAL_CHANNELS:0] own_credit;
  always_comb begin
    for (int p = 0; p < PORTS; ++p) begin
      for (int c = 0; c <= VIRTUAL_CHANNELS; ++c)
        own_credit[p][c] = out_valid[p] && int'(out_channel[p]) == c;
    end
  end
  kernbench_router #(
      .PORTS(PORTS),
      .VIRTUAL_CHANNELS(VIRTUAL_CHANNELS),
      .BUFFER_FLITS(BUFFER_FLITS)
  ) router (
      .clk,
      .rst_n,
      .in_valid,
      .in_channel,
      .in_head,
      .in_tail,
      .in_route,
      .in_tag,
      .in_credit,
      .out_valid,
      .out_channel,
      .out_head,
      .out_tail,
      .out_route,
      .out_tag,
      .out_credit(own_credit)
  );
endmodule
