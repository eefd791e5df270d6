// Wormhole router with virtual channels, credits on both sides and round-robin output arbitration.
//
// A flit is one cycle in its FIFO at the least, crosses the switch in the next one, and is then in
// the output register: input pins to output pins in 2 edges. One flit per port and cycle. The flit
// carries its destination (route: the output port). A message holds a channel of its output from
// head to tail; flits of different messages may follow one another in different channels. Separable
// allocation, input first: every input offers one flit, every output takes one; the channel of the
// output is chosen for the flit that has won the switch, so that no channel is allocated in vain.
module kernbench_router
  import kernbench_router_rules::*;
#(
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
  logic [PORTS-1:0] offers, offers_control;
  flit_t [PORTS-1:0] offered;
  tag_t offered_tag[PORTS];
  logic [PORTS-1:0][VIRTUAL_CHANNELS:0] to;
  logic [PORTS-1:0][PORTS-1:0] taken;  // by output, by input
  logic [PORTS-1:0][VIRTUAL_CHANNELS:0] taken_channel;  // by output
  logic [PORTS-1:0][VIRTUAL_CHANNELS:0] has_credit, may_open;  // by output
  logic [PORTS-1:0] is_taken;
  always_comb begin
    is_taken = '0;
    for (int o = 0; o < PORTS; ++o) is_taken |= taken[o];
  end

  for (genvar p = 0; p < PORTS; ++p) begin : input_port
    logic [VIRTUAL_CHANNELS:0] from;
    kernbench_router_input #(
        .PORTS(PORTS),
        .VIRTUAL_CHANNELS(VIRTUAL_CHANNELS),
        .BUFFER_FLITS(BUFFER_FLITS)
    ) port (
        .clk,
        .rst_n,
        .valid(in_valid[p]),
        .channel(in_channel[p]),
        .flit('{head: in_head[p], tail: in_tail[p], route: in_route[p]}),
        .tag(in_tag[p]),
        .credit(in_credit[p]),
        .has_credit,
        .may_open,
        .from,
        .offered(offered[p]),
        .offered_tag(offered_tag[p]),
        .to(to[p]),
        .taken(is_taken[p]),
        .taken_channel(taken_channel[offered[p].route])
    );
    assign offers[p] = from != '0;
    assign offers_control[p] = from[VIRTUAL_CHANNELS];
  end

  for (genvar o = 0; o < PORTS; ++o) begin : output_port
    flit_t flit;
    kernbench_router_output #(
        .PORTS(PORTS),
        .PORT(o),
        .VIRTUAL_CHANNELS(VIRTUAL_CHANNELS),
        .BUFFER_FLITS(BUFFER_FLITS)
    ) port (
        .clk,
        .rst_n,
        .offers,
        .offers_control,
        .offered,
        .offered_tag,
        .to,
        .taken(taken[o]),
        .taken_channel(taken_channel[o]),
        .has_credit(has_credit[o]),
        .may_open(may_open[o]),
        .valid(out_valid[o]),
        .channel(out_channel[o]),
        .flit,
        .tag(out_tag[o]),
        .credit(out_credit[o])
    );
    assign out_head[o] = flit.head;
    assign out_tail[o] = flit.tail;
    assign out_route[o] = flit.route;
  end
endmodule
