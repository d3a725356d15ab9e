// onyx_glb_store: words of the column enter the line in order, none lost or doubled, in the third cycle behind their
// arrival; a line is written with all its words when a word of another line comes, and behind the last block; blocks
// are counted by their lengths, and done comes once they are in the memory.
//
// Assumed: a word comes only when there is room, as from an IO tile; a store has a block at least.
//
// mutate: onyx_glb_store
// cells: onyx_glb_store
// with: first_reset first_value
// set: Width=2 BlockBits=3
// set: Width=2
// broken: onyx_glb_store s/fifo_count_q < 3'd2/fifo_count_q < 3'd4/
// broken: onyx_glb_store s/if (write_o) lanes_o <= 4'd0;//
// broken: onyx_glb_store s/~first_q \& (addr_i/(addr_i/
// broken: onyx_glb_store s/addr_i\[17:3\] != line_addr_o\[17:3\]/addr_i[16:3] != line_addr_o[16:3]/
// broken: onyx_glb_store s/in_block_q ? left_q - Width'(1) : word_q/word_q/
`include "proof.svh"
module p_glb_store #(
    parameter int unsigned Width = 2,
    parameter int unsigned BlockBits = 32
) (
    input  logic               clk_i, rst_ni, start_i,
    input  logic [BlockBits-1:0] blocks_i,
    input  logic [2*Width-1:0] data_i,
    input  logic [        1:0] valid_i, column_i,
    input  logic [       17:0] addr_i,
    output logic [4*Width+31:0] seen_o
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  logic begins, active, last, done, busy, step, write;
  logic [1:0] ready, column;
  logic [17:0] line_addr;
  logic [4*Width-1:0] line;
  logic [3:0] lanes;
  first_value #(.Width(2)) u_column (.clk_i, .live_i(live), .value_i(column_i), .value_o(column));
  onyx_glb_store #(.Width(Width), .BlockBits(BlockBits)) u_store (
      .clk_i, .rst_ni(rst_n), .start_i, .column_i(column), .blocks_i, .begins_o(begins), .active_o(active),
      .last_o(last), .done_o(done), .busy_o(busy), .data_i, .valid_i, .ready_o(ready), .step_o(step), .addr_i,
      .write_o(write), .line_addr_o(line_addr), .line_o(line), .lanes_o(lanes)
  );
  logic comes;
  assign comes = |(column & valid_i);
  always_comb begin
    assume (!comes || ready != 2'd0);
    assume (!begins || blocks_i != '0);
  end

  // Words inside, and the way of a word: come, waiting, about to enter, entered.
  logic come_q, enters_q, entered_q, takes, gives;
  logic [Width-1:0] word_q, next_q, entered;
  logic [Width-1:0] row_q[4];  // the waiting words
  logic [1:0] first_at_q, end_at_q;
  logic [2:0] waiting_q;
  logic [1:0] lane_q;
  assign takes   = come_q & (waiting_q != 3'd4);
  assign gives   = active & (waiting_q != 3'd0);
  assign entered = line[Width*lane_q+:Width];
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      {come_q, enters_q, entered_q} <= '0;
      waiting_q <= 3'd0;
      word_q    <= '0;
      next_q    <= '0;
      {first_at_q, end_at_q} <= 4'd0;
      lane_q    <= 2'd0;
    end else begin
      come_q    <= comes;
      word_q    <= column[1] ? data_i[2*Width-1:Width] : data_i[Width-1:0];
      waiting_q <= begins ? 3'd0 : waiting_q + 3'(takes) - 3'(gives);
      enters_q  <= gives;
      next_q    <= row_q[first_at_q];
      if (begins) {first_at_q, end_at_q} <= 4'd0;
      else begin
        first_at_q <= first_at_q + 2'(gives);
        end_at_q   <= end_at_q + 2'(takes);
        if (takes) row_q[end_at_q] <= word_q;
      end
      entered_q <= step;
      lane_q    <= addr_i[2:1];
    end
  end

  // The blocks: words left, or 0 in front of a length. A block of length 0 takes a cycle more.
  logic running_q, empty_q, block_ends, ended, begins_q, first_q, last_q;
  logic [Width-1:0] left_q;
  logic [BlockBits-1:0] blocks_q;
  logic [2:0] done_q;
  assign block_ends = empty_q | (step & (left_q == Width'(1)));
  assign ended      = block_ends & (blocks_q == BlockBits'(1));
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      {running_q, empty_q, begins_q, last_q} <= '0;
      left_q   <= '0;
      blocks_q <= '0;
      done_q   <= 3'd0;
    end else begin
      begins_q <= start_i & ~active & ~begins_q;
      last_q   <= ended;
      done_q   <= last_q ? 3'd5 : (done_q != 3'd0) ? done_q - 3'd1 : 3'd0;
      empty_q  <= ~begins_q & step & (left_q == '0) & ~empty_q & (next_q == '0);
      if (begins_q) {running_q, left_q, blocks_q} <= {1'b1, Width'(0), blocks_i};
      else begin
        running_q <= running_q & ~ended;
        blocks_q  <= blocks_q - BlockBits'(block_ends);
        if (step && !empty_q) left_q <= (left_q == '0) ? next_q : left_q - Width'(1);
      end
    end
  end

  // The line: where its last word is, which lanes it has; lanes but the entered one stay.
  logic [17:0] addr_q;
  logic [3:0] lanes_q;
  logic [4*Width-1:0] line_q;
  logic [Width-1:0] entered_word_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      first_q <= 1'b0;
      addr_q  <= 18'd0;
      lanes_q <= 4'd0;
      line_q  <= '0;
      entered_word_q <= '0;
    end else begin
      if (begins_q) first_q <= 1'b1;
      if (step) first_q <= 1'b0;
      if (step) addr_q <= addr_i;
      entered_word_q <= next_q;
      lanes_q <= (lanes_q & ~{4{write}}) | (4'(step) << addr_i[2:1]);
      line_q  <= line;
    end
  end

  logic [3:0] kept;
  for (genvar l = 0; l < 4; l++) begin : g_lane
    assign kept[l] = (entered_q && lane_q == 2'(l)) || line[Width*l+:Width] == line_q[Width*l+:Width];
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(none_lost, !come_q || takes)
      `PROVE(room, ready == (column & {2{waiting_q < 3'd2}}))
      `PROVE(starts, begins == begins_q)
      `PROVE(enters_in_time, step == (enters_q & running_q) && (!entered_q || entered == entered_word_q))
      `PROVE(runs, active == running_q)
      `PROVE(last_line, last == last_q)
      `PROVE(ends, done == (done_q != 3'd0))
      `PROVE(moves_on, write == ((step & ~first_q & (addr_i[17:3] != addr_q[17:3])) | last_q))
      `PROVE(place, line_addr == addr_q && lanes == lanes_q)
      `PROVE(keeps, &kept)
      `PROVE(clocked, busy == (begins | active | last | done | come_q | enters_q | comes))
      `REACH(two_lines, write && !last && lanes == 4'hf)
      `REACH(empty_block, empty_q && !ended && step)
      `REACH(last_word_of_another_line, last && lanes == 4'h1)
      `REACH(full, waiting_q == 3'd3)
    end
  end
  assign seen_o = {
    begins, active, last, done, busy, ready, step, write, line_addr & {18{write}}, lanes & {4{write}},
    line & {4 * Width{write}}
  };
endmodule
