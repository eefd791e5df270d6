// Verilated top: the design with the pins of the contract, and the rules at every port. Pins of all
// ports are concatenated, port 0 in the lowest bits.
`ifndef KERNBENCH_DESIGN
`define KERNBENCH_DESIGN kernbench_router
`endif
module kernbench_router_top #(
    parameter int PORTS = 8,
    parameter int VIRTUAL_CHANNELS = 4,
    parameter int BUFFER_FLITS = 8
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
  `KERNBENCH_DESIGN #(
      .PORTS(PORTS),
      .VIRTUAL_CHANNELS(VIRTUAL_CHANNELS),
      .BUFFER_FLITS(BUFFER_FLITS)
  ) design_under_test (
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
      .out_credit
  );

  for (genvar p = 0; p < PORTS; ++p) begin : port
    kernbench_flit_channel #(.VIRTUAL_CHANNELS(VIRTUAL_CHANNELS)) into (
        .clk,
        .rst_n
    );
    assign into.valid = in_valid[p];
    assign into.channel = in_channel[p];
    assign into.head = in_head[p];
    assign into.tail = in_tail[p];
    assign into.route = in_route[p];
    assign into.tag = in_tag[p];
    assign into.credit = in_credit[p];
    kernbench_router_checker #(
        .PORTS(PORTS),
        .VIRTUAL_CHANNELS(VIRTUAL_CHANNELS),
        .BUFFER_FLITS(BUFFER_FLITS),
        .NAME("in")
    ) in_rules (
        .link(into)
    );

    kernbench_flit_channel #(.VIRTUAL_CHANNELS(VIRTUAL_CHANNELS)) out_of (
        .clk,
        .rst_n
    );
    assign out_of.valid = out_valid[p];
    assign out_of.channel = out_channel[p];
    assign out_of.head = out_head[p];
    assign out_of.tail = out_tail[p];
    assign out_of.route = out_route[p];
    assign out_of.tag = out_tag[p];
    assign out_of.credit = out_credit[p];
    kernbench_router_checker #(
        .PORTS(PORTS),
        .VIRTUAL_CHANNELS(VIRTUAL_CHANNELS),
        .BUFFER_FLITS(BUFFER_FLITS),
        .NAME("out")
    ) out_rules (
        .link(out_of)
    );
  end
endmodule
