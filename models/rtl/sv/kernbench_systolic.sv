// Output-stationary systolic array: ROWS x COLUMNS cells, one multiply-accumulate per cell and
// cycle.
//
// A block (fold) of the result is ROWS x COLUMNS elements; the blocks of a task follow row by row,
// sequentially. Cell (r, c) holds element (r, c). Operand a enters on the left and moves right, b
// enters at the top and moves down, one cell per cycle; row r of a and column c of b are held back
// by r and c registers, so that beat t meets in cell (r, c) at edge t + r + c. Sums are formed with
// k ascending, starting from +0. When all are complete, rows leave upwards.
//
// Edges of a block without waits; edge 0 takes the first beat, S = ROWS + COLUMNS - 2:
//
//     edge          0 .. k-1     k .. k+S-1     k+S .. k+S+ROWS-1
//     phase         OPERANDS     FLUSH          DRAIN
//     a, b          k beats      -              -
//     cell (r, c)   accumulates at r+c .. r+c+k-1
//     result        -            -              one row each, row 0 first
//
// Together k + 2 * ROWS + COLUMNS - 2 for every block: one at the lower edge of the result has
// fewer rows, which leave at the last edges of the drain. The first block begins at the edge after
// the one that accepts the task; the task ends with the edge that accepts the last row of its last
// block, and the following edge can accept the next task.
//
// An edge at which a wanted beat of a or b is missing, or a row of the result is not taken, changes
// nothing.
module kernbench_systolic
  import kernbench_mac_pkg::*;
#(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8
) (
    input  logic                  clk,
    input  logic                  rst_n,             // synchronous, active low
    input  logic                  task_valid,
    output logic                  task_ready,
    input  logic [          31:0] task_m,
    input  logic [          31:0] task_n,
    input  logic [          31:0] task_k,
    input  logic [           3:0] task_dtype,        // 0: i8 x i8 -> i32, 1: f16 x f16 -> f32
    input  logic [          63:0] task_a_address,
    input  logic [          63:0] task_b_address,
    input  logic [          63:0] task_result_address,
    input  logic                  a_valid,
    output logic                  a_ready,
    input  logic [   ROWS*16-1:0] a_data,
    input  logic                  a_last,
    input  logic                  b_valid,
    output logic                  b_ready,
    input  logic [COLUMNS*16-1:0] b_data,
    input  logic                  b_last,
    output logic                  result_valid,
    input  logic                  result_ready,
    output logic [COLUMNS*32-1:0] result_data,
    output logic                  result_last,
    output logic [           7:0] error
);

  localparam int SKEW = ROWS + COLUMNS - 2;  // edges between the first and the last cell

  localparam logic [7:0] NO_ERROR = 0;
  localparam logic [7:0] M_IS_ZERO = 1;
  localparam logic [7:0] N_IS_ZERO = 2;
  localparam logic [7:0] K_IS_ZERO = 3;
  localparam logic [7:0] UNKNOWN_DTYPE = 4;
  localparam logic [7:0] A_LAST_MISPLACED = 5;
  localparam logic [7:0] B_LAST_MISPLACED = 6;

  typedef enum logic [2:0] {IDLE, OPERANDS, FLUSH, DRAIN, FAULT} phase_t;

  phase_t phase;
  logic [31:0] edges_left;  // edges left of the phase
  logic [31:0] n, k;
  logic [31:0] rows_left, columns_left;  // rows and columns left of the result, from this block on
  logic is_f16;

  // Control.

  logic last_block, last_in_row, row_leaves, beat_enters, cells_step, last_edge;
  assign last_in_row = columns_left <= COLUMNS;
  assign last_block = last_in_row && rows_left <= ROWS;
  assign last_edge = edges_left == 1;
  assign beat_enters = phase == OPERANDS && a_valid && b_valid;
  assign cells_step = beat_enters || phase == FLUSH;
  assign row_leaves = result_valid && result_ready;

  assign task_ready = phase == IDLE;
  assign a_ready = phase == OPERANDS && b_valid;  // a and b come in step
  assign b_ready = phase == OPERANDS && a_valid;
  assign result_valid = phase == DRAIN && edges_left <= rows_left;
  assign result_last = result_valid && last_edge && last_block;

  function automatic logic [7:0] task_error();
    if (task_m == 0) return M_IS_ZERO;
    if (task_n == 0) return N_IS_ZERO;
    if (task_k == 0) return K_IS_ZERO;
    return task_dtype > 1 ? UNKNOWN_DTYPE : NO_ERROR;
  endfunction

  function automatic logic [7:0] beat_error();
    if (a_last != last_edge) return A_LAST_MISPLACED;
    return b_last != last_edge ? B_LAST_MISPLACED : NO_ERROR;
  endfunction

  always_ff @(posedge clk)
    if (!rst_n) begin
      phase <= IDLE;
      error <= NO_ERROR;
    end else
      case (phase)
        IDLE:
        if (task_valid) begin
          error <= task_error();
          phase <= task_error() == NO_ERROR ? OPERANDS : FAULT;
          is_f16 <= task_dtype == 1;
          n <= task_n;
          k <= task_k;
          rows_left <= task_m;
          columns_left <= task_n;
          edges_left <= task_k;
        end
        OPERANDS:
        if (beat_enters) begin
          error <= beat_error();
          edges_left <= edges_left - 1;
          if (beat_error() != NO_ERROR) phase <= FAULT;
          else if (last_edge) begin
            phase <= SKEW == 0 ? DRAIN : FLUSH;
            edges_left <= SKEW == 0 ? ROWS : SKEW;
          end
        end
        FLUSH: begin
          edges_left <= edges_left - 1;
          if (last_edge) begin
            phase <= DRAIN;
            edges_left <= ROWS;
          end
        end
        DRAIN:
        if (!result_valid || result_ready) begin
          edges_left <= edges_left - 1;
          if (last_edge) begin
            phase <= last_block ? IDLE : OPERANDS;
            edges_left <= k;
            columns_left <= last_in_row ? n : columns_left - COLUMNS;
            if (last_in_row) rows_left <= rows_left - ROWS;
          end
        end
        default: ;  // FAULT, until reset
      endcase

  // Cells.

  // State of the cells is written by one process, in blocking assignments: simulators in C++ keep
  // its loops and copy nothing. All readers of it are combinational.

  // Entry d entered d steps ago: row r of cells begins at d = r, after the skew, and cell (r, c)
  // reads d = r + c; columns likewise.
  operand_t a_line[SKEW+1][ROWS];
  operand_t b_line[SKEW+1][COLUMNS];
  logic [SKEW:0] beat_line, first_line;  // valid beat; first beat of its block
  result_t sums[ROWS][COLUMNS];

  // verilator lint_off BLKSEQ
  function automatic void move_operands();
    for (int d = SKEW; d > 0; --d) begin
      for (int r = 0; r < ROWS; ++r) a_line[d][r] = a_line[d-1][r];
      for (int c = 0; c < COLUMNS; ++c) b_line[d][c] = b_line[d-1][c];
    end
    for (int r = 0; r < ROWS; ++r) a_line[0][r] = a_data[r*16+:16];
    for (int c = 0; c < COLUMNS; ++c) b_line[0][c] = b_data[c*16+:16];
    beat_line = (SKEW + 1)'({beat_line, beat_enters});
    first_line = (SKEW + 1)'({first_line, edges_left == k});
  endfunction

  function automatic void accumulate();
    for (int r = 0; r < ROWS; ++r)
      for (int c = 0; c < COLUMNS; ++c)
        if (beat_line[r+c])
          sums[r][c] = multiply_accumulate(is_f16, first_line[r+c] ? 0 : sums[r][c], a_line[r+c][r],
                                           b_line[r+c][c]);
  endfunction

  function automatic void move_sums_up();
    for (int r = 1; r < ROWS; ++r)
      for (int c = 0; c < COLUMNS; ++c) sums[r-1][c] = sums[r][c];
  endfunction

  // verilator lint_on BLKSEQ

  always_ff @(posedge clk)
    if (cells_step) begin
      move_operands();
      accumulate();
    end else if (row_leaves) move_sums_up();

  always_comb
    for (int c = 0; c < COLUMNS; ++c) result_data[c*32+:32] = c < columns_left ? sums[0][c] : 0;

  logic unused_addresses;
  assign unused_addresses = &{1'b0, task_a_address, task_b_address, task_result_address};

endmodule
