// A router with a fault: KERNBENCH_FAULT is 1 for one that gives itself a credit for every flit that it sends, 2 for one from which
// no flit leaves, 3 for one that sends every flit to the port next to its output.
module faulty_router #(
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
    input logic [PORTS-1:0][VIRTUAL_CHANNELS:0] out_credit
);
  logic [PORTS-1:0][VIRTUAL_CHANNELS:0] credit;
  logic [PORTS-1:0][2:0] route;
  logic [PORTS-1:0] valid;
  always_comb begin
    for (int p = 0; p < PORTS; ++p) begin
      route[p] = `KERNBENCH_FAULT == 3 ? in_route[p] ^ 3'd1 : in_route[p];
      for (int c = 0; c <= VIRTUAL_CHANNELS; ++c)
        credit[p][c] = `KERNBENCH_FAULT == 1 ? out_valid[p] && int'(out_channel[p]) == c : out_credit[p][c];
    end
  end
  assign valid = `KERNBENCH_FAULT == 2 ? '0 : in_valid;
  kernbench_router #(
      .PORTS(PORTS),
      .VIRTUAL_CHANNELS(VIRTUAL_CHANNELS),
      .BUFFER_FLITS(BUFFER_FLITS)
  ) router (
      .in_valid(valid),
      .in_route(route),
      .out_credit(credit),
      .*
  );
endmodule
