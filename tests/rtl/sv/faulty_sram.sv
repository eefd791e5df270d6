// A memory that does wrong what bits 31..28 or 19..16 of its last address say; 0: nothing.
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
  logic [3:0] fault;
  logic odd;
  logic [DATA_BITS-1:0] never_driven;
  always_ff @(posedge clk) begin
    odd <= !odd;
    if (!rst_n) begin
      fault <= 0;
      odd   <= 0;
    end else if (awvalid) fault <= awaddr[31:28] | awaddr[19:16];
    else if (arvalid) fault <= araddr[31:28] | araddr[19:16];
    if (rst_n && fault == 4'd15) never_driven <= '0;
  end

  logic memory_bvalid, memory_rvalid, memory_rlast;
  logic [ID_BITS-1:0] memory_rid;
  logic [1:0] memory_bresp, memory_rresp;
  logic [DATA_BITS-1:0] memory_rdata;
  kernbench_sram #(
      .ID_BITS(ID_BITS),
      .ADDRESS_BITS(ADDRESS_BITS),
      .DATA_BITS(DATA_BITS),
      .SIZE_KB(SIZE_KB),
      .READ_LATENCY(READ_LATENCY)
  ) memory (
      .awaddr({4'd0, awaddr[27:0]}),
      .araddr({4'd0, araddr[27:0]}),
      .bvalid(memory_bvalid),
      .bresp (memory_bresp),
      .rvalid(memory_rvalid),
      .rid   (memory_rid),
      .rdata (memory_rdata),
      .rresp (memory_rresp),
      .rlast (memory_rlast),
      .*
  );
  always_comb begin
    bvalid  = memory_bvalid || (fault == 4'd4 && wvalid);
    bresp   = fault == 4'd5 ? 2'b01 : memory_bresp;
    rvalid  = memory_rvalid && !(fault == 4'd1 && odd) && fault != 4'd9;
    rid     = fault == 4'd6 ? ~memory_rid : memory_rid;
    rdata   = memory_rdata;
    rresp   = fault == 4'd10 ? 2'b10 : memory_rresp;
    rlast   = memory_rlast != (fault == 4'd3);
    if (fault == 4'd2 && odd) rdata[0] = !memory_rdata[0];
    if (fault == 4'd7) rdata[12] = !memory_rdata[12];
    if (fault == 4'd8) rdata[40] = never_driven[40];
  end
endmodule
