// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/limits.h"

namespace meshreel {

/// What a child process writes to a pipe, however much that is: keeps the beginning and the end, together
/// Limit::ChildText.
class ChildText {
  public:
    explicit ChildText(std::uint64_t most = limitValue(Limit::ChildText)) : m_half(most / 2) {}

    /// Returns what the pipe gives at once; false at its end, and when it gives nothing without waiting.
    bool read(int descriptor);

    /// All that the pipe gives without waiting, which it is set not to do, but no more than the limit: a
    /// process may write faster than it is read.
    void drain(int descriptor);

    void add(std::string_view bytes);

    /// Returns the text; omitted output is replaced by "… (12 bytes left out) …", on a line of its own.
    [[nodiscard]] std::string text() const;

    /// Returns the first and the last line that have more than blanks; empty without one.
    [[nodiscard]] std::string firstLine() const;
    [[nodiscard]] std::string lastLine() const;

  private:
    std::uint64_t m_half;
    std::string m_beginning;
    std::string m_end;
    std::uint64_t m_leftOut = 0;
};

/// Splits a pipe's output into lines, the last one also without its end. A line has at most Limit::ChildLine;
/// it then says how much was left out.
class ChildLines {
  public:
    /// Sets the pipe not to wait.
    explicit ChildLines(int descriptor, std::uint64_t most = limitValue(Limit::ChildLine));

    [[nodiscard]] bool atEnd() const { return m_atEnd; }
    /// Returns the descriptor for poll(); -1 at the end.
    [[nodiscard]] int descriptor() const { return m_atEnd ? -1 : m_descriptor; }

    /// What the pipe gives without waiting, up to 1 MiB, so that a process that writes without end does not
    /// keep its reader from all else.
    void read(const std::function<void(const std::string& line)>& onLine);

  private:
    void add(std::string_view bytes);
    std::string take();

    int m_descriptor;
    std::uint64_t m_most;
    bool m_atEnd = false;
    std::string m_line;
    std::uint64_t m_leftOut = 0;
};

}  // namespace meshreel
