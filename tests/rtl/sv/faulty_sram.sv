// A memory with the fault that its last address selects, by bits 31..27 or 19..16:
//    0  none
//    1  rvalid drops in every other cycle        11  bvalid drops in every other cycle
//    2  rdata changes in every cycle             12  bid changes in every cycle
//    3  rlast is wrong                           13  bresp changes in every cycle
//    4  bvalid comes with the write data         14  rresp changes in every cycle
//    5  bresp is EXOKAY                          15  rid changes in every cycle
//    6  rid is of another request                16  rlast changes in every cycle
//    7  bit 12 of rdata is wrong                 17  every address is taken, nothing is answered
//    8  bit 40 of rdata is never driven          18  write data are always taken
//    9  rvalid never comes                       19  rresp is EXOKAY
//   10  rresp is SLVERR                          20  bvalid and rvalid are 1 behind a reset
module faulty_sram #(
    parameter int ID_BITS = 4,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS = 64,
    parameter int SIZE_KB = 1024,
    parameter int READ_LATENCY = 2
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
  localparam logic [1:0] EXOKAY = 2'b01, SLVERR = 2'b10;

  // 20 outlives the reset behind which it shows.
  logic [4:0] fault;
  logic odd, after_reset;
  logic [DATA_BITS-1:0] never_driven;
  always_ff @(posedge clk) begin
    odd <= !odd;
    after_reset <= !rst_n;
    if (!rst_n) begin
      fault <= fault == 20 ? 20 : 0;
      odd   <= 0;
    end else if (awvalid) fault <= awaddr[31:27] | {1'b0, awaddr[19:16]};
    else if (arvalid) fault <= araddr[31:27] | {1'b0, araddr[19:16]};
    if (rst_n && fault == 31) never_driven <= '0;
  end

  // The memory sees no handshake in a cycle in which its valid is hidden.
  logic hides_b, hides_r;
  assign hides_b = (fault == 11 && odd) || fault == 17;
  assign hides_r = (fault == 1 && odd) || fault == 9 || fault == 17;

  logic memory_awready, memory_wready, memory_bvalid, memory_arready, memory_rvalid, memory_rlast;
  logic [ID_BITS-1:0] memory_bid, memory_rid;
  logic [1:0] memory_bresp, memory_rresp;
  logic [DATA_BITS-1:0] memory_rdata;
  kernbench_sram #(
      .ID_BITS(ID_BITS),
      .ADDRESS_BITS(ADDRESS_BITS),
      .DATA_BITS(DATA_BITS),
      .SIZE_KB(SIZE_KB),
      .READ_LATENCY(READ_LATENCY)
  ) memory (
      .awready(memory_awready),
      .awaddr({5'd0, awaddr[26:0]}),
      .wready(memory_wready),
      .bvalid(memory_bvalid),
      .bready(bready && !hides_b),
      .bid(memory_bid),
      .bresp(memory_bresp),
      .arready(memory_arready),
      .araddr({5'd0, araddr[26:0]}),
      .rvalid(memory_rvalid),
      .rready(rready && !hides_r),
      .rid(memory_rid),
      .rdata(memory_rdata),
      .rresp(memory_rresp),
      .rlast(memory_rlast),
      .*
  );
  always_comb begin
    awready = memory_awready || fault == 17;
    arready = memory_arready || fault == 17;
    wready  = memory_wready || fault == 18;

    bvalid  = (memory_bvalid && !hides_b) || (fault == 4 && wvalid) || (fault == 20 && after_reset);
    bid     = fault == 12 && odd ? ~memory_bid : memory_bid;
    bresp   = memory_bresp;
    if (fault == 5) bresp = EXOKAY;
    if (fault == 13 && odd) bresp = SLVERR;

    rvalid = (memory_rvalid && !hides_r) || (fault == 20 && after_reset);
    rid    = fault == 6 || (fault == 15 && odd) ? ~memory_rid : memory_rid;
    rdata  = memory_rdata;
    if (fault == 2 && odd) rdata[0] = !memory_rdata[0];
    if (fault == 7) rdata[12] = !memory_rdata[12];
    if (fault == 8) rdata[40] = never_driven[40];
    rresp = memory_rresp;
    if (fault == 10 || (fault == 14 && odd)) rresp = SLVERR;
    if (fault == 19) rresp = EXOKAY;
    rlast = memory_rlast != (fault == 3 || (fault == 16 && odd));
  end
endmodule
