// Rules of the AXI4 subset (kernbench_axi4_if.sv), for both sides: the rules of ARM's own assertions and of public
// checkers that apply to the subset, under names of their own. A violation is reported with the pin that caused it.
module kernbench_axi4_checker #(
    parameter int ID_BITS = 4,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS = 64
) (
    kernbench_axi4_if.monitor axi
);
  import kernbench_checks::*;

  localparam int BYTES = DATA_BITS / 8;
  localparam int LANE_BITS = $clog2(BYTES);
  localparam int IDS = 1 << ID_BITS;
  localparam logic [1:0] INCR = 2'b01, EXOKAY = 2'b01;

  // --- the first cycle after a reset ---
  `define KERNBENCH_LOW(VALID) \
    assert (!axi.VALID) else kernbench_violation("no_valid_after_reset", `"VALID`");

  logic after_reset;
  always_ff @(posedge axi.clk) begin
    after_reset <= !axi.rst_n;
    if (axi.rst_n && after_reset) begin
      `KERNBENCH_LOW(awvalid)
      `KERNBENCH_LOW(wvalid)
      `KERNBENCH_LOW(bvalid)
      `KERNBENCH_LOW(arvalid)
      `KERNBENCH_LOW(rvalid)
    end
  end

  // --- valid and payload while ready is awaited ---
  `define KERNBENCH_HOLDS(VALID) \
    assert (axi.VALID) else kernbench_violation("valid_holds_until_ready", `"VALID`");
  `define KERNBENCH_STABLE(PIN) \
    assert (axi.PIN == PIN) else kernbench_violation("data_is_stable_while_waiting", `"PIN`");

  // Handshakes that were pending at the last edge.
  logic aw_waits, w_waits, b_waits, ar_waits, r_waits;
  logic [ID_BITS-1:0] awid, bid, arid, rid;
  logic [ADDRESS_BITS-1:0] awaddr, araddr;
  logic [7:0] awlen, arlen;
  logic [2:0] awsize, arsize;
  logic [1:0] awburst, arburst, bresp, rresp;
  logic [DATA_BITS-1:0] wdata, rdata;
  logic [BYTES-1:0] wstrb;
  logic wlast, rlast;

  always_ff @(posedge axi.clk) begin
    aw_waits <= axi.rst_n && axi.awvalid && !axi.awready;
    w_waits <= axi.rst_n && axi.wvalid && !axi.wready;
    b_waits <= axi.rst_n && axi.bvalid && !axi.bready;
    ar_waits <= axi.rst_n && axi.arvalid && !axi.arready;
    r_waits <= axi.rst_n && axi.rvalid && !axi.rready;
    if (axi.awvalid && !axi.awready)
      {awid, awaddr, awlen, awsize, awburst} <= {axi.awid, axi.awaddr, axi.awlen, axi.awsize, axi.awburst};
    if (axi.wvalid && !axi.wready) {wdata, wstrb, wlast} <= {axi.wdata, axi.wstrb, axi.wlast};
    if (axi.bvalid && !axi.bready) {bid, bresp} <= {axi.bid, axi.bresp};
    if (axi.arvalid && !axi.arready)
      {arid, araddr, arlen, arsize, arburst} <= {axi.arid, axi.araddr, axi.arlen, axi.arsize, axi.arburst};
    if (axi.rvalid && !axi.rready) {rid, rdata, rresp, rlast} <= {axi.rid, axi.rdata, axi.rresp, axi.rlast};

    if (axi.rst_n && aw_waits) begin
      `KERNBENCH_HOLDS(awvalid)
      `KERNBENCH_STABLE(awid)
      `KERNBENCH_STABLE(awaddr)
      `KERNBENCH_STABLE(awlen)
      `KERNBENCH_STABLE(awsize)
      `KERNBENCH_STABLE(awburst)
    end
    if (axi.rst_n && w_waits) begin
      `KERNBENCH_HOLDS(wvalid)
      `KERNBENCH_STABLE(wdata)
      `KERNBENCH_STABLE(wstrb)
      `KERNBENCH_STABLE(wlast)
    end
    if (axi.rst_n && b_waits) begin
      `KERNBENCH_HOLDS(bvalid)
      `KERNBENCH_STABLE(bid)
      `KERNBENCH_STABLE(bresp)
    end
    if (axi.rst_n && ar_waits) begin
      `KERNBENCH_HOLDS(arvalid)
      `KERNBENCH_STABLE(arid)
      `KERNBENCH_STABLE(araddr)
      `KERNBENCH_STABLE(arlen)
      `KERNBENCH_STABLE(arsize)
      `KERNBENCH_STABLE(arburst)
    end
    if (axi.rst_n && r_waits) begin
      `KERNBENCH_HOLDS(rvalid)
      `KERNBENCH_STABLE(rid)
      `KERNBENCH_STABLE(rdata)
      `KERNBENCH_STABLE(rresp)
      `KERNBENCH_STABLE(rlast)
    end
  end

  // --- addresses ---
  // Offset of the last byte of the burst in its 4 KiB block.
  function automatic logic within_4_kib(logic [11:0] address, logic [7:0] length, logic [2:0] size);
    logic [16:0] aligned = {5'd0, address} >> size << size;
    return aligned + ((17'(length) + 1) << size) <= 17'd4096;
  endfunction

  always_ff @(posedge axi.clk) begin
    if (axi.rst_n && axi.awvalid) begin
      assert (axi.awburst == INCR) else kernbench_violation("burst_is_incr", "awburst");
      assert (axi.awsize <= 3'(LANE_BITS)) else kernbench_violation("beat_fits_the_data_width", "awsize");
      assert (within_4_kib(axi.awaddr[11:0], axi.awlen, axi.awsize))
        else kernbench_violation("burst_within_4_kib", "awaddr");
    end
    if (axi.rst_n && axi.arvalid) begin
      assert (axi.arburst == INCR) else kernbench_violation("burst_is_incr", "arburst");
      assert (axi.arsize <= 3'(LANE_BITS)) else kernbench_violation("beat_fits_the_data_width", "arsize");
      assert (within_4_kib(axi.araddr[11:0], axi.arlen, axi.arsize))
        else kernbench_violation("burst_within_4_kib", "araddr");
    end
  end

  // --- write data, in the order of the addresses ---
  typedef struct packed {
    logic [ID_BITS-1:0] id;
    logic [11:0] address;
    logic [7:0] length;
    logic [2:0] size;
  } burst_t;
  burst_t writes[256];
  logic [7:0] first_write, next_write;
  logic [7:0] write_beat;
  logic [8:0] awaited[IDS];  // answers to writes whose last beat has been taken, by id

  burst_t write;
  assign write = writes[first_write];

  // Lanes that a beat covers: from its address, or from a multiple of its size, to the next one.
  function automatic logic [BYTES-1:0] lanes_of(logic [11:0] address, logic [2:0] size, logic [7:0] beat);
    logic [LANE_BITS-1:0] aligned = LANE_BITS'(((address >> size) + 12'(beat)) << size);
    logic [LANE_BITS-1:0] first = beat == 0 ? LANE_BITS'(address) : aligned;
    logic [LANE_BITS-1:0] last = aligned + LANE_BITS'((12'd1 << size) - 12'd1);
    logic [BYTES-1:0] all = '1;
    return (all << first) & (all >> (LANE_BITS'(BYTES - 1) - last));
  endfunction

  logic write_taken, write_ends, answered;
  assign write_taken = axi.wvalid && axi.wready && first_write != next_write;
  assign write_ends = write_taken && write_beat == write.length;
  assign answered = axi.bvalid && axi.bready;

  always_ff @(posedge axi.clk) begin
    if (!axi.rst_n) begin
      first_write <= 0;
      next_write <= 0;
      write_beat <= 0;
      for (int id = 0; id < IDS; ++id) awaited[id] <= 0;
    end else begin
      if (axi.awvalid && axi.awready) begin
        writes[next_write] <= {axi.awid, axi.awaddr[11:0], axi.awlen, axi.awsize};
        next_write <= next_write + 1;
        assert (next_write + 8'd1 != first_write)
          else kernbench_violation("at_most_255_bursts_in_flight", "awvalid");
      end
      if (write_taken) write_beat <= write_ends ? 0 : write_beat + 1;
      if (write_ends) first_write <= first_write + 1;
      if (write_ends && !(answered && axi.bid == write.id)) awaited[write.id] <= awaited[write.id] + 1;
      if (answered && !(write_ends && axi.bid == write.id)) awaited[axi.bid] <= awaited[axi.bid] - 1;

      if (axi.wvalid && axi.wready) begin
        assert (first_write != next_write) else kernbench_violation("no_write_data_without_address", "wready");
      end
      if (axi.wvalid && first_write != next_write) begin
        assert (axi.wlast == (write_beat == write.length)) else kernbench_violation("last_at_end_of_burst", "wlast");
        assert ((axi.wstrb & ~lanes_of(write.address, write.size, write_beat)) == 0)
          else kernbench_violation("strobes_within_the_beat", "wstrb");
      end
      if (axi.bvalid) begin
        assert (awaited[axi.bid] != 0) else kernbench_violation("response_after_last_write_beat", "bvalid");
        assert (axi.bresp != EXOKAY) else kernbench_violation("response_is_okay_or_error", "bresp");
      end
    end
  end

  // --- read data, in the order of the addresses of an id ---
  logic [7:0] lengths[IDS][256];
  logic [7:0] first_read[IDS];
  logic [7:0] next_read[IDS];
  logic [7:0] read_beat[IDS];
  logic requested, read_ends;
  assign requested = first_read[axi.rid] != next_read[axi.rid];
  assign read_ends = read_beat[axi.rid] == lengths[axi.rid][first_read[axi.rid]];

  always_ff @(posedge axi.clk) begin
    if (!axi.rst_n) begin
      for (int id = 0; id < IDS; ++id) begin
        first_read[id] <= 0;
        next_read[id]  <= 0;
        read_beat[id]  <= 0;
      end
    end else begin
      if (axi.arvalid && axi.arready) begin
        lengths[axi.arid][next_read[axi.arid]] <= axi.arlen;
        next_read[axi.arid] <= next_read[axi.arid] + 1;
        assert (next_read[axi.arid] + 8'd1 != first_read[axi.arid])
          else kernbench_violation("at_most_255_bursts_in_flight", "arvalid");
      end
      if (axi.rvalid) begin
        assert (requested) else kernbench_violation("no_read_data_without_request", "rvalid");
        if (requested) begin
          assert (axi.rlast == read_ends) else kernbench_violation("last_at_end_of_burst", "rlast");
        end
        assert (axi.rresp != EXOKAY) else kernbench_violation("response_is_okay_or_error", "rresp");
      end
      if (axi.rvalid && axi.rready && requested) begin
        read_beat[axi.rid] <= read_ends ? 0 : read_beat[axi.rid] + 1;
        if (read_ends) first_read[axi.rid] <= first_read[axi.rid] + 1;
      end
    end
  end
endmodule
