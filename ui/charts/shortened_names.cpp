// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/shortened_names.h"

#include <QFontMetricsF>
#include <QHash>
#include <QSet>
#include <algorithm>

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

}  // namespace meshreel
