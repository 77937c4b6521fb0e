// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace meshreel {
namespace {

double microseconds(Trace::Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace

Trace::Span::Span(Trace* trace, std::string name, std::string category)
    : m_trace(trace), m_name(std::move(name)), m_category(std::move(category)), m_start(Clock::now()) {}

Trace::Span::Span(Span&& other) noexcept
    : m_trace(std::exchange(other.m_trace, nullptr)),
      m_name(std::move(other.m_name)),
      m_category(std::move(other.m_category)),
      m_start(other.m_start) {}

Trace::Span& Trace::Span::operator=(Span&& other) noexcept {
    if (this != &other) {
        end();
        m_trace = std::exchange(other.m_trace, nullptr);
        m_name = std::move(other.m_name);
        m_category = std::move(other.m_category);
        m_start = other.m_start;
    }
    return *this;
}

Trace::Span::~Span() {
    end();
}

void Trace::Span::end() {
    if (Trace* trace = std::exchange(m_trace, nullptr))
        trace->record(std::move(m_name), std::move(m_category), m_start);
}

Trace::Trace() : m_origin(Clock::now()) {}

Trace::Span Trace::span(std::string name, std::string category) {
    return {this, std::move(name), std::move(category)};
}

void Trace::record(std::string name, std::string category, Clock::time_point start) {
    const Clock::time_point end = Clock::now();
    const std::lock_guard lock(m_mutex);
    const int thread =
        m_threads.try_emplace(std::this_thread::get_id(), static_cast<int>(m_threads.size())).first->second;
    m_events.push_back({std::move(name), std::move(category), start - m_origin, end - start, thread});
}

std::string Trace::chromeJson() const {
    std::vector<Event> events;
    {
        const std::lock_guard lock(m_mutex);
        events = m_events;
    }
    std::ranges::stable_sort(events, {}, &Event::start);
    auto list = nlohmann::json::array();
    for (const Event& event : events)
        list.push_back({{"name", event.name},
                        {"cat", event.category},
                        {"ph", "X"},
                        {"ts", microseconds(event.start)},
                        {"dur", microseconds(event.length)},
                        {"pid", 1},
                        {"tid", event.thread}});
    return nlohmann::json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(list)}}.dump();
}

Trace::Span traceSpan(Trace* trace, std::string name, std::string category) {
    return trace ? trace->span(std::move(name), std::move(category)) : Trace::Span();
}

}  // namespace meshreel
