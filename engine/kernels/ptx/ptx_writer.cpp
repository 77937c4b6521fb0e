// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <utility>

namespace meshreel {

PtxArgument::PtxArgument(float number)
    : text(fmt::format("0f{:08X}", std::bit_cast<std::uint32_t>(number))) {}

PtxArgument braced(std::span<const std::string> registers) {
    return fmt::format("{{{}}}", fmt::join(registers, ", "));
}

PtxArgument at(std::string_view address, std::size_t offset) {
    return offset == 0 ? fmt::format("[{}]", address) : fmt::format("[{}+{}]", address, offset);
}

PtxWriter::PtxWriter(std::string entry, std::size_t threads, std::size_t constantBytes, PtxTarget target)
    : m_entry(std::move(entry)), m_threads(threads), m_constantBytes(constantBytes), m_target(target) {}

std::string PtxWriter::unique(std::string_view name) {
    const int times = ++m_names[std::string(name)];
    return times == 1 ? std::string(name) : fmt::format("{}_{}", name, times);
}

std::string PtxWriter::add(std::string_view type, std::string_view name) {
    std::string made = "%" + unique(name);
    m_declarations += fmt::format("    .reg .{} {};\n", type, made);
    return made;
}

std::vector<std::string> PtxWriter::addMany(std::string_view type, std::string_view name, std::size_t count) {
    std::string stem = "%" + unique(name);
    // Drivers do not take a digit before the numbers that they count up.
    if (stem.back() >= '0' && stem.back() <= '9')
        stem += '_';
    m_declarations += fmt::format("    .reg .{} {}<{}>;\n", type, stem, count);
    std::vector<std::string> made;
    for (std::size_t index = 0; index < count; ++index)
        made.push_back(fmt::format("{}{}", stem, index));
    return made;
}

std::string PtxWriter::addShared(std::string_view name, std::size_t bytes) {
    constexpr std::size_t alignment = 128;  // all banks
    m_declarations += fmt::format("    .shared .align {} .b8 {}[{}];\n", alignment, name, bytes);
    std::string address = add("u32", name);
    write("mov.u32", {address, std::string(name)});
    return address;
}

std::string PtxWriter::addDynamicShared(std::string_view name) {
    m_ofModule += fmt::format(".extern .shared .align {} .b8 {}[];\n\n", dynamicAlignment, name);
    std::string address = add("u32", name);
    write("mov.u32", {address, std::string(name)});
    note("What is asked for is no promise: cards place it at multiples of 16 bytes at least.");
    write("add.u32", {address, address, dynamicAlignment - 1});
    write("and.b32", {address, address, ~(dynamicAlignment - 1)});
    return address;
}

PtxThread PtxWriter::addThread() {
    PtxThread place{add("u32", "thread"), add("u32", "lane"), add("u32", "warp")};
    write("mov.u32", {place.thread, "%tid.x"});
    write("and.b32", {place.lane, place.thread, 31});
    write("shr.u32", {place.warp, place.thread, 5});
    return place;
}

std::string PtxWriter::newLabel(std::string_view name) {
    return unique(name);
}

void PtxWriter::note(std::string_view text) {
    m_body += fmt::format("    // {}\n", text);
}

void PtxWriter::label(std::string_view name) {
    m_body += fmt::format("{}:\n", name);
}

void PtxWriter::write(std::string_view opcode, std::initializer_list<PtxArgument> arguments) {
    m_body += fmt::format("    {}", opcode);
    for (const char* between = " "; const PtxArgument& argument : arguments) {
        m_body += between + argument.text;
        between = ", ";
    }
    m_body += ";\n";
}

void PtxWriter::writeIf(std::string_view predicate, std::string_view opcode,
                        std::initializer_list<PtxArgument> arguments) {
    write(fmt::format("@{} {}", predicate, opcode), arguments);
}

void PtxWriter::writeUnless(std::string_view predicate, std::string_view opcode,
                            std::initializer_list<PtxArgument> arguments) {
    write(fmt::format("@!{} {}", predicate, opcode), arguments);
}

std::string PtxWriter::load(std::string_view type, std::string_view name, std::size_t offset) {
    std::string made = add(type, name);
    write(fmt::format("ld.param.{}", type), {made, at("constants", offset)});
    return made;
}

std::string PtxWriter::text() const {
    const bool isHopper = m_target == PtxTarget::Sm90a;
    // A block a processor: what setmaxnreg shares out is known then.
    return fmt::format(
        ".version {}\n.target {}\n.address_size 64\n\n{}"
        ".visible .entry {}(.param .align 8 .b8 constants[{}])\n.reqntid {}, 1, 1\n{}{{\n{}\n{}    "
        "ret;\n}}\n",
        isHopper ? "8.0" : "7.0", isHopper ? "sm_90a" : "sm_80", m_ofModule, m_entry, m_constantBytes,
        m_threads, isHopper ? ".minnctapersm 1\n" : "", m_declarations, m_body);
}

}  // namespace meshreel
