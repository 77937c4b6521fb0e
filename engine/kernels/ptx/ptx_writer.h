// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// An operand as PTX spells it: a register, a label, a number, or a float by its bits.
struct PtxArgument {
    std::string text;

    PtxArgument(std::string name) : text(std::move(name)) {}
    PtxArgument(const char* name) : text(name) {}
    PtxArgument(std::integral auto number) : text(std::to_string(number)) {}
    PtxArgument(float number);
};

/// "{%a0, %a1}".
PtxArgument braced(std::span<const std::string> registers);
/// "[%address+16]".
PtxArgument at(std::string_view address, std::size_t offset = 0);

/// Registers that say which thread of its block a thread is.
struct PtxThread {
    std::string thread;
    std::string lane;
    std::string warp;
};

/// Which cards a text is for.
enum class PtxTarget : std::uint8_t {
    /// `.target sm_80`, `.version 7.0`: drivers from 450 on compile it for compute capability 8.0 and all
    /// later ones.
    Sm80,
    /// `.target sm_90a`, `.version 8.0`: drivers from 525 on compile it for 9.0 alone, which has wgmma.
    Sm90a,
};

/// Writes the text of one kernel of PTX: a line an instruction, registers with names, and notes. The loops
/// of C++ around it unroll what PTX has no loop for.
///
/// All arguments are one block of bytes, `constants`, as shaders of Vulkan have push constants.
class PtxWriter {
  public:
    /// Patterns of swizzled rows repeat after as many bytes of shared memory.
    static constexpr std::uint32_t dynamicAlignment = 1024;

    PtxWriter(std::string entry, std::size_t threads, std::size_t constantBytes,
              PtxTarget target = PtxTarget::Sm80);

    /// Declares a register "%name", or "%name_2" where the name is taken.
    std::string add(std::string_view type, std::string_view name);
    /// Declares "%name0" and so on; "%name_2_0" where the name is taken.
    std::vector<std::string> addMany(std::string_view type, std::string_view name, std::size_t count);
    /// Declares static shared memory, of which a register gets the address.
    std::string addShared(std::string_view name, std::size_t bytes);
    /// Declares shared memory of which a launch says how much there is: a register gets the first address in
    /// it that is a multiple of dynamicAlignment, so that a launch gives as many bytes more than are used.
    std::string addDynamicShared(std::string_view name);
    /// Declares "%thread" of the block, its "%warp", and its "%lane" of that, and finds them.
    PtxThread addThread();
    /// Returns a label that nothing else has.
    std::string newLabel(std::string_view name);

    void note(std::string_view text);
    void label(std::string_view name);
    void write(std::string_view opcode, std::initializer_list<PtxArgument> arguments = {});
    void writeIf(std::string_view predicate, std::string_view opcode,
                 std::initializer_list<PtxArgument> arguments = {});
    void writeUnless(std::string_view predicate, std::string_view opcode,
                     std::initializer_list<PtxArgument> arguments = {});

    /// Declares a register and loads it with the constant at `offset`.
    std::string load(std::string_view type, std::string_view name, std::size_t offset);

    [[nodiscard]] std::string text() const;

  private:
    std::string unique(std::string_view name);

    std::string m_entry;
    std::size_t m_threads;
    std::size_t m_constantBytes;
    PtxTarget m_target;
    std::string m_ofModule;
    std::string m_declarations;
    std::string m_body;
    std::map<std::string, int, std::less<>> m_names;
};

}  // namespace meshreel
