// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QAbstractAxis;
class QChart;
class QLogValueAxis;
class QValueAxis;

namespace meshreel {

/// What a vertical axis has to have room for.
struct ValueExtent {
    double from = 0;   ///< where a linear axis begins
    double least = 0;  ///< the lowest value, where a logarithmic axis begins
    double most = 0;   ///< the highest
};

/// The left axis of a chart, linear or logarithmic as its reader wishes.
class ScaledAxis : public QObject {
    Q_OBJECT

  public:
    explicit ScaledAxis(QChart* chart);
    ~ScaledAxis() override;

    /// The one at work.
    [[nodiscard]] QAbstractAxis* axis() const;
    void setTitle(const QString& title);
    void setExtent(const ValueExtent& extent);

    /// Whether a logarithm of all values can be taken.
    [[nodiscard]] bool canBeLogarithmic() const;
    [[nodiscard]] bool isLogarithmic() const { return m_isLogarithmic; }
    /// The series move to the other axis. Stays linear until it can be logarithmic.
    void setLogarithmic(bool logarithmic);

  signals:
    /// canBeLogarithmic() tells something else.
    void possibilityChanged();
    /// axis() is another one.
    void replaced();

  private:
    void fit();
    void placeTicks();
    void place();
    void replaceAxis();

    QChart* m_chart;
    QValueAxis* m_linear;
    QLogValueAxis* m_logarithmic;
    ValueExtent m_extent;
    int m_ticks = 0;  ///< of the linear axis; 0: not placed yet
    bool m_wanted = false;
    bool m_isLogarithmic = false;
};

}  // namespace meshreel
