// Input port of the router: a FIFO for each virtual channel, and the flit that it offers to its
// output. A control message precedes data. Data channels whose first flit may be sent are
// arbitrated round robin; the turn advances only when one of them has sent.
module kernbench_router_input
  import kernbench_router_rules::*;
#(
    parameter int PORTS = 8,
    parameter int VIRTUAL_CHANNELS = 4,
    parameter int BUFFER_FLITS = 8
) (
    input logic clk,
    input logic rst_n,

    input logic valid,
    input channel_t channel,
    input flit_t flit,
    input tag_t tag,
    output logic [VIRTUAL_CHANNELS:0] credit,

    // State of every output: its channels with a credit, and the free ones among them.
    input logic [PORTS-1:0][VIRTUAL_CHANNELS:0] has_credit,
    input logic [PORTS-1:0][VIRTUAL_CHANNELS:0] may_open,

    output logic [VIRTUAL_CHANNELS:0] from,  // channel that offers a flit; none: 0
    output flit_t offered,
    output tag_t offered_tag,
    output logic [VIRTUAL_CHANNELS:0] to,  // channels of the output that it may take, or holds
    input logic taken,
    input logic [VIRTUAL_CHANNELS:0] taken_channel  // taken channel of the output
);
  localparam int CHANNELS = VIRTUAL_CHANNELS + 1;
  localparam int CONTROL = VIRTUAL_CHANNELS;
  localparam int CHANNEL_BITS = $clog2(CHANNELS);
  localparam int PLACES = CHANNELS * BUFFER_FLITS;
  localparam int PLACE_BITS = $clog2(PLACES);
  localparam int FLIT_BITS = BUFFER_FLITS > 1 ? $clog2(BUFFER_FLITS) : 1;
  localparam int COUNT_BITS = $clog2(BUFFER_FLITS + 1);
  typedef logic [PLACE_BITS-1:0] place_t;
  typedef logic [FLIT_BITS-1:0] turn_t;
  typedef logic [COUNT_BITS-1:0] count_t;
  typedef logic [CHANNELS-1:0] channels_t;

  // FIFOs of all channels in one memory.
  flit_t flits[PLACES];
  tag_t tags[PLACES];
  turn_t [CHANNELS-1:0] first, last;
  count_t [CHANNELS-1:0] count;
  channels_t [CHANNELS-1:0] holds;  // held channel of the output, while a message is in progress

  function automatic place_t place_of(input int c, input turn_t at);
    return place_t'(c * BUFFER_FLITS + int'(at));
  endfunction
  function automatic turn_t behind(input turn_t at);
    return int'(at) == BUFFER_FLITS - 1 ? '0 : at + turn_t'(1);
  endfunction
  // Requests hold the lower half of the data channels, responses the upper half; a single one is
  // shared.
  function automatic channels_t half_of(input int c);
    channels_t half = '0;
    for (int k = 0; k < VIRTUAL_CHANNELS; ++k)
      half[k] = (k < VIRTUAL_CHANNELS / 2) == (c < VIRTUAL_CHANNELS / 2);
    return half;
  endfunction

  // Per channel: its first flit and the channels that it may take.
  flit_t [CHANNELS-1:0] fronts;
  channels_t [CHANNELS-1:0] ways;
  channels_t may_go;
  always_comb begin
    for (int c = 0; c < CHANNELS; ++c) begin
      fronts[c] = flits[place_of(c, first[c])];
      ways[c]   = '0;
      if (count[c] != '0) begin
        if (c == CONTROL) ways[c][CONTROL] = has_credit[fronts[c].route][CONTROL];
        else if (fronts[c].head) ways[c] = may_open[fronts[c].route] & half_of(c);
        else ways[c] = has_credit[fronts[c].route] & holds[c];
      end
      may_go[c] = ways[c] != '0;
    end
  end

  logic [VIRTUAL_CHANNELS-1:0] turn;
  kernbench_round_robin #(
      .N(VIRTUAL_CHANNELS)
  ) turns (
      .clk,
      .rst_n,
      .request(may_go[VIRTUAL_CHANNELS-1:0]),
      .turn(taken && !from[CONTROL]),
      .winner(turn)
  );
  assign from = may_go[CONTROL] ? channels_t'(1 << CONTROL) : {1'b0, turn};

  place_t place;
  always_comb begin
    offered = '0;
    to = '0;
    place = '0;
    for (int c = 0; c < CHANNELS; ++c) begin
      if (from[c]) begin
        offered = fronts[c];
        to = ways[c];
        place = place_of(c, first[c]);
      end
    end
  end
  assign offered_tag = tags[place];

  wire place_t write_place = place_of(int'(channel), last[CHANNEL_BITS'(channel)]);
  wire channels_t writes = valid ? channels_t'(1) << channel : '0;
  wire channels_t reads = taken ? from : '0;
  turn_t [CHANNELS-1:0] next_first, next_last;
  count_t [CHANNELS-1:0] next_count;
  channels_t [CHANNELS-1:0] next_holds;
  always_comb begin
    for (int c = 0; c < CHANNELS; ++c) begin
      next_first[c] = reads[c] ? behind(first[c]) : first[c];
      next_last[c]  = writes[c] ? behind(last[c]) : last[c];
      next_count[c] = count[c] + count_t'(writes[c]) - count_t'(reads[c]);
      next_holds[c] = reads[c] && offered.head ? taken_channel : holds[c];
    end
  end
  always_ff @(posedge clk) begin
    credit <= rst_n ? reads : '0;
    first  <= rst_n ? next_first : '0;
    last   <= rst_n ? next_last : '0;
    count  <= rst_n ? next_count : '0;
    holds  <= next_holds;
    if (valid) begin
      flits[write_place] <= flit;
      tags[write_place]  <= tag;
    end
  end
endmodule
