// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace meshreel {

/// Collects named time spans of any thread; written out in the Chrome trace event format
/// (chrome://tracing, Perfetto). All functions may be called from any thread.
class Trace {
  public:
    using Clock = std::chrono::steady_clock;

    /// Measures from its making to its end (or destruction). Outlives neither the trace nor its thread.
    class Span {
      public:
        /// Measures nothing.
        Span() = default;
        Span(Span&& other) noexcept;
        Span& operator=(Span&& other) noexcept;
        Span(const Span&) = delete;
        Span& operator=(const Span&) = delete;
        ~Span();

        /// Ends the span now; later calls do nothing.
        void end();

      private:
        friend class Trace;
        Span(Trace* trace, std::string name, std::string category);

        Trace* m_trace = nullptr;
        std::string m_name;
        std::string m_category;
        Clock::time_point m_start;
    };

    Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    [[nodiscard]] Span span(std::string name, std::string category = "engine");

    /// {"displayTimeUnit": "ms", "traceEvents": [complete events, in order of their starts]}; times in
    /// microseconds since the trace was made, thread ids counted from 0 in order of their first finished
    /// span.
    [[nodiscard]] std::string chromeJson() const;

  private:
    struct Event {
        std::string name;
        std::string category;
        Clock::duration start;
        Clock::duration length;
        int thread;
    };

    void record(std::string name, std::string category, Clock::time_point start);

    const Clock::time_point m_origin;
    mutable std::mutex m_mutex;
    std::vector<Event> m_events;
    std::unordered_map<std::thread::id, int> m_threads;
};

/// A span of `trace`, or one that measures nothing when there is no trace.
[[nodiscard]] Trace::Span traceSpan(Trace* trace, std::string name, std::string category = "engine");

}  // namespace meshreel
