// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/pickle.h"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

using Index = Pickle::Index;
using Kind = Pickle::Kind;
using Node = Pickle::Node;

constexpr int oldestProtocol = 2;
constexpr int newestProtocol = 5;
constexpr std::size_t longestLine = 512;

/// Python's pickle opcodes that data needs (pickletools.py lists them all).
enum class Op : std::uint8_t {
    Mark = '(',
    Stop = '.',
    Pop = '0',
    PopMark = '1',
    BinFloat = 'G',
    BinInt = 'J',
    BinInt1 = 'K',
    BinInt2 = 'M',
    None = 'N',
    BinPersistentId = 'Q',
    Reduce = 'R',
    BinString = 'T',
    ShortBinString = 'U',
    BinUnicode = 'X',
    Append = 'a',
    Build = 'b',
    Global = 'c',
    Appends = 'e',
    BinGet = 'h',
    LongBinGet = 'j',
    BinPut = 'q',
    LongBinPut = 'r',
    SetItem = 's',
    Tuple = 't',
    SetItems = 'u',
    EmptyDict = '}',
    EmptyList = ']',
    EmptyTuple = ')',
    BinBytes = 'B',
    ShortBinBytes = 'C',
    Proto = 0x80,
    NewObject = 0x81,
    Tuple1 = 0x85,
    Tuple2 = 0x86,
    Tuple3 = 0x87,
    NewTrue = 0x88,
    NewFalse = 0x89,
    Long1 = 0x8A,
    ShortBinUnicode = 0x8C,
    BinUnicode8 = 0x8D,
    StackGlobal = 0x93,
    Memoize = 0x94,
    Frame = 0x95,
};

class PickleReader {
  public:
    PickleReader(std::span<const std::byte> bytes, const std::string& where,
                 bool (*allowed)(std::string_view global))
        : m_reader(bytes, where), m_allowed(allowed) {}

    Pickle read() {
        if (Op(m_reader.number<std::uint8_t>()) != Op::Proto)
            m_reader.fail(sentence("the pickle does not start with its protocol"));
        const int protocol = m_reader.number<std::uint8_t>();
        if (protocol < oldestProtocol || protocol > newestProtocol)
            m_reader.fail(sentence("the pickle has protocol {}; {} to {} are read", protocol, oldestProtocol,
                                   newestProtocol));
        for (;;) {
            const Op op{m_reader.number<std::uint8_t>()};
            if (op == Op::Stop)
                break;
            if (!readValue(op) && !readStructure(op) && !readMemo(op))
                m_reader.fail(sentence("the pickle holds the instruction 0x{:02X}, which weights do not need",
                                       static_cast<int>(op)));
        }
        m_pickle.root = pop();
        return std::move(m_pickle);
    }

  private:
    void push(Node node) {
        m_pickle.nodes.push_back(std::move(node));
        m_stack.push_back(static_cast<Index>(m_pickle.nodes.size() - 1));
    }

    void pushInteger(std::int64_t value, Kind kind = Kind::Integer) {
        push({.kind = kind, .integer = value});
    }

    void pushText(std::uint64_t length) {
        push({.kind = Kind::Text, .text = std::string(m_reader.text(length))});
    }

    Index pop() {
        if (m_stack.empty())
            m_reader.fail(sentence("the pickle takes more from its stack than it put there"));
        const Index top = m_stack.back();
        m_stack.pop_back();
        return top;
    }

    /// The container on top of the stack, to be filled.
    Node& top(Kind kind) {
        if (m_stack.empty() || m_pickle.nodes[m_stack.back()].kind != kind)
            m_reader.fail(sentence("the pickle adds an item to something that takes none"));
        return m_pickle.nodes[m_stack.back()];
    }

    /// What lies above the last mark, which is taken away with it.
    std::vector<Index> popToMark() {
        const auto isMark = [&](Index index) { return m_pickle.nodes[index].kind == Kind::Mark; };
        const auto mark = std::find_if(m_stack.rbegin(), m_stack.rend(), isMark);
        if (mark == m_stack.rend())
            m_reader.fail(sentence("the pickle goes back to a mark that it did not set"));
        std::vector<Index> items(mark.base(), m_stack.end());
        m_stack.erase(mark.base() - 1, m_stack.end());
        return items;
    }

    void pushTuple(std::size_t count) {
        std::vector<Index> items(count);
        for (std::size_t i = count; i-- > 0;)
            items[i] = pop();
        push({.kind = Kind::Tuple, .items = std::move(items)});
    }

    bool readValue(Op op) {
        switch (op) {
            case Op::None:
                push({.kind = Kind::None});
                return true;
            case Op::NewTrue:
                pushInteger(1, Kind::Bool);
                return true;
            case Op::NewFalse:
                pushInteger(0, Kind::Bool);
                return true;
            case Op::BinInt:
                pushInteger(m_reader.number<std::int32_t>());
                return true;
            case Op::BinInt1:
                pushInteger(m_reader.number<std::uint8_t>());
                return true;
            case Op::BinInt2:
                pushInteger(m_reader.number<std::uint16_t>());
                return true;
            case Op::Long1:
                readLong();
                return true;
            case Op::BinFloat:
                readFloat();
                return true;
            case Op::ShortBinString:
            case Op::ShortBinBytes:
            case Op::ShortBinUnicode:
                pushText(m_reader.number<std::uint8_t>());
                return true;
            case Op::BinString:
            case Op::BinBytes:
            case Op::BinUnicode:
                pushText(m_reader.number<std::uint32_t>());
                return true;
            case Op::BinUnicode8:
                pushText(m_reader.number<std::uint64_t>());
                return true;
            case Op::Global: {
                const std::string module(readLine());
                pushGlobal(module + "." + std::string(readLine()));
                return true;
            }
            case Op::StackGlobal:
                readStackGlobal();
                return true;
            default:
                return false;
        }
    }

    bool readStructure(Op op) {
        switch (op) {
            case Op::Mark:
                push({.kind = Kind::Mark});
                return true;
            case Op::Pop:
                pop();
                return true;
            case Op::PopMark:
                popToMark();
                return true;
            case Op::EmptyDict:
                push({.kind = Kind::Dict});
                return true;
            case Op::EmptyList:
                push({.kind = Kind::List});
                return true;
            case Op::EmptyTuple:
                pushTuple(0);
                return true;
            case Op::Tuple1:
                pushTuple(1);
                return true;
            case Op::Tuple2:
                pushTuple(2);
                return true;
            case Op::Tuple3:
                pushTuple(3);
                return true;
            case Op::Tuple: {
                std::vector<Index> items = popToMark();
                push({.kind = Kind::Tuple, .items = std::move(items)});
                return true;
            }
            case Op::Append:
                addTo(Kind::List, {pop()});
                return true;
            case Op::Appends:
                addTo(Kind::List, popToMark());
                return true;
            case Op::SetItem: {
                const Index value = pop();
                addTo(Kind::Dict, {pop(), value});
                return true;
            }
            case Op::SetItems:
                addTo(Kind::Dict, popToMark());
                return true;
            case Op::Reduce:
                readCall();
                return true;
            case Op::Build:
                readBuild();
                return true;
            case Op::BinPersistentId: {
                const Index id = pop();
                push({.kind = Kind::Persistent, .items = {id}});
                return true;
            }
            case Op::Frame:
                m_reader.number<std::uint64_t>();
                return true;
            default:
                return false;
        }
    }

    bool readMemo(Op op) {
        switch (op) {
            case Op::BinPut:
                remember(m_reader.number<std::uint8_t>());
                return true;
            case Op::LongBinPut:
                remember(m_reader.number<std::uint32_t>());
                return true;
            case Op::Memoize:
                remember(static_cast<std::uint32_t>(m_memo.size()));
                return true;
            case Op::BinGet:
                recall(m_reader.number<std::uint8_t>());
                return true;
            case Op::LongBinGet:
                recall(m_reader.number<std::uint32_t>());
                return true;
            default:
                return false;
        }
    }

    void remember(std::uint32_t place) {
        const Index top = pop();
        m_stack.push_back(top);
        m_memo[place] = top;
    }

    void recall(std::uint32_t place) {
        const auto found = m_memo.find(place);
        if (found == m_memo.end())
            m_reader.fail(sentence("the pickle recalls number {}, which it did not store", place));
        m_stack.push_back(found->second);
    }

    void addTo(Kind kind, const std::vector<Index>& items) {
        if (kind == Kind::Dict && items.size() % 2 != 0)
            m_reader.fail(sentence("a dictionary of the pickle has a key without a value"));
        std::vector<Index>& all = top(kind).items;
        all.insert(all.end(), items.begin(), items.end());
    }

    void readLong() {
        const auto bytes = m_reader.take(m_reader.number<std::uint8_t>());
        if (bytes.size() > sizeof(std::int64_t))
            m_reader.fail(sentence("the pickle holds a number of more than 64 bits"));
        std::uint64_t value = 0;
        for (std::size_t i = bytes.size(); i-- > 0;)
            value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
        if (!bytes.empty() && bytes.size() < sizeof(value) &&
            (bytes.back() & std::byte{0x80}) != std::byte{0})
            value |= ~std::uint64_t{0} << (8U * bytes.size());
        pushInteger(static_cast<std::int64_t>(value));
    }

    /// Big-endian, as no other number of a pickle.
    void readFloat() {
        const auto bytes = m_reader.take(sizeof(double));
        std::uint64_t bits = 0;
        for (const std::byte byte : bytes)
            bits = bits << 8U | std::to_integer<std::uint64_t>(byte);
        push({.kind = Kind::Float, .number = std::bit_cast<double>(bits)});
    }

    std::string_view readLine() {
        const std::size_t begin = m_reader.position();
        const std::string_view ahead = m_reader.text(std::min(m_reader.left(), longestLine));
        const std::size_t length = ahead.find('\n');
        if (length == std::string_view::npos)
            m_reader.fail(sentence("a name in the pickle has no end"));
        m_reader.moveTo(begin + length + 1);
        return ahead.substr(0, length);
    }

    void readStackGlobal() {
        const Index name = pop();
        const Index module = pop();
        if (m_pickle.nodes[name].kind != Kind::Text || m_pickle.nodes[module].kind != Kind::Text)
            m_reader.fail(sentence("the pickle names a global by something else than texts"));
        // Texts are recalled by an instruction of two bytes, however long they are.
        requireWithin(Limit::TensorName,
                      m_pickle.nodes[module].text.size() + m_pickle.nodes[name].text.size(),
                      m_reader.where());
        pushGlobal(m_pickle.nodes[module].text + "." + m_pickle.nodes[name].text);
    }

    void pushGlobal(std::string name) {
        if (!m_allowed(name))
            throw Error(
                ErrorKind::Input,
                sentence("the pickle wants \"{}\", which weights do not need; it was not called",
                         excerpt(name, longestLine / 4)),
                m_reader.where(),
                sentence(
                    "Do not trust this file; get the weights as safetensors, or save only the state dict"));
        push({.kind = Kind::Global, .text = std::move(name)});
    }

    void readCall() {
        const Index arguments = pop();
        const Index function = pop();
        if (m_pickle.nodes[function].kind != Kind::Global || m_pickle.nodes[arguments].kind != Kind::Tuple)
            m_reader.fail(sentence("the pickle calls something that is no constructor of weights"));
        // Items are added to an ordered dictionary as to a plain one.
        if (m_pickle.nodes[function].text == "collections.OrderedDict") {
            if (!m_pickle.nodes[arguments].items.empty())
                m_reader.fail(sentence("the pickle makes an OrderedDict from arguments"));
            push({.kind = Kind::Dict});
            return;
        }
        push({.kind = Kind::Call, .items = {function, arguments}});
    }

    /// The state of a dictionary (a module's _metadata) says nothing of the weights.
    void readBuild() {
        pop();
        top(Kind::Dict);
    }

    ByteReader m_reader;
    bool (*m_allowed)(std::string_view global);
    Pickle m_pickle;
    std::vector<Index> m_stack;
    std::map<std::uint32_t, Index> m_memo;
};

}  // namespace

Pickle readPickle(std::span<const std::byte> bytes, const std::string& where,
                  bool (*allowed)(std::string_view global)) {
    return PickleReader(bytes, where, allowed).read();
}

}  // namespace meshreel
