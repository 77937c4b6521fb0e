// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "engine/project/utf8.h"

namespace meshreel {
namespace {

constexpr std::string_view implicitTag = "?";
constexpr std::string_view quotedTag = "!";

/// Thrown to leave yaml-cpp's parser once nothing more is wanted of the text.
struct StopReading {};

class TreeBuilder : public YAML::EventHandler {
  public:
    explicit TreeBuilder(YamlTree& tree) : m_tree(tree) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(mark, YamlNode::Kind::Null); }

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
        node.text = value;
        node.quoted = tag == quotedTag;
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

    void report(int line, Sentence message, Sentence hint) {
        m_tree.problems.push_back({.line = line, .message = std::move(message), .hint = std::move(hint)});
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
    std::vector<Open> m_open;
};

int lineAt(const std::string& text, std::size_t offset) {
    return 1 + static_cast<int>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

void parse(const std::string& text, YamlTree& tree) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(tree);
    if (!parser.HandleNextDocument(builder))
        return;
    YamlTree rest;
    TreeBuilder second(rest);
    if (parser.HandleNextDocument(second))
        tree.problems.push_back(
            {.line = rest.root.line,
             .message = sentence("A second YAML document begins here"),
             .hint = sentence("A project is one document; remove the \"---\" line or what follows it")});
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
    const auto found = std::ranges::find(children, name, &YamlNode::key);
    return found == children.end() ? nullptr : &*found;
}

YamlTree readYaml(const std::string& text) {
    YamlTree tree;
    const auto report = [&tree](int line, Sentence message, Sentence hint) {
        tree.problems.push_back({.line = line, .message = std::move(message), .hint = std::move(hint)});
    };
    if (text.size() > yamlSizeLimit) {
        report(0, sentence("The project has {} bytes; at most {} are read", text.size(), yamlSizeLimit),
               sentence("Check that this is a project file"));
        return tree;
    }
    if (const auto offset = firstInvalidUtf8(text)) {
        report(lineAt(text, *offset), sentence("The text is not UTF-8"), sentence("Save the file as UTF-8"));
        return tree;
    }
    try {
        parse(text, tree);
    } catch (const StopReading&) {
        tree.root = {};
    } catch (const YAML::Exception& failure) {
        tree.root = {};
        report(failure.mark.is_null() ? 0 : failure.mark.line + 1,
               sentence("This is not YAML: {}", failure.msg),
               sentence("Write one key and its value on a line, key: value, and quote texts with special "
                        "characters"));
    }
    return tree;
}

}  // namespace meshreel
