// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/base/written_text.h"

namespace meshreel {
namespace {

constexpr std::size_t yamlDepthLimit = 8;

constexpr std::string_view implicitTag = "?";
constexpr std::string_view quotedTag = "!";

/// Thrown to leave yaml-cpp's parser once nothing more is wanted of the text.
struct StopReading {};

Problem malformed(int line, Sentence message, Sentence hint) {
    return {.id = "yaml-malformed",
            .place = {.line = line},
            .message = std::move(message),
            .fixes = byHand(std::move(hint))};
}

std::string escapeText(unsigned codePoint) {
    return fmt::format("\\u{:04x}", codePoint);
}

constexpr char32_t highHalf = 0xD800;
constexpr char32_t lowHalf = 0xDC00;
constexpr char32_t lastHalf = 0xDFFF;
constexpr char32_t firstOfPairs = 0x10000;  // the first character that JSON writes in halves

/// JSON writes a character beyond U+FFFF as two escapes, the halves of a surrogate pair ("\ud83d\ude00"),
/// which yaml-cpp refuses. They pass it as escapes of private-use characters, "\U0010d83d\U0010de00", and are
/// joined in the scalar that it reads. Where it reads no escapes, as in a text without quotes, they become
/// again what they were.
class SurrogateEscapes {
  public:
    explicit SurrogateEscapes(std::string text) : m_text(std::move(text)) {
        const std::vector<std::size_t> halves = findHalves(m_text);
        const auto isFree = [this](const Plane& plane) {
            return m_text.find(plane.escape) == std::string::npos &&
                   m_text.find(plane.utf8) == std::string::npos;
        };
        const auto* const plane = std::ranges::find_if(planes, isFree);
        if (halves.empty() || plane == planes.end())
            return;
        m_plane = plane;
        std::string hidden;
        std::size_t copied = 0;
        for (const std::size_t half : halves) {
            hidden.append(m_text, copied, half - copied).append(plane->escape);
            copied = half + shortEscape.size();
        }
        m_text = hidden.append(m_text, copied);
    }

    /// For yaml-cpp.
    [[nodiscard]] const std::string& text() const { return m_text; }

    /// What a scalar that yaml-cpp read says. `alone` is set to a half without its other one.
    [[nodiscard]] std::string reveal(const std::string& scalar, std::optional<char32_t>& alone) const {
        if (m_plane == nullptr)
            return scalar;
        std::string text;
        std::optional<char32_t> high;
        for (std::size_t position = 0; position < scalar.size();) {
            const std::size_t begin = position;
            const char32_t half =
                nextCodePoint(scalar, position).value_or(replacementCharacter) - m_plane->offset;
            const bool isLow = half >= lowHalf && half <= lastHalf;
            if (high && !isLow)
                alone = std::exchange(high, std::nullopt);
            if (half >= highHalf && half < lowHalf)
                high = half;
            else if (!isLow)
                text.append(scalar, begin, position - begin);
            else if (high)
                appendUtf8(text, firstOfPairs + ((*std::exchange(high, std::nullopt) - highHalf) << 10U) +
                                     (half - lowHalf));
            else
                alone = half;
        }
        if (high)
            alone = high;
        for (std::size_t at = text.find(m_plane->escape); at != std::string::npos;
             at = text.find(m_plane->escape, at + shortEscape.size()))
            text.replace(at, m_plane->escape.size(), shortEscape);
        return text;
    }

  private:
    /// Characters for private use, one for each half.
    struct Plane {
        std::string_view escape;  ///< what their escapes begin with
        std::string_view utf8;    ///< what they begin with themselves
        char32_t offset;          ///< from a half to its character
    };
    static constexpr std::array<Plane, 2> planes{
        {{"\\U0010", "\xF4\x8D", 0x100000}, {"\\U000f", "\xF3\xBD", 0xF0000}}};
    static constexpr std::string_view shortEscape = "\\u";

    /// Where escapes of halves begin: "\ud83d".
    static std::vector<std::size_t> findHalves(std::string_view text) {
        constexpr std::string_view hexDigits = "0123456789abcdefABCDEF";
        std::vector<std::size_t> places;
        for (std::size_t at = text.find(shortEscape); at != std::string_view::npos;
             at = text.find(shortEscape, at + 1)) {
            const std::string_view digits = text.substr(at + shortEscape.size(), 4);
            if (digits.size() == 4 && (digits[0] == 'd' || digits[0] == 'D') && digits[1] >= '8' &&
                digits.find_first_not_of(hexDigits) == std::string_view::npos)
                places.push_back(at);
        }
        return places;
    }

    std::string m_text;
    const Plane* m_plane = nullptr;
};

/// Finds what yaml-cpp drops: the comments behind scalars without quotes, which stand in the text as they
/// are.
class CommentFinder {
  public:
    explicit CommentFinder(const std::string& text) : m_text(text) {
        m_lines.push_back(text.size() -
                          withoutByteOrderMark(text).size());  // yaml-cpp counts columns behind it
        for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
            m_lines.push_back(at + 1);
    }

    /// Goes behind the scalar that begins at the mark, and says whether it found it.
    bool passScalar(const YAML::Mark& mark, const std::string& scalar) {
        m_at = std::string::npos;
        if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= m_lines.size())
            return false;
        std::size_t at = m_lines[static_cast<std::size_t>(mark.line)] + static_cast<std::size_t>(mark.column);
        // Lines are folded: only the words are as they were.
        for (std::size_t word = scalar.find_first_not_of(blanks); word != std::string::npos;) {
            const std::size_t end = std::min(scalar.find_first_of(blanks, word), scalar.size());
            at = std::min(m_text.find_first_not_of(blanks, at), m_text.size());
            if (m_text.compare(at, end - word, scalar, word, end - word) != 0)
                return false;
            at += end - word;
            word = scalar.find_first_not_of(blanks, end);
        }
        m_at = at;
        return true;
    }

    /// Goes behind the colon of the key that was passed last.
    bool passColon() {
        if (m_at >= m_text.size() || m_text[m_at] != ':')
            return false;
        ++m_at;
        return true;
    }

    /// The comment from here on this line, with the blanks before it.
    [[nodiscard]] std::string comment() const {
        const std::size_t mark = m_text.find_first_not_of(" \t", m_at);
        if (mark == std::string::npos || mark == m_at || m_text[mark] != '#')
            return {};
        const std::string rest = m_text.substr(m_at, m_text.find('\n', m_at) - m_at);
        return rest.substr(0, rest.find_last_not_of(blanks) + 1);
    }

    [[nodiscard]] int line() const {
        return static_cast<int>(std::ranges::upper_bound(m_lines, m_at) - m_lines.begin());
    }

  private:
    static constexpr std::string_view blanks = " \t\r\n";

    const std::string& m_text;
    std::vector<std::size_t> m_lines;  // where they begin
    std::size_t m_at = std::string::npos;
};

class TreeBuilder : public YAML::EventHandler {
  public:
    TreeBuilder(YamlTree& tree, const SurrogateEscapes& escapes)
        : m_tree(tree), m_escapes(escapes), m_comments(escapes.text()) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
        YamlNode node = started(mark, YamlNode::Kind::Null);
        if (m_comments.passColon())
            noteComment(node);
        add(std::move(node));
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        report(lineOf(mark), sentence("This is a YAML alias, which a project cannot hold"),
               sentence("Write the value out in full"));
        add(mark, YamlNode::Kind::Refused);
    }

    void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
        report(lineOf(mark), sentence("\"&{}\" is a YAML anchor, which a project cannot hold", name),
               sentence("Remove it and write each value out in full"));
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  const std::string& value) override {
        refuseTag(mark, tag);
        YamlNode node = started(mark, YamlNode::Kind::Scalar);
        std::optional<char32_t> alone;
        node.text = m_escapes.reveal(value, alone);
        if (alone)
            report(lineOf(mark),
                   sentence("{} is one half of a character", escapeText(static_cast<unsigned>(*alone))),
                   sentence("Write both halves, as in {}, or remove it", R"("\ud83d\ude00")"));
        if (std::erase(node.text, '\0') > 0)
            report(lineOf(mark), sentence("The text holds the control character U+{:04X}", 0U),
                   sentence("Remove it"));
        node.quoted = tag == quotedTag;
        if (!node.quoted && m_comments.passScalar(mark, value))
            noteComment(node);
        add(std::move(node));
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value style) override {
        open(mark, tag, style, YamlNode::Kind::List);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value style) override {
        open(mark, tag, style, YamlNode::Kind::Map);
    }
    void OnMapEnd() override { close(); }

  private:
    /// A list or map whose end has not come yet.
    struct Open {
        YamlNode node;
        bool hasKey = false;
        std::string key;
        int keyLine = 0;
        std::map<std::string, int> keyLines;
    };

    static int lineOf(const YAML::Mark& mark) { return mark.line + 1; }

    static YamlNode started(const YAML::Mark& mark, YamlNode::Kind kind) {
        YamlNode node;
        node.kind = kind;
        node.line = lineOf(mark);
        return node;
    }

    void noteComment(YamlNode& node) const {
        std::optional<char32_t> ignored;
        node.comment = m_escapes.reveal(m_comments.comment(), ignored);
        node.commentLine = m_comments.line();
    }

    void report(int line, Sentence message, Sentence hint) {
        m_tree.problems.push_back(malformed(line, std::move(message), std::move(hint)));
        if (m_tree.problems.size() >= problemLimit)
            throw StopReading();
    }

    void refuseTag(const YAML::Mark& mark, const std::string& tag) {
        if (tag != implicitTag && tag != quotedTag)
            report(lineOf(mark), sentence("\"{}\" is a YAML tag, which a project cannot hold", tag),
                   sentence("Remove it"));
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::EmitterStyle::value style,
              YamlNode::Kind kind) {
        refuseTag(mark, tag);
        if (m_open.size() >= yamlDepthLimit) {
            report(lineOf(mark), sentence("The lists and maps are more than {} deep", yamlDepthLimit),
                   sentence("A project is a flat list of keys"));
            throw StopReading();
        }
        Open opened;
        opened.node = started(mark, kind);
        opened.node.flow = style == YAML::EmitterStyle::Flow;
        m_open.push_back(std::move(opened));
    }

    void close() {
        YamlNode node = std::move(m_open.back().node);
        m_open.pop_back();
        add(std::move(node));
    }

    void add(const YAML::Mark& mark, YamlNode::Kind kind) { add(started(mark, kind)); }

    void add(YamlNode node) {
        if (m_open.empty()) {
            m_tree.root = std::move(node);
            return;
        }
        Open& parent = m_open.back();
        if (parent.node.kind == YamlNode::Kind::List) {
            parent.node.children.push_back(std::move(node));
            return;
        }
        if (!parent.hasKey) {
            beginEntry(parent, node);
            return;
        }
        parent.hasKey = false;
        node.key = std::move(parent.key);
        node.keyLine = parent.keyLine;
        parent.node.children.push_back(std::move(node));
    }

    void beginEntry(Open& parent, const YamlNode& keyNode) {
        if (keyNode.kind != YamlNode::Kind::Scalar && keyNode.kind != YamlNode::Kind::Refused)
            report(keyNode.line, sentence("A key must be a plain name"),
                   sentence("Write one key and its value on a line, key: value"));
        parent.hasKey = true;
        parent.key = keyNode.text;
        parent.keyLine = keyNode.line;
        const auto [first, isNew] = parent.keyLines.emplace(parent.key, parent.keyLine);
        if (!isNew)
            report(keyNode.line,
                   sentence("The key \"{}\" is already given at line {}", parent.key, first->second),
                   sentence("Keep one of them"));
    }

    YamlTree& m_tree;
    const SurrogateEscapes& m_escapes;
    CommentFinder m_comments;
    std::vector<Open> m_open;
};

int lineAt(const std::string& text, std::size_t offset) {
    return 1 + static_cast<int>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

/// Where the first of the controls lies that YAML does not allow. At U+0004 yaml-cpp would stop reading.
std::optional<std::size_t> firstForbiddenControl(const std::string& text) {
    const auto found = std::ranges::find_if(
        text, [](unsigned char byte) { return byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r'; });
    return found == text.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - text.begin()));
}

void parse(const std::string& text, YamlTree& tree) {
    const SurrogateEscapes escapes(text);
    std::istringstream stream(escapes.text());
    YAML::Parser parser(stream);
    TreeBuilder builder(tree, escapes);
    if (!parser.HandleNextDocument(builder))
        return;
    YamlTree rest;
    TreeBuilder second(rest, escapes);
    if (parser.HandleNextDocument(second))
        tree.problems.push_back(
            malformed(rest.root.line, sentence("A second YAML document begins here"),
                      sentence("A project is one document; remove the \"---\" line or what follows it")));
}

/// Old Macs ended lines with a carriage return alone, which YAML allows and yaml-cpp does not know.
std::string withLineFeeds(std::string text) {
    for (std::size_t at = text.find('\r'); at != std::string::npos; at = text.find('\r', at + 1))
        if (at + 1 == text.size() || text[at + 1] != '\n')
            text[at] = '\n';
    return text;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
    const auto found = std::ranges::find(children, name, &YamlNode::key);
    return found == children.end() ? nullptr : &*found;
}

namespace {

/// Returns the last line, up to this one, whose brackets are closed behind a " #" only; 0 when there is none.
/// Quotes are not looked at: the text is none that YAML can read.
int cutBracketLine(const std::string& text, int last) {
    int found = 0;
    int number = 0;
    std::istringstream lines(text);
    for (std::string line; number < last && std::getline(lines, line);) {
        ++number;
        const std::size_t mark = line.find(" #");
        if (mark == std::string::npos)
            continue;
        const auto opened = [&](std::string_view part) {
            return std::ranges::count_if(part, [](char c) { return c == '[' || c == '{'; }) -
                   std::ranges::count_if(part, [](char c) { return c == ']' || c == '}'; });
        };
        const std::string_view whole = line;
        if (opened(whole.substr(0, mark)) > 0 && opened(whole.substr(mark)) < 0)
            found = number;
    }
    return found;
}

/// Where a line up to `last`, not indented as words of a text may be, begins like a key whose colon, or the
/// space behind it, only looks like one: its number and the key, 0 and nothing where none does.
std::pair<int, std::string> otherColon(std::string_view text, int last) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    int number = 0;
    for (const std::string_view line : textLines(withoutByteOrderMark(text))) {
        if (++number > last)
            break;
        const PlainText plain = placedPlainText(line);
        const std::size_t colon = std::min(plain.text.find_first_not_of(letters), plain.text.size());
        if (colon == 0 || colon == plain.text.size() || plain.text[colon] != ':')
            continue;
        const std::string_view typed = line.substr(plain.origin[colon]);
        const bool isOther = !typed.starts_with(':');
        const bool hasOtherSpace = plain.text.substr(colon).starts_with(": ") && !typed.starts_with(": ");
        if (isOther || hasOtherSpace)
            return {number, plain.text.substr(0, colon)};
    }
    return {0, {}};
}

}  // namespace

YamlTree readYaml(const std::string& text) {
    YamlTree tree;
    const auto report = [&tree](int line, Sentence message, Sentence hint) {
        tree.problems.push_back(malformed(line, std::move(message), std::move(hint)));
    };
    if (text.size() > limitValue(Limit::Project)) {
        report(0,
               sentence("The project has {} bytes; at most {} are read", text.size(),
                        limitValue(Limit::Project)),
               sentence("Check that this is a project file"));
        return tree;
    }
    if (const auto offset = firstInvalidUtf8(text)) {
        report(lineAt(text, *offset), sentence("The text is not UTF-8"), sentence("Save the file as UTF-8"));
        return tree;
    }
    if (const auto offset = firstForbiddenControl(text)) {
        const auto code = static_cast<unsigned>(text[*offset]);
        report(lineAt(text, *offset), sentence("The text holds the control character U+{:04X}", code),
               code == 0 ? sentence("Remove it, and save the file as UTF-8")
                         : sentence("Remove it, or write {} in double quotes", escapeText(code)));
        return tree;
    }
    try {
        parse(withLineFeeds(text), tree);
    } catch (const StopReading&) {
        tree.root = {};
    } catch (const YAML::Exception& failure) {
        tree.root = {};
        const int line = failure.mark.is_null() ? 0 : failure.mark.line + 1;
        if (const int cut = cutBracketLine(text, line); cut > 0)
            report(cut,
                   sentence("This is not YAML: a bracket is not closed, because YAML takes what follows \" "
                            "#\" for a comment"),
                   sentence("Put the text with the # in quotes"));
        else if (const auto [typed, key] = otherColon(text, line); typed > 0)
            report(typed,
                   sentence("The colon behind {}, or the space after it, is that of another keyboard", key),
                   sentence("Write {}: with an ASCII colon and a space behind it", key));
        else
            report(line, sentence("This is not YAML: {}", failure.msg),
                   sentence("Write one key and its value on a line, key: value, and quote texts with special "
                            "characters"));
    }
    return tree;
}

namespace {

/// Texts that YAML 1.1 or 1.2 readers take for something else when they stand bare.
constexpr std::array<std::string_view, 10> reservedWords = {"~",  "null", "true", "false", "yes",
                                                            "no", "on",   "off",  "y",     "n"};

bool isReserved(const std::string& text) {
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::find(reservedWords, lower) != reservedWords.end();
}

/// C0 and C1 controls, line and paragraph separators, marks that turn the direction of writing, and the
/// byte-order mark.
bool needsEscape(char32_t codePoint) {
    return codePoint < 0x20 || (codePoint >= 0x7F && codePoint < 0xA0) ||
           (codePoint >= 0x2028 && codePoint <= 0x202E) || (codePoint >= 0x2066 && codePoint <= 0x2069) ||
           codePoint == 0xFEFF;
}

bool anyNeedsEscape(const std::string& text) {
    for (std::size_t position = 0; position < text.size();) {
        const std::optional<char32_t> codePoint = nextCodePoint(text, position);
        if (!codePoint || needsEscape(*codePoint))
            return true;
    }
    return false;
}

bool canStandBare(const std::string& text) {
    if (text.empty() || isReserved(text) || anyNeedsEscape(text))
        return false;
    const auto first = static_cast<unsigned char>(text.front());
    const bool safeStart = std::isalpha(first) != 0 || first >= 0x80 || first == '/' || first == '(';
    const bool startsPath = text.starts_with("~/");
    const bool endsBadly = text.back() == ' ' || text.back() == ':';
    const bool hasIndicator = text.find(": ") != std::string::npos || text.find(" #") != std::string::npos;
    return (safeStart || startsPath) && !endsBadly && !hasIndicator;
}

/// The character at `position`, which is moved behind it.
std::string takeEscaped(const std::string& text, std::size_t& position) {
    const std::size_t begin = position;
    const std::optional<char32_t> codePoint = nextCodePoint(text, position);
    switch (codePoint.value_or(replacementCharacter)) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\n':
            return "\\n";
        case '\t':
            return "\\t";
        case '\r':
            return "\\r";
        default:
            break;
    }
    if (!codePoint || needsEscape(*codePoint))
        return fmt::format("\\u{:04x}", static_cast<unsigned>(codePoint.value_or(replacementCharacter)));
    return text.substr(begin, position - begin);
}

}  // namespace

std::string yamlScalar(const std::string& text) {
    return canStandBare(text) ? text : yamlQuoted(text);
}

std::string yamlQuoted(const std::string& text) {
    std::string result = "\"";
    for (std::size_t position = 0; position < text.size();)
        result += takeEscaped(text, position);
    return result + "\"";
}

std::string yamlFlowScalar(const std::string& text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./~";
    return text.find_first_not_of(plain) == std::string::npos ? yamlScalar(text) : yamlQuoted(text);
}

namespace {

/// A scalar in brackets, where more than elsewhere ends a text without quotes; numbers stay bare.
std::string flowScalar(const YamlNode& node) {
    const std::string& text = node.text;
    const bool needsQuotes = node.quoted || text.find_first_of(",[]{}#:\"'") != std::string::npos ||
                             text.starts_with(' ') || text.ends_with(' ');
    return needsQuotes ? yamlQuoted(text) : text;
}

}  // namespace

std::string yamlFlowText(const YamlNode& node) {
    std::string text;
    switch (node.kind) {
        case YamlNode::Kind::Null:
        case YamlNode::Kind::Refused:
            return "null";
        case YamlNode::Kind::Scalar:
            return flowScalar(node);
        case YamlNode::Kind::List:
            for (const YamlNode& child : node.children)
                text += (text.empty() ? "" : ", ") + yamlFlowText(child);
            return "[" + text + "]";
        case YamlNode::Kind::Map:
            for (const YamlNode& child : node.children)
                text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", child.key, yamlFlowText(child));
            return "{" + text + "}";
    }
    return text;
}

}  // namespace meshreel
