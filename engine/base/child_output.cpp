// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/child_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

namespace meshreel {
namespace {

constexpr std::size_t pipeBlock = 65536;  // bytes, what a pipe holds

ssize_t readPipe(int descriptor, std::array<char, pipeBlock>& block) {
    ssize_t got = 0;
    do
        got = ::read(descriptor, block.data(), block.size());
    while (got < 0 && errno == EINTR);
    return got;
}

void doNotWait(int descriptor) {
    ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

std::string leftOutText(std::uint64_t bytes) {
    return fmt::format("… ({} bytes left out)", bytes);
}

std::vector<std::string_view> linesWithWords(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const std::string_view line = text.substr(0, end);
            line.find_first_not_of(" \t\r") != std::string_view::npos)
            lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

bool ChildText::read(int descriptor) {
    std::array<char, pipeBlock> block{};
    const ssize_t got = readPipe(descriptor, block);
    if (got > 0)
        add({block.data(), static_cast<std::size_t>(got)});
    return got > 0;
}

void ChildText::drain(int descriptor) {
    doNotWait(descriptor);
    for (std::uint64_t blocks = 2 * m_half / pipeBlock + 1; blocks > 0 && read(descriptor);)
        --blocks;
}

void ChildText::add(std::string_view bytes) {
    const std::size_t first = std::min<std::size_t>(bytes.size(), m_half - m_beginning.size());
    m_beginning += bytes.substr(0, first);
    m_end += bytes.substr(first);
    if (m_end.size() <= 2 * m_half)  // cut off rarely: each time moves the rest
        return;
    const std::size_t cut = m_end.size() - m_half;
    m_leftOut += cut;
    m_end.erase(0, cut);
}

std::string ChildText::text() const {
    const std::uint64_t cut = m_end.size() > m_half ? m_end.size() - m_half : 0;
    if (m_leftOut + cut == 0)
        return m_beginning + m_end;
    return fmt::format("{}\n{} …\n{}", m_beginning, leftOutText(m_leftOut + cut),
                       std::string_view(m_end).substr(cut));
}

std::string ChildText::firstLine() const {
    const std::string all = text();
    const std::vector<std::string_view> lines = linesWithWords(all);
    return lines.empty() ? std::string() : std::string(lines.front());
}

std::string ChildText::lastLine() const {
    const std::string all = text();
    const std::vector<std::string_view> lines = linesWithWords(all);
    return lines.empty() ? std::string() : std::string(lines.back());
}

ChildLines::ChildLines(int descriptor, std::uint64_t most) : m_descriptor(descriptor), m_most(most) {
    doNotWait(descriptor);
}

void ChildLines::read(const std::function<void(const std::string& line)>& onLine) {
    constexpr int mostBlocks = 16;
    std::array<char, pipeBlock> block{};
    for (int count = 0; count < mostBlocks && !m_atEnd; ++count) {
        const ssize_t got = readPipe(m_descriptor, block);
        if (got < 0)
            return;
        m_atEnd = got == 0;
        std::string_view rest(block.data(), static_cast<std::size_t>(got));
        for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos;
             rest.remove_prefix(end + 1)) {
            add(rest.substr(0, end));
            onLine(take());
        }
        add(rest);
    }
    if (m_atEnd && (!m_line.empty() || m_leftOut > 0))
        onLine(take());
}

void ChildLines::add(std::string_view bytes) {
    const std::size_t kept = std::min<std::size_t>(bytes.size(), m_most - m_line.size());
    m_line += bytes.substr(0, kept);
    m_leftOut += bytes.size() - kept;
}

std::string ChildLines::take() {
    std::string line = std::exchange(m_line, {});
    if (const std::uint64_t leftOut = std::exchange(m_leftOut, 0); leftOut > 0)
        line += leftOutText(leftOut);
    return line;
}

}  // namespace meshreel
