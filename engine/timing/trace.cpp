// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/limits.h"

namespace meshreel {
namespace {

constexpr int processId = 1;

/// Tells viewers what a process or a thread is called.
nlohmann::json nameEvent(const char* what, int thread, const std::string& name) {
    return {{"name", what}, {"ph", "M"}, {"pid", processId}, {"tid", thread}, {"args", {{"name", name}}}};
}

double microseconds(Trace::Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

TracedSpan parseSpan(const nlohmann::json& event) {
    constexpr double secondsOfMicrosecond = 1e-6;
    return {.name = event.at("name").get<std::string>(),
            .category = event.value("cat", ""),
            .thread = event.at("tid").get<int>(),
            .start = event.at("ts").get<double>() * secondsOfMicrosecond,
            .seconds = event.at("dur").get<double>() * secondsOfMicrosecond};
}

/// Watches the parser: an event is taken out of the tree as soon as it ends, so that the tree stays small.
class EventCollector {
  public:
    /// Whether the value stays in the tree.
    bool keep(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
        using Event = nlohmann::json::parse_event_t;
        constexpr int eventDepth = 2;  // in the list in the whole
        if (event == Event::key && depth == 1)
            m_inList = value == "traceEvents";
        const bool isItem = m_inList && depth == eventDepth;
        if (isItem && event == Event::object_start)
            m_valuesBefore = m_values;
        if (isItem && (event == Event::value || event == Event::array_start))
            static_cast<void>(value.at("ph"));  // throws: it is no object
        requireWithin(Limit::JsonValues, ++m_values, {});
        if (!isItem || event != Event::object_end)
            return true;
        m_values = m_valuesBefore;
        if (value.at("ph") == "X")
            m_spans.push_back(parseSpan(value));
        requireWithin(Limit::TraceSpans, m_spans.size(), {});
        return false;
    }

    [[nodiscard]] std::vector<TracedSpan> spans() { return std::move(m_spans); }

  private:
    bool m_inList = false;
    std::uint64_t m_values = 0;  // of the tree
    std::uint64_t m_valuesBefore = 0;
    std::vector<TracedSpan> m_spans;
};

}  // namespace

Trace::Span::Span(Trace* trace, std::string name, std::string category)
    : m_trace(trace), m_name(std::move(name)), m_category(std::move(category)), m_start(Clock::now()) {}

Trace::Span::Span(Span&& other) noexcept
    : m_trace(std::exchange(other.m_trace, nullptr)),
      m_name(std::move(other.m_name)),
      m_category(std::move(other.m_category)),
      m_numbers(std::move(other.m_numbers)),
      m_start(other.m_start) {}

Trace::Span& Trace::Span::operator=(Span&& other) noexcept {
    if (this != &other) {
        end();
        m_trace = std::exchange(other.m_trace, nullptr);
        m_name = std::move(other.m_name);
        m_category = std::move(other.m_category);
        m_numbers = std::move(other.m_numbers);
        m_start = other.m_start;
    }
    return *this;
}

Trace::Span::~Span() {
    end();
}

void Trace::Span::tell(std::string name, double number) {
    if (m_trace != nullptr)
        m_numbers.emplace_back(std::move(name), number);
}

void Trace::Span::end() {
    if (Trace* trace = std::exchange(m_trace, nullptr))
        trace->record(*this);
}

Trace::DeviceRow::DeviceRow(Trace* trace, int device) : m_trace(trace) {
    if (m_trace == nullptr)
        return;
    const std::lock_guard lock(m_trace->m_mutex);
    m_trace->m_devices[std::this_thread::get_id()] = device;
}

Trace::DeviceRow::~DeviceRow() {
    if (m_trace == nullptr)
        return;
    const std::lock_guard lock(m_trace->m_mutex);
    m_trace->m_devices.erase(std::this_thread::get_id());
}

Trace::Trace(std::string process) : m_process(std::move(process)), m_origin(Clock::now()) {}

Trace::Span Trace::span(std::string name, std::string category) {
    return {this, std::move(name), std::move(category)};
}

void Trace::record(Span& span) {
    const Clock::time_point end = Clock::now();
    const std::lock_guard lock(m_mutex);
    m_events.push_back({.name = std::move(span.m_name),
                        .category = std::move(span.m_category),
                        .numbers = std::move(span.m_numbers),
                        .start = span.m_start - m_origin,
                        .length = end - span.m_start,
                        .row = rowOfThisThread()});
}

Trace::Row Trace::rowOfThisThread() {
    const std::thread::id self = std::this_thread::get_id();
    if (const auto device = m_devices.find(self); device != m_devices.end())
        return {.isDevice = true, .number = device->second};
    const auto next = static_cast<int>(m_threads.size());
    return {.isDevice = false, .number = m_threads.try_emplace(self, next).first->second};
}

std::string Trace::chromeJson() const {
    std::vector<Event> events;
    {
        const std::lock_guard lock(m_mutex);
        events = m_events;
    }
    std::ranges::stable_sort(events, {}, &Event::start);
    std::set<Row> rows;
    int devices = 0;
    for (const Event& event : events) {
        rows.insert(event.row);
        if (event.row.isDevice)
            devices = std::max(devices, event.row.number + 1);
    }
    const auto idOf = [devices](const Row& row) { return row.isDevice ? row.number : devices + row.number; };
    auto list = nlohmann::json::array({nameEvent("process_name", 0, m_process)});
    for (const Row& row : rows)
        list.push_back(nameEvent("thread_name", idOf(row),
                                 fmt::format("{} {}", row.isDevice ? "device" : "thread", row.number)));
    for (const Event& event : events) {
        list.push_back({{"name", event.name},
                        {"cat", event.category},
                        {"ph", "X"},
                        {"ts", microseconds(event.start)},
                        {"dur", microseconds(event.length)},
                        {"pid", processId},
                        {"tid", idOf(event.row)}});
        for (const auto& [name, number] : event.numbers)
            list.back()["args"][name] = number;
    }
    return nlohmann::json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(list)}}.dump();
}

Trace::Span traceSpan(Trace* trace, std::string name, std::string category) {
    return trace ? trace->span(std::move(name), std::move(category)) : Trace::Span();
}

std::vector<TracedSpan> parseChromeTrace(std::string_view text) {
    EventCollector collector;
    try {
        const nlohmann::json trace =
            nlohmann::json::parse(text, [&collector](int depth, auto event, const nlohmann::json& value) {
                return collector.keep(depth, event, value);
            });
        static_cast<void>(trace.at("traceEvents").get_ref<const nlohmann::json::array_t&>());
        return collector.spans();
    } catch (const nlohmann::json::exception& failure) {
        throw Error(ErrorKind::Input, sentence("This is not a Chrome trace: {}", failure.what()), {},
                    sentence("Repeat the run to get its trace.json again"));
    }
}

}  // namespace meshreel
