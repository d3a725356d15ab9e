/* monolithic.h - a verilated onyx_array, all its tiles in a single model, with the interface of onyx::Array
 * (see rtl_models/soc/array_glue.h). Model is Verilator's class of onyx_monolithic.sv.in. */
#ifndef ONYX_TESTS_MONOLITHIC_H
#define ONYX_TESTS_MONOLITHIC_H

#include <cstdint>
#include <memory>
#include <type_traits>

#include "rtl_models/soc/array_units.h"
#include "verilated.h"

template <class Model, unsigned COLUMNS> class Monolithic {
    using Mask = typename std::remove_reference<decltype(Model::stall_i)>::type;
    static constexpr uint32_t MASK = static_cast<uint32_t>((uint64_t{1} << COLUMNS) - 1);

  public:
    /* (The libraries in the model find the context by the thread.) */
    Monolithic() {
        Verilated::threadContextp(&context_);
        model_.reset(new Model(&context_));
        for (int level : {1, 0, 1}) { /* puts registers into their reset values from any state */
            model_->rst_ni = static_cast<CData>(level);
            model_->eval();
        }
    }
    ~Monolithic() {
        Verilated::threadContextp(&context_);
        model_->final();
    }
    Monolithic(const Monolithic &) = delete;
    Monolithic &operator=(const Monolithic &) = delete;

    void set_stall(uint32_t columns) { model_->stall_i = static_cast<Mask>(columns & MASK); }
    void flush(uint32_t groups) {
        model_->flush_i = static_cast<CData>(groups & ((1u << (COLUMNS + 3) / 4) - 1));
    }
    void config_write(uint32_t address, uint32_t data) {
        model_->cfg_addr_i = address;
        model_->cfg_data_i = data;
        model_->cfg_write_i = 1;
    }
    /* Puts a read on the bus for the next step. */
    void config_ask(uint32_t address) {
        model_->cfg_addr_i = address;
        model_->cfg_read_i = 1;
        model_->eval();
    }
    /* The bus value: rows up to 8 answer at once, lower rows after the next step. */
    uint32_t config_answer() const { return model_->cfg_rdata_o; }
    void to_array(unsigned column, bool valid, uint16_t data) {
        set_bit(model_->glb2io_valid_i, column, valid);
        EData &word = model_->glb2io_data_i[column / 2];
        unsigned shift = 16 * (column % 2);
        word = (word & ~(0xFFFFu << shift)) | static_cast<EData>(data) << shift;
    }
    bool to_array_ready(unsigned column) const { return (model_->glb2io_ready_o >> column & 1) != 0; }
    void from_array_ready(unsigned column, bool ready) { set_bit(model_->io2glb_ready_i, column, ready); }
    bool from_array_valid(unsigned column) const { return (model_->io2glb_valid_o >> column & 1) != 0; }
    uint16_t from_array_data(unsigned column) const {
        return static_cast<uint16_t>(model_->io2glb_data_o[column / 2] >> 16 * (column % 2));
    }
    bool step() {
        model_->clk_i = 1;
        model_->eval();
        model_->clk_i = 0;
        model_->cfg_write_i = 0;
        model_->cfg_read_i = 0;
        model_->flush_i = 0;
        model_->eval();
        return true;
    }
    /* As onyx::Array::hazards; of the fast view only. */
    uint32_t hazards(unsigned x, unsigned y) const {
        uint32_t raised = model_->rootp->onyx_monolithic__DOT__u_array__DOT__hazard[COLUMNS * y + x];
        return x % ONYX_MEM_PERIOD == ONYX_MEM_PHASE ? raised << onyx::FIRST_MEM_HAZARD : raised;
    }

  private:
    static void set_bit(Mask &word, unsigned bit, bool value) {
        word = static_cast<Mask>((word & ~(1u << bit)) | static_cast<uint32_t>(value) << bit);
    }
    VerilatedContext context_;
    std::unique_ptr<Model> model_;
};

#endif
