// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/ptx/ptx_complaint.h"
#include "tests/support/ptx/ptx_liveness.h"

namespace meshreel::testing {
namespace {

struct PtxToken {
    std::string_view text;  ///< empty at the end
    int line = 1;
};

bool isWordByte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '$' || byte == '%' || byte == '.';
}

/// Words (names, opcodes, directives, numbers) and single signs; comments are left out.
std::vector<PtxToken> tokensOf(std::string_view text, std::string_view file) {
    std::vector<PtxToken> tokens;
    int line = 1;
    for (std::size_t at = 0; at < text.size();) {
        const char byte = text[at];
        if (byte == '\n') {
            ++line;
            ++at;
        } else if (byte == ' ' || byte == '\t') {
            ++at;
        } else if (text.substr(at, 2) == "//") {
            at = std::min(text.find('\n', at), text.size());
        } else if (isWordByte(byte)) {
            const std::size_t begin = at;
            // Opcodes name state spaces as in shared::cta.
            while (at < text.size() && (isWordByte(text[at]) || text.substr(at, 2) == "::"))
                at += text[at] == ':' ? 2 : 1;
            tokens.push_back({text.substr(begin, at - begin), line});
        } else if (std::string_view("{}[]()<>,;:+-@!").find(byte) != std::string_view::npos) {
            tokens.push_back({text.substr(at++, 1), line});
        } else {
            throw PtxComplaint(file, line, fmt::format("'{}' has no meaning in PTX; remove it", byte));
        }
    }
    tokens.push_back({{}, line});
    return tokens;
}

constexpr std::array<std::pair<std::string_view, PtxSpecial>, 9> specials{{
    {"%tid.x", PtxSpecial::ThreadX},
    {"%ctaid.x", PtxSpecial::BlockX},
    {"%ctaid.y", PtxSpecial::BlockY},
    {"%ctaid.z", PtxSpecial::BlockZ},
    {"%nctaid.x", PtxSpecial::BlocksX},
    {"%nctaid.y", PtxSpecial::BlocksY},
    {"%nctaid.z", PtxSpecial::BlocksZ},
    {"%ntid.x", PtxSpecial::ThreadsX},
    {"%laneid", PtxSpecial::Lane},
}};

bool agrees(PtxType given, PtxType wanted) {
    if (given == PtxType::Pred || wanted == PtxType::Pred)
        return given == wanted;
    const auto isBits = [](PtxType type) {
        return type == PtxType::B16 || type == PtxType::B32 || type == PtxType::B64;
    };
    const bool mixesFloats = (given == PtxType::F32) != (wanted == PtxType::F32);
    return ptxTypeBytes(given) == ptxTypeBytes(wanted) && (isBits(given) || isBits(wanted) || !mixesFloats);
}

struct PtxParameter {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;
};

/// A label's users, until it is found.
struct PtxJump {
    std::string_view label;
    std::size_t instruction = 0;
    int line = 0;
};

class PtxParser {
  public:
    PtxParser(std::string_view text, std::string_view file) : m_tokens(tokensOf(text, file)), m_file(file) {}

    PtxProgram parse() {
        PtxProgram program{.file = std::string(m_file)};
        expect(".version");
        program.version = version();
        expect(".target");
        const PtxToken name = take();
        const auto targets = ptxTargets();
        const auto target = std::ranges::find(targets, name.text, &PtxTarget::name);
        if (target == targets.end())
            complain(name.line, "no card has the target {}; name one such as sm_80", name.text);
        if (program.version < target->version)
            complain(name.line, "the target {} needs .version {}.{}, and the text has {}.{}; raise it",
                     name.text, target->version / 10, target->version % 10, program.version / 10,
                     program.version % 10);
        program.target = target->target;
        program.sharedBytes = target->sharedBytes;
        program.isForHopperAlone = target->name == "sm_90a";
        m_version = program.version;
        m_target = *target;
        expect(".address_size");
        if (const PtxToken size = take(); size.text != "64")
            complain(size.line, "addresses have {} bits here; drivers of today take .address_size 64",
                     size.text);
        while (!peek().text.empty())
            if (peek().text == ".extern")
                dynamicShared();
            else
                program.entries.push_back(entry());
        if (program.entries.empty())
            complain(peek().line, "the text has no .visible .entry; nothing could be launched");
        return program;
    }

  private:
    template <typename... Parts>
    [[noreturn]] void complain(int line, fmt::format_string<Parts...> sentence, Parts&&... parts) const {
        throw PtxComplaint(m_file, line, fmt::format(sentence, std::forward<Parts>(parts)...));
    }

    [[nodiscard]] const PtxToken& peek() const { return m_tokens[m_at]; }
    PtxToken take() {
        const PtxToken token = m_tokens[m_at];
        if (!token.text.empty())
            ++m_at;
        return token;
    }
    bool accept(std::string_view text) {
        if (peek().text != text)
            return false;
        take();
        return true;
    }
    void expect(std::string_view text) {
        const PtxToken token = take();
        if (token.text != text)
            complain(token.line, "'{}' stands where PTX has '{}'", token.text, text);
    }

    std::uint32_t count() {
        const PtxToken token = take();
        std::uint32_t value = 0;
        const char* end = token.text.data() + token.text.size();
        if (const auto [stop, error] = std::from_chars(token.text.data(), end, value);
            error != std::errc{} || stop != end)
            complain(token.line, "'{}' stands where PTX has a number", token.text);
        return value;
    }

    int version() {
        const PtxToken token = take();
        if (token.text.size() != 3 || token.text[1] != '.')
            complain(token.line, "'{}' is no version of PTX; write one such as 7.0", token.text);
        const int number = (token.text[0] - '0') * 10 + (token.text[2] - '0');
        if (number < 10 || number > 90)
            complain(token.line, "PTX has no version {}; write one such as 7.0", token.text);
        return number;
    }

    void declare(const PtxToken& name) {
        if (name.text.empty() || !m_names.emplace(name.text).second)
            complain(name.line, "{} is declared twice; give one of them another name", name.text);
    }

    PtxEntry entry() {
        m_names.clear();
        m_registers.clear();
        m_parameters.clear();
        m_shared.clear();
        m_labels.clear();
        m_jumps.clear();
        expect(".visible");
        expect(".entry");
        PtxEntry made{.name = std::string(take().text)};
        m_entry = &made;
        if (!m_dynamic.empty()) {
            declare({m_dynamic, peek().line});
            m_shared[m_dynamic] = ptxDynamicBegin;
            made.takesDynamicBytes = true;
        }
        expect("(");
        if (!accept(")")) {
            do
                parameter();
            while (accept(","));
            expect(")");
        }
        const int begin = peek().line;
        while (peek().text != "{")
            directive();
        if (made.threads == 0)
            complain(begin, "{} does not say .reqntid; the registers of a block depend on its threads",
                     made.name);
        expect("{");
        while (!accept("}"))
            statement();
        close(begin);
        m_entry = nullptr;
        return made;
    }

    /// Shared memory of which the launch says how much there is.
    void dynamicShared() {
        expect(".extern");
        expect(".shared");
        expect(".align");
        count();
        expect(".b8");
        m_dynamic = take().text;
        expect("[");
        expect("]");
        expect(";");
    }

    void parameter() {
        expect(".param");
        std::uint32_t alignment = 0;
        if (accept(".align"))
            alignment = count();
        const PtxToken type = take();
        const PtxToken name = take();
        declare(name);
        std::uint32_t bytes = 0;
        if (type.text == ".b8") {
            expect("[");
            bytes = count();
            expect("]");
        } else {
            bytes = ptxTypeBytes(typeNamed(type));
            alignment = std::max(alignment, bytes);
        }
        if (!std::has_single_bit(alignment))
            complain(name.line, "{} has the alignment {}; write .align with a power of two", name.text,
                     alignment);
        PtxEntry& made = *m_entry;
        made.parameterBytes = (made.parameterBytes + alignment - 1) / alignment * alignment;
        m_parameters[name.text] = {made.parameterBytes, bytes};
        made.parameterBytes += bytes;
        constexpr std::uint32_t most = 4352;  // before PTX 8.1
        if (made.parameterBytes > most)
            complain(name.line, "the parameters take {} bytes, and a launch carries {}; pass an address",
                     made.parameterBytes, most);
    }

    void directive() {
        const PtxToken name = take();
        if (name.text == ".reqntid") {
            m_entry->threads = count();
            while (accept(","))
                m_entry->threads *= count();
            if (m_entry->threads == 0 || m_entry->threads > 1024 || m_entry->threads % ptxLanes != 0)
                complain(name.line, "a block of {} threads; take whole warps, 1024 at most",
                         m_entry->threads);
        } else if (name.text == ".minnctapersm") {
            m_entry->hasProcessorAlone = count() == 1;
        } else {
            complain(name.line, "the interpreter does not know the directive {}", name.text);
        }
    }

    PtxType typeNamed(const PtxToken& token) {
        for (int index = 0; index <= static_cast<int>(PtxType::S64); ++index)
            if (token.text.size() > 1 && token.text.substr(1) == ptxTypeName(static_cast<PtxType>(index)))
                return static_cast<PtxType>(index);
        complain(token.line, "{} is no type that the interpreter knows", token.text);
    }

    void statement() {
        const PtxToken first = take();
        if (first.text.empty())
            complain(first.line, "the text ends inside of {}; close it with a brace", m_entry->name);
        if (first.text == ".reg") {
            registers();
        } else if (first.text == ".shared") {
            shared();
        } else if (peek().text == ":") {
            take();
            declare(first);
            m_labels[first.text] = m_entry->instructions.size();
        } else {
            instruction(first);
        }
    }

    void registers() {
        const PtxType type = typeNamed(take());
        do {
            const PtxToken name = take();
            if (name.text.size() < 2 || name.text.front() != '%')
                complain(name.line, "the register {} needs a name that begins with %", name.text);
            if (!accept("<")) {
                addRegister(name, std::string(name.text), type);
                continue;
            }
            if (name.text.back() >= '0' && name.text.back() <= '9')
                complain(name.line, "drivers do not count up {}, which ends with a digit; add a letter to it",
                         name.text);
            const std::uint32_t many = count();
            expect(">");
            for (std::uint32_t index = 0; index < many; ++index)
                addRegister(name, fmt::format("{}{}", name.text, index), type);
        } while (accept(","));
        expect(";");
    }

    void addRegister(const PtxToken& at, std::string name, PtxType type) {
        if (m_registers.contains(name) || m_names.contains(std::string_view(name)))
            complain(at.line, "{} is declared twice; give one of them another name", name);
        m_registers[name] = static_cast<int>(m_entry->registers.size());
        m_entry->registers.push_back({std::move(name), type});
    }

    void shared() {
        expect(".align");
        const std::uint32_t alignment = count();
        expect(".b8");
        const PtxToken name = take();
        declare(name);
        if (m_entry->takesDynamicBytes)
            complain(
                name.line,
                "the interpreter has no place for {} beside {}, whose size the launch says; take one of them",
                name.text, m_dynamic);
        if (!std::has_single_bit(alignment) || alignment > 1024)
            complain(name.line, "{} has the alignment {}; write a power of two", name.text, alignment);
        expect("[");
        const std::uint32_t bytes = count();
        expect("]");
        expect(";");
        std::uint32_t& used = m_entry->sharedBytes;
        used = (used + alignment - 1) / alignment * alignment;
        m_shared[name.text] = used;
        used += bytes;
        if (used > ptxStaticSharedBytes)
            complain(name.line,
                     "static shared memory takes {} bytes, and a block has {}; take smaller tiles or fewer "
                     "stages",
                     used, ptxStaticSharedBytes);
    }

    int registerNamed(const PtxToken& name) {
        const auto found = m_registers.find(name.text);
        if (found == m_registers.end())
            complain(name.line, "{} is declared nowhere; add it to a .reg", name.text);
        return found->second;
    }

    void requireAgreement(const PtxToken& at, int index, PtxType wanted, std::string_view opcode) {
        const PtxRegister& given = m_entry->registers[static_cast<std::size_t>(index)];
        if (!agrees(given.type, wanted))
            complain(at.line, "{} takes a register of .{}, and {} is .{}", opcode, ptxTypeName(wanted),
                     given.name, ptxTypeName(given.type));
    }

    void instruction(PtxToken opcode) {
        PtxInstruction made{.line = opcode.line};
        if (opcode.text == "@") {
            made.guardIsNegated = accept("!");
            const PtxToken guard = take();
            made.guard = registerNamed(guard);
            requireAgreement(guard, made.guard, PtxType::Pred, "a guard");
            opcode = take();
        }
        const std::vector<const PtxForm*> forms = ptxForms(opcode.text);
        if (forms.empty())
            complain(opcode.line,
                     "the interpreter does not know {}; spell it as PTX does, or add a row to its table",
                     opcode.text);
        made.form = formThatFits(forms);
        requireExistence(opcode, *made.form);
        for (std::size_t index = 0; index < made.form->slots.size(); ++index) {
            if (index > 0)
                expect(",");
            made.operands.push_back(operand(made.form->slots[index], opcode.text));
        }
        if (peek().text != ";")
            complain(peek().line, "'{}' stands where {} ends with ';'", peek().text, opcode.text);
        take();
        requireNumbers(made);
        m_entry->instructions.push_back(std::move(made));
    }

    /// Of forms that differ in where they have braces, the one with braces where the text has them.
    [[nodiscard]] const PtxForm* formThatFits(const std::vector<const PtxForm*>& forms) const {
        std::vector<bool> hasBraces;
        bool isInside = false;
        bool isBegin = true;
        for (std::size_t at = m_at; at < m_tokens.size() && m_tokens[at].text != ";"; ++at) {
            const std::string_view text = m_tokens[at].text;
            if (isBegin)
                hasBraces.push_back(text == "{");
            isInside = text == "{" || (isInside && text != "}");
            isBegin = text == "," && !isInside;
        }
        const auto fits = [&](const PtxForm* form) {
            return std::ranges::equal(form->slots, hasBraces, [](const PtxSlot& slot, bool braces) {
                return (slot.kind == PtxSlot::Kind::Vector) == braces;
            });
        };
        const auto found = std::ranges::find_if(forms, fits);
        return found == forms.end() ? forms.front() : *found;
    }

    void requireExistence(const PtxToken& opcode, const PtxForm& form) const {
        if (m_version < form.version)
            complain(opcode.line, "{} needs .version {}.{}, and the text has {}.{}; raise it", opcode.text,
                     form.version / 10, form.version % 10, m_version / 10, m_version % 10);
        if (form.target == ptxHopperAlone) {
            if (m_target.name != "sm_90a")
                complain(opcode.line, "{} needs .target sm_90a, and the text is for {}; no other card has it",
                         opcode.text, m_target.name);
            return;
        }
        if (m_target.target < form.target)
            complain(opcode.line, "{} needs .target sm_{}, and the text is for {}; use what that card has",
                     opcode.text, form.target, m_target.name);
        if (form.operation == PtxOperation::NotCarriedOut)
            complain(opcode.line, "the interpreter knows {} by name and does not carry it out; teach it",
                     opcode.text);
    }

    void requireNumbers(const PtxInstruction& made) const {
        const auto number = [&](std::size_t index) { return made.operands[index].number; };
        if (made.form->operation == PtxOperation::CopyAsync && number(2) != 16)
            complain(made.line, "cp.async.cg copies 16 bytes, and the text says {}; write 16", number(2));
        const PtxOperation operation = made.form->operation;
        if (operation == PtxOperation::MultiplyGroupBf16)
            for (std::size_t index = 4; index < made.operands.size(); ++index)
                requireProductNumber(made, index);
        if (operation == PtxOperation::GiveRegisters || operation == PtxOperation::TakeRegisters) {
            if (number(0) < 24 || number(0) > 256 || number(0) % 8 != 0)
                complain(made.line, "setmaxnreg takes a multiple of 8 from 24 to 256, and the text says {}",
                         number(0));
            if (!m_entry->hasProcessorAlone)
                complain(made.line,
                         "a driver leaves setmaxnreg out where it does not know the registers at the begin; "
                         "say .minnctapersm 1");
        }
        if (operation == PtxOperation::Barrier && number(0) > 15)
            complain(made.line, "a block has the barriers 0 to 15, and the text says {}; write 0", number(0));
    }

    /// Behind the predicate of wgmma: signs of the factors, and which are transposed.
    void requireProductNumber(const PtxInstruction& made, std::size_t index) const {
        constexpr std::size_t firstSign = 4;
        const std::uint64_t number = made.operands[index].number;
        if (index < firstSign + 2 && number != 1)
            complain(made.line, "the interpreter negates no factor of {}; write 1", made.form->name);
        if (index >= firstSign + 2 && number > 1)
            complain(made.line, "a factor of {} is transposed or not, and the text says {}; write 0 or 1",
                     made.form->name, number);
    }

    PtxOperand operand(const PtxSlot& slot, std::string_view opcode) {
        switch (slot.kind) {
            case PtxSlot::Kind::Sink:
                expect("_");
                return {.kind = PtxOperand::Kind::Number};
            case PtxSlot::Kind::Vector:
                return vectorOperand(slot, opcode);
            case PtxSlot::Kind::Address:
                return addressOperand(slot, opcode);
            case PtxSlot::Kind::Label: {
                const PtxToken label = take();
                m_jumps.push_back({label.text, m_entry->instructions.size(), label.line});
                return {.kind = PtxOperand::Kind::Label};
            }
            case PtxSlot::Kind::Number:
                return numberOperand(PtxType::U32, opcode);
            case PtxSlot::Kind::Value:
                break;
        }
        const PtxToken next = peek();
        const bool isNumber =
            next.text == "-" || (!next.text.empty() && next.text[0] >= '0' && next.text[0] <= '9');
        if (isNumber) {
            if (!slot.takesNumber)
                complain(next.line, "{} takes a register where '{}' stands; move the number into one", opcode,
                         next.text);
            return numberOperand(slot.type, opcode);
        }
        take();
        const bool isWord = slot.type == PtxType::U32 && opcode == "mov.u32" && !slot.isWritten;
        for (const auto& [name, special] : specials)
            if (name == next.text) {
                if (!isWord)
                    complain(next.line, "only mov.u32 reads {}; move it into a register", next.text);
                return {.kind = PtxOperand::Kind::Special, .special = special};
            }
        if (const auto found = m_shared.find(next.text); found != m_shared.end()) {
            if (!isWord)
                complain(next.line, "only mov.u32 takes the address of {}; move it into a register",
                         next.text);
            return {.kind = PtxOperand::Kind::Number, .number = found->second};
        }
        const int index = registerNamed(next);
        requireAgreement(next, index, slot.type, opcode);
        return {.registers = {index}};
    }

    PtxOperand vectorOperand(const PtxSlot& slot, std::string_view opcode) {
        expect("{");
        PtxOperand made;
        const int line = peek().line;
        do {
            const PtxToken name = take();
            made.registers.push_back(registerNamed(name));
            requireAgreement(name, made.registers.back(), slot.type, opcode);
        } while (accept(","));
        expect("}");
        if (static_cast<int>(made.registers.size()) != slot.count)
            complain(line, "{} takes {} registers in braces, and {} stand there", opcode, slot.count,
                     made.registers.size());
        const std::set<int> different(made.registers.begin(), made.registers.end());
        if (slot.isWritten && different.size() != made.registers.size())
            complain(line, "{} writes a register twice; name different ones", opcode);
        return made;
    }

    PtxOperand addressOperand(const PtxSlot& slot, std::string_view opcode) {
        expect("[");
        PtxOperand made{.kind = PtxOperand::Kind::Address};
        const PtxToken base = take();
        std::optional<PtxParameter> parameter;
        if (const auto found = m_parameters.find(base.text); found != m_parameters.end()) {
            if (slot.space != PtxSlot::Space::Parameter)
                complain(base.line, "{} does not reach the parameter {}; load it with ld.param", opcode,
                         base.text);
            parameter = found->second;
            made.number = parameter->begin;
            made.registers = {-1};
        } else if (const auto variable = m_shared.find(base.text); variable != m_shared.end()) {
            if (slot.space != PtxSlot::Space::Shared)
                complain(base.line, "{} does not reach shared memory, where {} lies", opcode, base.text);
            made.number = variable->second;
            made.registers = {-1};
        } else {
            if (slot.space == PtxSlot::Space::Parameter)
                complain(base.line, "{} is no parameter of {}", base.text, m_entry->name);
            made.registers = {registerNamed(base)};
            requireAgreement(base, made.registers.front(),
                             slot.space == PtxSlot::Space::Shared ? PtxType::U32 : PtxType::U64,
                             fmt::format("the address of {}", opcode));
        }
        std::uint64_t added = 0;
        if (accept("+"))
            added = numberOperand(PtxType::S32, opcode).number;
        made.number +=
            static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(added)));
        if (parameter) {
            const PtxType type = ptxForms(opcode).front()->type;
            if (made.number % ptxTypeBytes(type) != 0 ||
                made.number + ptxTypeBytes(type) > parameter->begin + parameter->bytes)
                complain(base.line, "{} reads at byte {} of {}, behind its end or across its alignment",
                         opcode, added, base.text);
        }
        expect("]");
        return made;
    }

    PtxOperand numberOperand(PtxType type, std::string_view opcode) {
        const bool isNegative = accept("-");
        const PtxToken token = take();
        std::string_view digits = token.text;
        int base = 10;
        const bool isFloat = digits.starts_with("0f") || digits.starts_with("0F");
        if (isFloat || digits.starts_with("0x")) {
            digits.remove_prefix(2);
            base = 16;
        }
        std::uint64_t value = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (digits.empty() || error != std::errc{} || stop != digits.data() + digits.size())
            complain(token.line, "'{}' stands where {} has a number", token.text, opcode);
        if (isFloat != (type == PtxType::F32))
            complain(token.line, "{} takes {} where '{}' stands", opcode,
                     type == PtxType::F32 ? "bits of a float such as 0f3F800000" : "an integer", token.text);
        if (isFloat && (digits.size() != 8 || isNegative))
            complain(token.line, "the float '{}' needs eight digits and its sign among its bits", token.text);
        const std::uint64_t most = ptxTypeBytes(type) == 8 ? ~0ULL : 0xffffffffULL;
        if (value > most || (isNegative && value > most / 2 + 1))
            complain(token.line, "'{}' does not fit the {} bytes of {}", token.text, ptxTypeBytes(type),
                     opcode);
        return {.kind = PtxOperand::Kind::Number, .number = (isNegative ? ~value + 1 : value) & most};
    }

    void close(int begin) {
        PtxEntry& made = *m_entry;
        for (const PtxJump& jump : m_jumps) {
            const auto found = m_labels.find(jump.label);
            if (found == m_labels.end())
                complain(jump.line, "no label {} stands in {}; add it", jump.label, made.name);
            made.instructions[jump.instruction].operands.front().number = found->second;
        }
        const bool ends = !made.instructions.empty() &&
                          made.instructions.back().form->operation == PtxOperation::Return &&
                          made.instructions.back().guard < 0;
        if (!ends)
            complain(begin, "{} runs off its end; close it with ret", made.name);
        const PtxLiveness liveness = ptxLiveness(made);
        made.liveRegisters = liveness.most;
        made.sharedOutRegisters = ptxRegistersOfBlock / static_cast<int>(made.threads) / 8 * 8;
        if (liveness.unwritten >= 0)
            complain(begin, "{} may be read before it is written; set it first",
                     made.registers[static_cast<std::size_t>(liveness.unwritten)].name);
        const int room = std::min(ptxRegistersOfThread, ptxRegistersOfBlock / static_cast<int>(made.threads));
        if (const auto excess = ptxRegisterExcess(made, liveness, room))
            complain(
                excess->line,
                "{} registers hold something here, and a thread of {} has {}: the rest would lie in slow "
                "memory; take smaller tiles",
                excess->live, made.threads, excess->room);
    }

    std::vector<PtxToken> m_tokens;
    std::string_view m_file;
    std::size_t m_at = 0;
    int m_version = 0;
    PtxTarget m_target{};
    PtxEntry* m_entry = nullptr;
    std::string_view m_dynamic;
    std::set<std::string_view> m_names;
    std::map<std::string, int, std::less<>> m_registers;
    std::map<std::string_view, PtxParameter> m_parameters;
    std::map<std::string_view, std::uint32_t> m_shared;
    std::map<std::string_view, std::size_t> m_labels;
    std::vector<PtxJump> m_jumps;
};

}  // namespace

const PtxEntry& PtxProgram::entry(std::string_view name) const {
    const auto found = std::ranges::find(entries, name, &PtxEntry::name);
    if (found == entries.end())
        throw PtxComplaint(file, 1, fmt::format("there is no entry {}", name));
    return *found;
}

PtxProgram parsePtx(std::string_view text, std::string_view file) {
    return PtxParser(text, file).parse();
}

}  // namespace meshreel::testing
