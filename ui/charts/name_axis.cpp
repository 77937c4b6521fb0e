// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/name_axis.h"

#include <QChart>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QHash>
#include <QScopedValueRollback>
#include <QSet>
#include <QTextDocument>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr int usualLetters = 24;

QStringList elided(const QStringList& names, const QFontMetricsF& letters, Qt::TextElideMode mode,
                   double room) {
    QStringList shortened;
    for (const QString& name : names)
        shortened += letters.elidedText(name, mode, room);
    return shortened;
}

qsizetype differing(const QStringList& names) {
    return QSet<QString>(names.begin(), names.end()).size();
}

/// How many letters all names begin with alike, up to the last whole word.
qsizetype sharedStart(const QStringList& names) {
    const QString& first = names.constFirst();
    qsizetype length = first.size();
    for (const QString& name : names) {
        const auto [end, other] =
            std::mismatch(first.begin(), first.begin() + length, name.begin(), name.end());
        length = end - first.begin();
    }
    while (length > 0 && (first[length - 1].isLetterOrNumber() || first[length - 1].isSurrogate()))
        --length;
    return length;
}

QStringList reversed(QStringList names) {
    for (QString& name : names)
        std::reverse(name.begin(), name.end());
    return names;
}

/// The names without the words that all of them begin and end with.
QStringList differingParts(const QStringList& names) {
    const QString gap(QChar(0x2026));  // …
    const qsizetype start = sharedStart(names);
    const qsizetype end = sharedStart(reversed(names));
    QStringList parts;
    for (const QString& name : names) {
        const QString part = name.mid(start, std::max<qsizetype>(0, name.size() - start - end));
        parts += (start > 0 ? gap : QString()) + part + (end > 0 ? gap : QString());
    }
    return parts;
}

/// The second of two different names that look the same gets "(2)" behind it.
QStringList numbered(const QStringList& names, const QStringList& shortened) {
    QStringList told;
    QHash<QString, QStringList> meant;
    for (qsizetype index = 0; index < names.size(); ++index) {
        QStringList& same = meant[shortened[index]];
        if (!same.contains(names[index]))
            same += names[index];
        const qsizetype number = same.indexOf(names[index]) + 1;
        told += number == 1 ? shortened[index] : QStringLiteral("%1 (%2)").arg(shortened[index]).arg(number);
    }
    return told;
}

}  // namespace

double usualNameRoom(const QFontMetricsF& letters) {
    return usualLetters * letters.averageCharWidth();
}

QStringList shortenedNames(const QStringList& names, const QFontMetricsF& letters, double room) {
    for (const Qt::TextElideMode mode : {Qt::ElideMiddle, Qt::ElideLeft, Qt::ElideRight}) {
        QStringList shortened = elided(names, letters, mode, room);
        if (differing(shortened) == differing(names))
            return shortened;
    }
    QStringList parts = elided(differingParts(names), letters, Qt::ElideMiddle, room);
    if (differing(parts) == differing(names))
        return parts;
    const double numberRoom = letters.horizontalAdvance(QStringLiteral(" (99)"));
    return numbered(names, elided(names, letters, Qt::ElideMiddle, room - numberRoom));
}

namespace {

constexpr double mostShare = 0.3;   ///< of the width, for the names
constexpr int leastPixels = 6;      ///< of letters, so that those who look closely can read them
constexpr double nameMargin = 0.5;  ///< pixels that Qt Charts keeps free around a label

/// The height of a label as Qt Charts lays it out.
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
