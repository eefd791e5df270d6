// The rules of kernbench_gemm_if. A rule that is broken ends the run with block, rule, pin, cycle and time:
//   valid_holds_until_ready, data_is_stable_while_waiting   of each stream (kernbench_stream_checker)
//   operands_belong_to_a_task   no beat of A or B is taken beyond those of the tasks that have been taken
//   last_at_end_of_fold         a_last and b_last stand at the last beat of each fold, and there alone
//   result_belongs_to_a_task    no row of the result is offered before the operands of its fold have been taken
//   last_at_end_of_task         result_last stands at the last row of a task, and there alone
// One task is checked at a time: a block that takes the next one before the last row of the one before needs CHECK_TASKS = 0.
// CHECK_DRIVER: the other side's streams, too.
module kernbench_gemm_checker #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    parameter bit CHECK_TASKS = 1,
    parameter bit CHECK_DRIVER = 1
) (
    kernbench_gemm_if.monitor pins
);
  import kernbench_checks::*;

  kernbench_stream_checker #(
      .BITS(COLUMNS * 32 + 1),
      .NAME("result")
  ) result_stream (
      .clk  (pins.clk),
      .rst_n(pins.rst_n),
      .valid(pins.result_valid),
      .ready(pins.result_ready),
      .data ({pins.result_last, pins.result_data})
  );

  if (CHECK_DRIVER) begin : driver
    kernbench_stream_checker #(
        .BITS(3 * 32 + 4 + 3 * 64),
        .NAME("task")
    ) task_stream (
        .clk(pins.clk),
        .rst_n(pins.rst_n),
        .valid(pins.task_valid),
        .ready(pins.task_ready),
        .data({
          pins.task_m,
          pins.task_n,
          pins.task_k,
          pins.task_dtype,
          pins.task_a_address,
          pins.task_b_address,
          pins.task_result_address
        })
    );
    kernbench_stream_checker #(
        .BITS(ROWS * 16 + 1),
        .NAME("a")
    ) a_stream (
        .clk  (pins.clk),
        .rst_n(pins.rst_n),
        .valid(pins.a_valid),
        .ready(pins.a_ready),
        .data ({pins.a_last, pins.a_data})
    );
    kernbench_stream_checker #(
        .BITS(COLUMNS * 16 + 1),
        .NAME("b")
    ) b_stream (
        .clk  (pins.clk),
        .rst_n(pins.rst_n),
        .valid(pins.b_valid),
        .ready(pins.b_ready),
        .data ({pins.b_last, pins.b_data})
    );
  end

  if (CHECK_TASKS) begin : tasks
    // Of the task under way: folds that A, B and the result have still to end.
    logic [63:0] a_folds, b_folds, result_folds;
    logic [31:0] k, n, a_beats, b_beats;  // beats left of the fold
    logic [31:0] rows_left, columns_left, row;
    logic task_taken, a_taken, b_taken, result_taken, last_row, last_fold_of_rows;

    assign task_taken = pins.task_valid && pins.task_ready;
    assign a_taken = pins.a_valid && pins.a_ready;
    assign b_taken = pins.b_valid && pins.b_ready;
    assign result_taken = pins.result_valid && pins.result_ready;
    assign last_row = row + 1 == (rows_left < ROWS ? rows_left : ROWS);
    assign last_fold_of_rows = columns_left <= COLUMNS;

    function automatic logic [63:0] folds_of(logic [31:0] m, logic [31:0] columns);
      return ((64'(m) + 64'(ROWS) - 64'd1) / 64'(ROWS)) * ((64'(columns) + 64'(COLUMNS) - 64'd1) / 64'(COLUMNS));
    endfunction

    // With the task that is taken at this edge: a block may take its first beats at the same one.
    logic [63:0] task_folds, a_folds_now, b_folds_now;
    logic [31:0] k_now, a_beats_now, b_beats_now;
    assign task_folds = folds_of(pins.task_m, pins.task_n);
    assign a_folds_now = task_taken ? task_folds : a_folds;
    assign b_folds_now = task_taken ? task_folds : b_folds;
    assign k_now = task_taken ? pins.task_k : k;
    assign a_beats_now = task_taken ? pins.task_k : a_beats;
    assign b_beats_now = task_taken ? pins.task_k : b_beats;

    always_ff @(posedge pins.clk) begin
      if (!pins.rst_n) begin
        a_folds <= '0;
        b_folds <= '0;
        result_folds <= '0;
        {k, n, a_beats, b_beats, rows_left, columns_left, row} <= '0;
      end else begin
        k <= k_now;
        a_folds <= a_folds_now - 64'(a_taken && pins.a_last);
        b_folds <= b_folds_now - 64'(b_taken && pins.b_last);
        a_beats <= a_taken ? (pins.a_last ? k_now : a_beats_now - 1) : a_beats_now;
        b_beats <= b_taken ? (pins.b_last ? k_now : b_beats_now - 1) : b_beats_now;
        if (task_taken) begin
          result_folds <= task_folds;
          n <= pins.task_n;
          rows_left <= pins.task_m;
          columns_left <= pins.task_n;
          row <= '0;
        end else if (result_taken) begin
          row <= last_row ? '0 : row + 1;
          if (last_row) begin
            result_folds <= result_folds - 1;
            columns_left <= last_fold_of_rows ? n : columns_left - COLUMNS;
            if (last_fold_of_rows) rows_left <= rows_left - ROWS;
          end
        end
      end
      if (pins.rst_n) begin
        if (a_taken) begin
          a_belongs_to_a_task :
          assert (a_folds_now > 0)
          else kernbench_violation("operands_belong_to_a_task", "a_ready");
          a_last_at_end_of_fold :
          assert (pins.a_last == (a_beats_now == 1))
          else kernbench_violation("last_at_end_of_fold", "a_last");
        end
        if (b_taken) begin
          b_belongs_to_a_task :
          assert (b_folds_now > 0)
          else kernbench_violation("operands_belong_to_a_task", "b_ready");
          b_last_at_end_of_fold :
          assert (pins.b_last == (b_beats_now == 1))
          else kernbench_violation("last_at_end_of_fold", "b_last");
        end
      end
      if (pins.rst_n && !task_taken) begin
        if (pins.result_valid) begin
          result_belongs_to_a_task :
          assert (result_folds > a_folds && result_folds > b_folds)
          else kernbench_violation("result_belongs_to_a_task", "result_valid");
          last_at_end_of_task :
          assert (pins.result_last == (result_folds == 1 && last_row))
          else kernbench_violation("last_at_end_of_task", "result_last");
        end
      end
    end
  end
endmodule
