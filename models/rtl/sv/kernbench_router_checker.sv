// Rules of one direction of a link of a router, for any driver:
//   flit_has_a_credit           no more flits of a channel than places: the buffer never overflows
//   no_credit_too_many          a credit is for a flit that has arrived
//   channel_exists              the channel is one of the router
//   route_exists                the route is a port of the router
//   head_opens_a_packet         a head arrives where no message is in progress in its channel
//   body_is_in_an_open_packet   every other flit where one is
//   control_is_one_flit         a control message is head and tail
// A violation ends the run, with the block, the rule, the pin, cycle and time.
module kernbench_router_checker #(
    parameter int PORTS = 8,
    parameter int VIRTUAL_CHANNELS = 4,
    parameter int BUFFER_FLITS = 8,
    parameter string NAME = ""  // "in", "out"
) (
    kernbench_flit_channel.monitor link
);
  import kernbench_checks::*;

  localparam int CHANNELS = VIRTUAL_CHANNELS + 1;
  typedef logic [$clog2(BUFFER_FLITS+1)-1:0] count_t;
  typedef logic [CHANNELS-1:0] channels_t;

  count_t [CHANNELS-1:0] taken, next_taken;  // places
  channels_t open, full, empty;
  wire channels_t comes = link.valid ? channels_t'(1) << link.channel : '0;
  always_comb begin
    for (int c = 0; c < CHANNELS; ++c) begin
      full[c]  = int'(taken[c]) == BUFFER_FLITS;
      empty[c] = taken[c] == '0;
      next_taken[c] = taken[c] + count_t'(comes[c]) - count_t'(link.credit[c]);
    end
  end

  always_ff @(posedge link.clk) begin
    taken <= link.rst_n ? next_taken : '0;
    if (!link.rst_n) open <= '0;
    else open <= link.tail ? open & ~comes : open | comes;

    if (link.rst_n) begin
      flit_has_a_credit :
      assert ((comes & full) == '0)
      else kernbench_violation("flit_has_a_credit", {NAME, "_valid"});
      no_credit_too_many :
      assert ((link.credit & empty) == '0)
      else kernbench_violation("no_credit_too_many", {NAME, "_credit"});
      head_opens_a_packet :
      assert (!link.head || (comes & open) == '0)
      else kernbench_violation("head_opens_a_packet", {NAME, "_head"});
      body_is_in_an_open_packet :
      assert (link.head || (comes & ~open) == '0)
      else kernbench_violation("body_is_in_an_open_packet", {NAME, "_head"});
    end
  end

  always_ff @(posedge link.clk) begin
    if (link.rst_n && link.valid) begin
      channel_exists :
      assert (int'(link.channel) < CHANNELS)
      else kernbench_violation("channel_exists", {NAME, "_channel"});
      route_exists :
      assert (int'(link.route) < PORTS)
      else kernbench_violation("route_exists", {NAME, "_route"});
      control_is_one_flit :
      assert (int'(link.channel) != VIRTUAL_CHANNELS || (link.head && link.tail))
      else kernbench_violation("control_is_one_flit", {NAME, "_tail"});
    end
  end
endmodule
