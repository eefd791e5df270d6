// Memory with one AXI4 port (subset: kernbench_axi4_if.sv): one write beat and one read beat per cycle, concurrently.
// Bursts are answered in order, writes and reads separately.
//
// READ_LATENCY: cycles from the edge that takes a read's address to the edge at which its first beat
// can be taken; at least 2. A beat beyond SIZE_KB is answered with SLVERR, not written, and read as
// zero; so is every beat of a burst that is not INCR. A read that begins while a write to the same
// bytes is not answered may return either.
module kernbench_sram #(
    parameter int ID_BITS = 4,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS = 64,
    parameter int SIZE_KB = 1024,
    parameter int READ_LATENCY = 2,
    parameter int OUTSTANDING = 4  // bursts that are taken ahead, of each direction
) (
    input logic clk,
    input logic rst_n,

    input  logic                    awvalid,
    output logic                    awready,
    input  logic [     ID_BITS-1:0] awid,
    input  logic [ADDRESS_BITS-1:0] awaddr,
    input  logic [             7:0] awlen,
    input  logic [             2:0] awsize,
    input  logic [             1:0] awburst,

    input  logic                   wvalid,
    output logic                   wready,
    input  logic [  DATA_BITS-1:0] wdata,
    input  logic [DATA_BITS/8-1:0] wstrb,
    input  logic                   wlast,

    output logic               bvalid,
    input  logic               bready,
    output logic [ID_BITS-1:0] bid,
    output logic [        1:0] bresp,

    input  logic                    arvalid,
    output logic                    arready,
    input  logic [     ID_BITS-1:0] arid,
    input  logic [ADDRESS_BITS-1:0] araddr,
    input  logic [             7:0] arlen,
    input  logic [             2:0] arsize,
    input  logic [             1:0] arburst,

    output logic                 rvalid,
    input  logic                 rready,
    output logic [  ID_BITS-1:0] rid,
    output logic [DATA_BITS-1:0] rdata,
    output logic [          1:0] rresp,
    output logic                 rlast
);
  localparam int BYTES = DATA_BITS / 8;
  localparam int LANE_BITS = $clog2(BYTES);
  localparam int WORDS = SIZE_KB * (1024 / BYTES);
  localparam int INDEX_BITS = $clog2(WORDS);
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;
  localparam logic [1:0] INCR = 2'b01;

  typedef struct packed {
    logic [ID_BITS-1:0] id;
    logic [ADDRESS_BITS-1:0] address;
    logic [7:0] length;
    logic [2:0] size;
    logic incr;
  } command_t;
  typedef struct packed {
    logic [ID_BITS-1:0] id;
    logic [1:0] resp;
  } response_t;
  typedef struct packed {
    logic [ID_BITS-1:0] id;
    logic [DATA_BITS-1:0] data;
    logic [1:0] resp;
    logic last;
  } beat_t;

  // Like the memory store: words never written are zero.
  logic [DATA_BITS-1:0] words[WORDS];
  initial for (int word = 0; word < WORDS; ++word) words[word] = 0;

  // Address of beat `beat`: the first beat where the burst begins, further ones at multiples of their size.
  function automatic logic [ADDRESS_BITS-1:0] beat_address(logic [ADDRESS_BITS-1:0] first,
                                                           logic [2:0] size, logic [7:0] beat);
    return beat == 0 ? first : ((first >> size) + ADDRESS_BITS'(beat)) << size;
  endfunction
  function automatic logic in_memory(logic [ADDRESS_BITS-1:0] address);
    return (address >> LANE_BITS) < ADDRESS_BITS'(WORDS);
  endfunction
  function automatic logic [INDEX_BITS-1:0] index_of(logic [ADDRESS_BITS-1:0] address);
    return INDEX_BITS'(address >> LANE_BITS);
  endfunction

  // --- writes ---
  command_t write;
  logic no_write, write_full, write_error, no_room_for_response, no_response;
  logic [7:0] write_beat;
  logic [ADDRESS_BITS-1:0] write_address;
  response_t response;
  logic writable, write_ends, beat_error;

  assign awready = !write_full;
  kernbench_sram_queue #(
      .WIDTH($bits(command_t)),
      .DEPTH(OUTSTANDING)
  ) writes (
      .clk,
      .rst_n,
      .push(awvalid && awready),
      .push_data({awid, awaddr, awlen, awsize, awburst == INCR}),
      .full(write_full),
      .pop(write_ends),
      .empty(no_write),
      .head(write)
  );

  assign wready = !no_write && !no_room_for_response;
  assign write_address = beat_address(write.address, write.size, write_beat);
  assign writable = write.incr && in_memory(write_address);
  assign beat_error = !writable || wlast != (write_beat == write.length);
  assign write_ends = wvalid && wready && write_beat == write.length;

  function automatic logic [DATA_BITS-1:0] merged(logic [DATA_BITS-1:0] word, logic [DATA_BITS-1:0] data,
                                                  logic [BYTES-1:0] strobes);
    for (int lane = 0; lane < BYTES; ++lane) merged[8*lane+:8] = strobes[lane] ? data[8*lane+:8] : word[8*lane+:8];
  endfunction
  always_ff @(posedge clk) begin
    if (wvalid && wready && writable)
      words[index_of(write_address)] <= merged(words[index_of(write_address)], wdata, wstrb);
    if (!rst_n) begin
      write_beat  <= 0;
      write_error <= 0;
    end else if (wvalid && wready) begin
      write_beat  <= write_ends ? 0 : write_beat + 1;
      write_error <= write_ends ? 0 : write_error || beat_error;
    end
  end

  assign bvalid = !no_response;
  assign {bid, bresp} = response;
  kernbench_sram_queue #(
      .WIDTH($bits(response_t)),
      .DEPTH(OUTSTANDING)
  ) responses (
      .clk,
      .rst_n,
      .push(write_ends),
      .push_data({write.id, write_error || beat_error ? SLVERR : OKAY}),
      .full(no_room_for_response),
      .pop(bvalid && bready),
      .empty(no_response),
      .head(response)
  );

  // --- reads ---
  // Beats between the memory and rdata, bounded so that each has a place in the queue of answers.
  localparam int ANSWERS = READ_LATENCY + 1;
  localparam int STAGES = READ_LATENCY - 2;
  localparam int ANSWER_BITS = $clog2(ANSWERS + 1);

  command_t read;
  beat_t fetched, delayed, answer;
  logic no_read, read_full, fetch, fetch_delayed, no_answer;
  logic [7:0] read_beat;
  logic [ADDRESS_BITS-1:0] read_address;
  logic [ANSWER_BITS-1:0] in_flight;

  assign arready = !read_full;
  kernbench_sram_queue #(
      .WIDTH($bits(command_t)),
      .DEPTH(OUTSTANDING)
  ) reads (
      .clk,
      .rst_n,
      .push(arvalid && arready),
      .push_data({arid, araddr, arlen, arsize, arburst == INCR}),
      .full(read_full),
      .pop(fetch && fetched.last),
      .empty(no_read),
      .head(read)
  );

  assign read_address = beat_address(read.address, read.size, read_beat);
  assign fetch = !no_read && in_flight != ANSWER_BITS'(ANSWERS);
  always_comb begin
    fetched.id = read.id;
    fetched.last = read_beat == read.length;
    fetched.data = 0;
    fetched.resp = SLVERR;
    if (read.incr && in_memory(read_address)) begin
      fetched.data = words[index_of(read_address)];
      fetched.resp = OKAY;
    end
  end
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      read_beat <= 0;
      in_flight <= 0;
    end else begin
      if (fetch) read_beat <= fetched.last ? 0 : read_beat + 1;
      in_flight <= in_flight + ANSWER_BITS'(fetch) - ANSWER_BITS'(rvalid && rready);
    end
  end

  if (STAGES > 0) begin : gen_delay
    beat_t stages[STAGES];
    logic [STAGES-1:0] stage_valid;
    always_ff @(posedge clk) begin
      stages[0] <= fetched;
      for (int stage = 1; stage < STAGES; ++stage) stages[stage] <= stages[stage-1];
      if (!rst_n) stage_valid <= 0;
      else stage_valid <= STAGES'({stage_valid, fetch});
    end
    assign delayed = stages[STAGES-1];
    assign fetch_delayed = stage_valid[STAGES-1];
  end else begin : gen_no_delay
    assign delayed = fetched;
    assign fetch_delayed = fetch;
  end

  logic answers_full;  // never, by `in_flight`
  assign rvalid = !no_answer;
  assign {rid, rdata, rresp, rlast} = answer;
  kernbench_sram_queue #(
      .WIDTH($bits(beat_t)),
      .DEPTH(ANSWERS)
  ) answers (
      .clk,
      .rst_n,
      .push(fetch_delayed),
      .push_data(delayed),
      .full(answers_full),
      .pop(rvalid && rready),
      .empty(no_answer),
      .head(answer)
  );
  logic unused;
  assign unused = answers_full;
endmodule
