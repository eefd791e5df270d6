// One direction of a link between two routers: flits forward, credits back.
interface kernbench_flit_channel #(
    parameter int VIRTUAL_CHANNELS = 4
) (
    input logic clk,
    input logic rst_n
);
  logic valid;
  logic [3:0] channel;  // 0 to VIRTUAL_CHANNELS - 1: data; VIRTUAL_CHANNELS: control messages
  logic head, tail;
  logic [2:0] route;  // output port of the router to which the flit is sent
  /* verilator lint_off UNUSEDSIGNAL */
  logic [63:0] tag;  // not used by any rule
  /* verilator lint_on UNUSEDSIGNAL */
  logic [VIRTUAL_CHANNELS:0] credit;  // a place of each channel that is 1 is free again

  modport sender(input clk, rst_n, credit, output valid, channel, head, tail, route, tag);
  modport receiver(input clk, rst_n, valid, channel, head, tail, route, tag, output credit);
  modport monitor(input clk, rst_n, valid, channel, head, tail, route, tag, credit);
endinterface
