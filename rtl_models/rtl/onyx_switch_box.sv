// The 17-bit switch box of a compute tile: 20 outputs (4 sides x 5 tracks), and the joins of ready.
//
// words_i holds the six configuration words of feature "SB B17" as written (word w at bits [32*w +: 32]).
// Wiring: every arriving wire goes to one track of each of the other three sides ("Imran" pattern):
//   W t <-> N (5-t)%5   N t <-> E (t+1)%5   S t <-> E (3-t)%5   W t <-> S (t-1)%5   W t <-> E t   S t <-> N t
// An output numbers its three wires in the order of a list: for t = 0..4 the pairs above, each as written and
// then reversed, where t is the track of the side written first. function order_key gives the place in it.
// Ready of a wire or core output = no enabled sink that selects it is waiting. core_ready_o is that join for
// the core outputs; the tile gates core valids with it, here nothing gates.
// cb_wait_i: wires that a connection box of the tile waits on, numbered as its select (4*track + N0 S1 E2 W3).
// comb from every input to the outputs.
module onyx_switch_box (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         stall_i,
    input  logic [191:0] words_i,
    input  logic [ 19:0] cb_wait_i,
    input  logic [ 16:0] core0_data_i,
    input  logic         core0_valid_i,
    input  logic [ 16:0] core1_data_i,
    input  logic         core1_valid_i,
    input  logic [ 16:0] core2_data_i,
    input  logic         core2_valid_i,
    output logic [  2:0] core_ready_o,
    input  logic [ 84:0] east_data_i,
    input  logic [  4:0] east_valid_i,
    output logic [  4:0] east_ready_o,
    output logic [ 84:0] east_data_o,
    output logic [  4:0] east_valid_o,
    input  logic [  4:0] east_ready_i,
    input  logic [ 84:0] south_data_i,
    input  logic [  4:0] south_valid_i,
    output logic [  4:0] south_ready_o,
    output logic [ 84:0] south_data_o,
    output logic [  4:0] south_valid_o,
    input  logic [  4:0] south_ready_i,
    input  logic [ 84:0] west_data_i,
    input  logic [  4:0] west_valid_i,
    output logic [  4:0] west_ready_o,
    output logic [ 84:0] west_data_o,
    output logic [  4:0] west_valid_o,
    input  logic [  4:0] west_ready_i,
    input  logic [ 84:0] north_data_i,
    input  logic [  4:0] north_valid_i,
    output logic [  4:0] north_ready_o,
    output logic [ 84:0] north_data_o,
    output logic [  4:0] north_valid_o,
    input  logic [  4:0] north_ready_i
);
  localparam int unsigned East = 0;
  localparam int unsigned South = 1;
  localparam int unsigned West = 2;
  localparam int unsigned North = 3;

  // The track of side b that is wired to track t of side a.
  function automatic int unsigned link(input int unsigned a, input int unsigned t, input int unsigned b);
    link = t;
    case (4 * a + b)
      4 * West + North, 4 * North + West: link = (5 - t) % 5;
      4 * North + East, 4 * South + West: link = (t + 1) % 5;
      4 * East + North, 4 * West + South: link = (t + 4) % 5;
      4 * South + East, 4 * East + South: link = (8 - t) % 5;
      default: link = t;
    endcase
  endfunction

  // The place in the list of wires of the wire from track t of side a to side b.
  function automatic int unsigned order_key(input int unsigned a, input int unsigned t, input int unsigned b);
    order_key = 0;
    case (4 * a + b)
      4 * West + North: order_key = 16 * t + 1;
      4 * North + West: order_key = 16 * link(a, t, b) + 2;
      4 * North + East: order_key = 16 * t + 3;
      4 * East + North: order_key = 16 * link(a, t, b) + 4;
      4 * South + East: order_key = 16 * t + 5;
      4 * East + South: order_key = 16 * link(a, t, b) + 6;
      4 * West + South: order_key = 16 * t + 7;
      4 * South + West: order_key = 16 * link(a, t, b) + 8;
      4 * West + East: order_key = 16 * t + 9;
      4 * East + West: order_key = 16 * t + 10;
      4 * South + North: order_key = 16 * t + 11;
      4 * North + South: order_key = 16 * t + 12;
      default: order_key = 0;
    endcase
  endfunction

  // The select value by which output track u of side b takes the wire from side a.
  function automatic int unsigned select_of(input int unsigned a, input int unsigned b, input int unsigned u);
    select_of = 0;
    for (int unsigned c = 0; c < 4; c++) begin
      if (c != a && c != b && order_key(c, link(b, u, c), b) < order_key(a, link(b, u, a), b)) begin
        select_of = select_of + 1;
      end
    end
  endfunction

  // The side whose wire is input k of output track u of side b.
  function automatic int unsigned side_of(input int unsigned k, input int unsigned b, input int unsigned u);
    side_of = 0;
    for (int unsigned c = 0; c < 4; c++) begin
      if (c != b && select_of(c, b, u) == k) side_of = c;
    end
  endfunction

  // Where the fields of an output lie in words_i. n = 4*track + place of the side by name (E, N, S, W).
  // A select that does not fit into the rest of a word starts the next one: after n = 9 and n = 15.
  function automatic int unsigned name_place(input int unsigned side, input int unsigned track);
    name_place = 4 * track + ((side == East) ? 0 : (side == North) ? 1 : (side == South) ? 2 : 3);
  endfunction
  function automatic int unsigned enable_bit(input int unsigned n);
    enable_bit = 81 + 5 * n + ((n < 10) ? 0 : (n < 16) ? 1 : 3);
  endfunction
  function automatic int unsigned select_bit(input int unsigned n);
    select_bit = 82 + 5 * n + ((n < 9) ? 0 : (n < 15) ? 1 : 3);
  endfunction

  // The SB_IN enables have no function (ready joins use the sinks' enables), nor have the gaps.
  logic unused_words;
  assign unused_words = ^words_i;

  for (genvar b = 0; b < 4; b++) begin : g_side
    for (genvar u = 0; u < 5; u++) begin : g_track
      localparam int unsigned Name = name_place(b, u);
      localparam int unsigned EnableBit = enable_bit(Name);
      localparam int unsigned SelectBit = select_bit(Name);
      localparam int unsigned Side0 = side_of(0, b, u);
      localparam int unsigned Side1 = side_of(1, b, u);
      localparam int unsigned Side2 = side_of(2, b, u);
      localparam int unsigned Track0 = link(b, u, Side0);
      localparam int unsigned Track1 = link(b, u, Side1);
      localparam int unsigned Track2 = link(b, u, Side2);
      logic [16:0] in0_data, in1_data, in2_data, out_data;
      logic in0_valid, in1_valid, in2_valid, out_valid, out_ready;
      logic [5:0] waits;

      assign in0_data = (Side0 == East) ? east_data_i[17*Track0+:17] :
          (Side0 == South) ? south_data_i[17*Track0+:17] :
          (Side0 == West) ? west_data_i[17*Track0+:17] : north_data_i[17*Track0+:17];
      assign in1_data = (Side1 == East) ? east_data_i[17*Track1+:17] :
          (Side1 == South) ? south_data_i[17*Track1+:17] :
          (Side1 == West) ? west_data_i[17*Track1+:17] : north_data_i[17*Track1+:17];
      assign in2_data = (Side2 == East) ? east_data_i[17*Track2+:17] :
          (Side2 == South) ? south_data_i[17*Track2+:17] :
          (Side2 == West) ? west_data_i[17*Track2+:17] : north_data_i[17*Track2+:17];
      assign in0_valid = (Side0 == East) ? east_valid_i[Track0] : (Side0 == South) ? south_valid_i[Track0] :
          (Side0 == West) ? west_valid_i[Track0] : north_valid_i[Track0];
      assign in1_valid = (Side1 == East) ? east_valid_i[Track1] : (Side1 == South) ? south_valid_i[Track1] :
          (Side1 == West) ? west_valid_i[Track1] : north_valid_i[Track1];
      assign in2_valid = (Side2 == East) ? east_valid_i[Track2] : (Side2 == South) ? south_valid_i[Track2] :
          (Side2 == West) ? west_valid_i[Track2] : north_valid_i[Track2];

      onyx_sb_out u_out (
          .clk_i,
          .rst_ni,
          .stall_i,
          .enable_i     (words_i[EnableBit]),
          .sel_i        (words_i[SelectBit+:3]),
          .rmux_i       (words_i[60+Name]),
          .fifo_i       (words_i[3*Name+1]),
          .start_i      (words_i[3*Name+2]),
          .end_i        (words_i[3*Name]),
          .in0_data_i   (in0_data),
          .in0_valid_i  (in0_valid),
          .in1_data_i   (in1_data),
          .in1_valid_i  (in1_valid),
          .in2_data_i   (in2_data),
          .in2_valid_i  (in2_valid),
          .core0_data_i,
          .core0_valid_i,
          .core1_data_i,
          .core1_valid_i,
          .core2_data_i,
          .core2_valid_i,
          .wait_o       (waits),
          .out_data_o   (out_data),
          .out_valid_o  (out_valid),
          .out_ready_i  (out_ready)
      );

      if (b == East) begin : g_east
        assign east_data_o[17*u+:17] = out_data;
        assign east_valid_o[u] = out_valid;
        assign out_ready = east_ready_i[u];
      end else if (b == South) begin : g_south
        assign south_data_o[17*u+:17] = out_data;
        assign south_valid_o[u] = out_valid;
        assign out_ready = south_ready_i[u];
      end else if (b == West) begin : g_west
        assign west_data_o[17*u+:17] = out_data;
        assign west_valid_o[u] = out_valid;
        assign out_ready = west_ready_i[u];
      end else begin : g_north
        assign north_data_o[17*u+:17] = out_data;
        assign north_valid_o[u] = out_valid;
        assign out_ready = north_ready_i[u];
      end
    end
  end

  // Ready of arriving wire t of side a: its three switch-box sinks and the connection boxes.
  for (genvar a = 0; a < 4; a++) begin : g_join
    for (genvar t = 0; t < 5; t++) begin : g_wire
      localparam int unsigned Side0 = (a + 1) % 4;
      localparam int unsigned Side1 = (a + 2) % 4;
      localparam int unsigned Side2 = (a + 3) % 4;
      localparam int unsigned Track0 = link(a, t, Side0);
      localparam int unsigned Track1 = link(a, t, Side1);
      localparam int unsigned Track2 = link(a, t, Side2);
      localparam int unsigned Select0 = select_of(a, Side0, Track0);
      localparam int unsigned Select1 = select_of(a, Side1, Track1);
      localparam int unsigned Select2 = select_of(a, Side2, Track2);
      localparam int unsigned CbSelect = 4 * t + ((a == North) ? 0 : (a == South) ? 1 : (a == East) ? 2 : 3);
      logic ready;
      assign ready = ~(cb_wait_i[CbSelect]
          | g_side[Side0].g_track[Track0].waits[Select0]
          | g_side[Side1].g_track[Track1].waits[Select1]
          | g_side[Side2].g_track[Track2].waits[Select2]);
      if (a == East) begin : g_east
        assign east_ready_o[t] = ready;
      end else if (a == South) begin : g_south
        assign south_ready_o[t] = ready;
      end else if (a == West) begin : g_west
        assign west_ready_o[t] = ready;
      end else begin : g_north
        assign north_ready_o[t] = ready;
      end
    end
  end

  // Core outputs: any of the 20 may wait.
  logic [19:0] wait0, wait1, wait2;
  for (genvar b = 0; b < 4; b++) begin : g_core_side
    for (genvar u = 0; u < 5; u++) begin : g_core_track
      assign wait0[5*b+u] = g_side[b].g_track[u].waits[3];
      assign wait1[5*b+u] = g_side[b].g_track[u].waits[4];
      assign wait2[5*b+u] = g_side[b].g_track[u].waits[5];
    end
  end
  assign core_ready_o = {~(|wait2), ~(|wait1), ~(|wait0)};
endmodule
