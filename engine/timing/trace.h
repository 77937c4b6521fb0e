// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
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

        /// A number that viewers show beside the span; `name` as in the file.
        void tell(std::string name, double number);
        /// Ends the span now; later calls do nothing.
        void end();

      private:
        friend class Trace;
        Span(Trace* trace, std::string name, std::string category);

        Trace* m_trace = nullptr;
        std::string m_name;
        std::string m_category;
        std::vector<std::pair<std::string, double>> m_numbers;
        Clock::time_point m_start;
    };

    /// While it exists, spans that end on its thread are recorded in the row of a device of the mesh.
    class DeviceRow {
      public:
        /// Does nothing without a trace.
        DeviceRow(Trace* trace, int device);
        DeviceRow(const DeviceRow&) = delete;
        DeviceRow& operator=(const DeviceRow&) = delete;
        ~DeviceRow();

      private:
        Trace* m_trace;
    };

    /// `process` is what viewers call this process.
    explicit Trace(std::string process = "meshreel");
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    [[nodiscard]] Span span(std::string name, std::string category = "engine");

    /// {"displayTimeUnit": "ms", "traceEvents": [names of the process and its rows, then complete events, in
    /// order of their starts]}; times in microseconds since the trace was made. The thread id of a device's
    /// row is its number in the mesh; those of threads that worked for no device follow behind the devices,
    /// in order of their first finished span.
    [[nodiscard]] std::string chromeJson() const;

  private:
    /// A device, or else a thread by the order of first finished spans.
    struct Row {
        bool isDevice = false;
        int number = 0;

        friend auto operator<=>(const Row&, const Row&) = default;
    };

    struct Event {
        std::string name;
        std::string category;
        std::vector<std::pair<std::string, double>> numbers;
        Clock::duration start;
        Clock::duration length;
        Row row;
    };

    void record(Span& span);
    [[nodiscard]] Row rowOfThisThread();

    const std::string m_process;
    const Clock::time_point m_origin;
    mutable std::mutex m_mutex;
    std::vector<Event> m_events;
    std::unordered_map<std::thread::id, int> m_threads;
    std::unordered_map<std::thread::id, int> m_devices;  ///< that threads work for at this time
};

/// Returns a span of `trace`, or one that measures nothing without a trace.
[[nodiscard]] Trace::Span traceSpan(Trace* trace, std::string_view name,
                                    std::string_view category = "engine");

/// A span as Trace::chromeJson() writes it.
struct TracedSpan {
    std::string name;
    std::string category;
    int thread = 0;      ///< counted from 0
    double start = 0;    ///< seconds since the trace was made
    double seconds = 0;  ///< length

    [[nodiscard]] double end() const { return start + seconds; }
};

/// Returns the complete events of a Chrome trace, in the order of the file; skips other events. Throws
/// Error{Input} when the text is not such a trace.
std::vector<TracedSpan> parseChromeTrace(std::string_view text);

}  // namespace meshreel
