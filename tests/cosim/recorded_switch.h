/* recorded_switch.h - replays the register writes of a program of three images, recorded with the behaviour
 * of the chip's own netlist, on a chip with the accesses of onyx::Soc. */
#ifndef ONYX_TESTS_RECORDED_SWITCH_H
#define ONYX_TESTS_RECORDED_SWITCH_H

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/rtl_fabric/cmocka_cpp.h"

/* A line of a recording: register writes (W offset value cycle), reads of the program (R), and of the buffer
 * (BR address bytes value), what the host loads (L) and collects (D), resets, cycles without anything. */
template <class Chip> struct Trace {
    Chip chip;
    std::string hangs; /* the line whose value never came */

    void wait_for(uint64_t cycle) {
        while (chip.cycles() < cycle)
            chip.step();
    }
    /* The program repeats the read until the value appears. */
    bool reads(uint32_t at, uint32_t value) {
        for (unsigned looks = 0; looks < 1000; looks++)
            if (chip.read_register(at) == value)
                return true;
        return false;
    }
    void bytes(uint32_t address, std::istringstream &in, bool load) {
        std::vector<uint8_t> of_line, now;
        for (unsigned byte; in >> byte;)
            of_line.push_back(static_cast<uint8_t>(byte));
        now.resize(of_line.size());
        if (load)
            chip.load(address, of_line.data(), of_line.size());
        else
            chip.dump(address, now.data(), now.size());
        if (!load)
            assert_memory_equal(now.data(), of_line.data(), now.size());
    }
    bool line(const std::string &text) {
        std::istringstream in(text);
        std::string what;
        uint32_t at = 0, value = 0, third = 0;
        in >> what >> std::hex >> at;
        if (what == "RST") {
            chip.reset();
        } else if (what == "IDLE") {
            for (int i = 0; i < 60; i++)
                chip.step();
        } else if (what == "L" || what == "D") {
            bytes(at, in, what == "L");
        } else if (what == "W") {
            uint64_t cycle = 0;
            in >> value >> std::dec >> cycle;
            wait_for(cycle);
            chip.write_register(at, value);
        } else if (what == "R") {
            in >> value;
            return reads(at, value);
        } else {
            in >> value >> third;
            assert_string_equal(what.c_str(), "BR");
            assert_int_equal(chip.read_buffer(at, value), third);
        }
        return true;
    }
    bool play(const char *name) {
        std::ifstream file(std::string(ONYX_RECORDED_DIR "/runs/switch/") + name);
        for (std::string text; hangs.empty() && std::getline(file, text);)
            if (!line(text))
                hangs = text, print_message("%s: %s\n%s", name, text.c_str(), chip.describe_stuck().c_str());
        return file.is_open();
    }
};

#endif
