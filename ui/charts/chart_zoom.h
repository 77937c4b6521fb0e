// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

namespace meshreel {

/// A part of an axis.
struct AxisSpan {
    double low = 0;
    double high = 1;

    [[nodiscard]] double length() const { return high - low; }
    friend bool operator==(const AxisSpan&, const AxisSpan&) = default;
};

/// What part of their horizontal axis charts show, and which place on it is marked: shared by charts on whose
/// axis stands the same quantity.
class ChartZoom : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// None: all that each chart has.
    [[nodiscard]] const std::optional<AxisSpan>& part() const { return m_part; }
    void show(const std::optional<AxisSpan>& part);

    [[nodiscard]] const std::optional<double>& mark() const { return m_mark; }
    void setMark(const std::optional<double>& mark);

  signals:
    void partChanged();
    void markChanged();

  private:
    std::optional<AxisSpan> m_part;
    std::optional<double> m_mark;
};

}  // namespace meshreel
