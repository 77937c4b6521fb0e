// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/name_axis.h"

#include <QChart>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QScopedValueRollback>
#include <QTextDocument>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/chart_style.h"
#include "ui/charts/shortened_names.h"

namespace meshreel {

namespace {

constexpr double mostShare = 0.3;   ///< of the width, for the names
constexpr int leastPixels = 6;      ///< of letters, so that those who look closely can read them
constexpr double nameMargin = 0.5;  ///< pixels that Qt Charts keeps free around a label

/// Of a label, as Qt Charts lays it out.
double labelHeight(const QFont& font) {
    QTextDocument label;
    label.setDocumentMargin(nameMargin);
    label.setDefaultFont(font);
    label.setPlainText(QStringLiteral("8"));
    return label.size().height();
}

/// The chart's letters, made smaller for lines at this distance in pixels: for every second of them where
/// letters would be too small for all, and so on. Qt Charts leaves out those that overlap.
QFont lettersFor(double pitch) {
    for (double lines = pitch;; lines += pitch) {
        QFont font = ChartStyle::font();
        int pixels = QFontInfo(font).pixelSize();
        while (pixels > leastPixels && labelHeight(font) > std::floor(lines))
            font.setPixelSize(--pixels);
        if (pixels > leastPixels || labelHeight(font) <= std::floor(lines))
            return font;
    }
}

}  // namespace

NameAxis::NameAxis(QStringList names, QChart* chart)
    : QBarCategoryAxis(chart), m_names(std::move(names)), m_chart(*chart) {
    setTruncateLabels(false);
    fit();
    connect(chart, &QChart::plotAreaChanged, this, &NameAxis::fit);
}

void NameAxis::fit() {
    if (m_fitting || m_names.isEmpty())
        return;
    const QScopedValueRollback guard(m_fitting, true);
    QFont font = ChartStyle::font();
    double room = usualNameRoom(QFontMetricsF(font));
    if (const double height = m_chart.plotArea().height(); height > 0) {
        font = lettersFor(height / static_cast<double>(m_names.size()));
        const QMargins margins = m_chart.margins();
        room = std::min(room, mostShare * (m_chart.size().width() - margins.left() - margins.right()));
    }
    const QStringList shown = shortenedNames(m_names, QFontMetricsF(font), room);
    if (shown != categories())
        setCategories(shown);
    setLabelsFont(font);
}

QString categoryName(QBarCategoryAxis& axis, int index) {
    const auto* named = qobject_cast<NameAxis*>(&axis);
    return named == nullptr ? axis.categories().value(index) : named->nameAt(index);
}

}  // namespace meshreel
