// A router from which nothing comes out.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
module silent_router #(
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
  assign in_credit = '0;
  assign out_valid = '0;
  assign out_channel = '0;
  assign out_head = '0;
  assign out_tail = '0;
  assign out_route = '0;
  assign out_tag = '0;
endmodule
