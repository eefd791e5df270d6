// Output port of the router: accepts one of the offered flits per cycle, control messages first, round robin over the
// inputs. A head takes the first free channel of its half that has a credit with it, a tail releases it.
module kernbench_router_output
  import kernbench_router_rules::*;
#(
    parameter int PORTS = 8,
    parameter int PORT = 0,
    parameter int VIRTUAL_CHANNELS = 4,
    parameter int BUFFER_FLITS = 8
) (
    input logic clk,
    input logic rst_n,

    // Offers of every input, see kernbench_router_input.
    input logic [PORTS-1:0] offers,
    input logic [PORTS-1:0] offers_control,
    input flit_t [PORTS-1:0] offered,
    input tag_t offered_tag[PORTS],
    input logic [PORTS-1:0][VIRTUAL_CHANNELS:0] to,
    output logic [PORTS-1:0] taken,
    output logic [VIRTUAL_CHANNELS:0] taken_channel,

    output logic [VIRTUAL_CHANNELS:0] has_credit,
    output logic [VIRTUAL_CHANNELS:0] may_open,

    output logic valid,
    output channel_t channel,
    output flit_t flit,
    output tag_t tag,
    input logic [VIRTUAL_CHANNELS:0] credit
);
  localparam int CHANNELS = VIRTUAL_CHANNELS + 1;
  localparam int CONTROL = VIRTUAL_CHANNELS;
  localparam int PORT_BITS = $clog2(PORTS);
  typedef logic [$clog2(BUFFER_FLITS+1)-1:0] count_t;
  typedef logic [CHANNELS-1:0] channels_t;

  // Inputs that request this port.
  logic [PORTS-1:0] asks;
  always_comb begin
    for (int p = 0; p < PORTS; ++p) asks[p] = offers[p] && int'(offered[p].route) == PORT;
  end
  wire [PORTS-1:0] control = asks & offers_control;
  wire [PORTS-1:0] data = asks & ~offers_control;

  logic [PORTS-1:0] first_control, first_data;
  kernbench_round_robin #(
      .N(PORTS)
  ) control_turns (
      .clk,
      .rst_n,
      .request(control),
      .turn(1'b1),
      .winner(first_control)
  );
  kernbench_round_robin #(
      .N(PORTS)
  ) data_turns (
      .clk,
      .rst_n,
      .request(data),
      .turn(control == '0),
      .winner(first_data)
  );
  assign taken = control != '0 ? first_control : first_data;

  logic [PORT_BITS-1:0] winner;
  always_comb begin
    winner = '0;
    for (int p = 0; p < PORTS; ++p) if (taken[p]) winner = PORT_BITS'(p);
  end
  wire flit_t won = offered[winner];
  // A head takes the first channel that it may take, another flit the channel that it holds.
  assign taken_channel = asks != '0 ? to[winner] & -to[winner] : '0;

  count_t [CHANNELS-1:0] left, next_left;  // credits
  channels_t held;
  always_comb begin
    for (int c = 0; c < CHANNELS; ++c)
      next_left[c] = left[c] + count_t'(credit[c]) - count_t'(taken_channel[c]);
  end
  always_ff @(posedge clk) begin
    left <= rst_n ? next_left : {CHANNELS{count_t'(BUFFER_FLITS)}};
    if (!rst_n) held <= '0;
    else if (control == '0) held <= won.tail ? held & ~taken_channel : held | taken_channel;
  end
  always_comb begin
    for (int c = 0; c < CHANNELS; ++c) has_credit[c] = left[c] != '0;
  end
  assign may_open = has_credit & ~held;

  channel_t number;
  always_comb begin
    number = channel_t'(CONTROL);
    for (int c = 0; c < VIRTUAL_CHANNELS; ++c) if (taken_channel[c]) number = channel_t'(c);
  end
  always_ff @(posedge clk) begin
    valid <= rst_n && asks != '0;
    channel <= asks != '0 ? number : '0;
    flit <= asks != '0 ? won : '0;
    tag <= asks != '0 ? offered_tag[winner] : '0;
  end
endmodule
