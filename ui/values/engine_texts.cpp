// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/engine_texts.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/visible_text.h"
#include "engine/project/project_keys.h"

namespace meshreel {

namespace {

struct KeyTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::KeyTexts)
};

QString betweenText(const QString& low, const QString& high) {
    if (low.isEmpty() && high.isEmpty())
        return {};
    if (high.isEmpty())
        return KeyTexts::tr("at least %1").arg(low);
    if (low.isEmpty())
        return KeyTexts::tr("at most %1").arg(high);
    return KeyTexts::tr("%1 to %2", "range of values").arg(low, high);
}

/// Bounds that are those of the number type are no limits worth showing.
template <typename Number>
QString boundText(Number bound, Number unlimited) {
    return bound == unlimited ? QString() : QString::number(bound);
}

QString integerLimits(const IntegerRange& range) {
    using Limits = std::numeric_limits<std::int64_t>;
    QString text = betweenText(boundText<qlonglong>(range.minimum, Limits::min()),
                               boundText<qlonglong>(range.maximum, Limits::max()));
    if (range.step > 1)
        text = KeyTexts::tr("%1, step %2", "range and step").arg(text).arg(range.step);
    if (range.automatic)
        text = KeyTexts::tr("%1, or %2 for automatic", "range and special value")
                   .arg(text)
                   .arg(*range.automatic);
    return text;
}

QString realLimits(RealRange range) {
    using Limits = std::numeric_limits<double>;
    return betweenText(boundText(range.minimum, Limits::lowest()), boundText(range.maximum, Limits::max()));
}

}  // namespace

QString visibleText(const QString& text) {
    return QString::fromStdString(visibleText(std::string_view(text.toStdString())));
}

QString engineText(std::string_view english) {
    return QCoreApplication::translate("Engine", std::string(english).c_str());
}

QString sentenceText(const Sentence& sentence) {
    if (sentence.pattern().empty())
        return QString::fromStdString(visibleText(std::string_view(sentence.text())));
    std::vector<std::string> parts;
    for (const Sentence& part : sentence.parts())
        parts.push_back(sentenceText(part).toStdString());
    return QString::fromStdString(fillPattern(engineText(sentence.pattern()).toStdString(), parts));
}

QString withHint(const QString& what, const QString& hint) {
    return hint.isEmpty() ? what : KeyTexts::tr("%1. %2", "what is wrong and what to do").arg(what, hint);
}

QString titleOfKey(std::string_view keyName) {
    const ProjectKey* key = findProjectKey(keyName);
    return key == nullptr ? QString() : engineText(key->title);
}

QString problemText(const Problem& problem) {
    const QString title = titleOfKey(problem.key);
    const QString message = sentenceText(problem.message);
    const QString spelling = QString::fromStdString(problem.key);
    if (!title.isEmpty() && message.startsWith(spelling))
        return title + message.mid(spelling.size());  // "Width must be a multiple of 16, not 40"
    return title.isEmpty() ? message : KeyTexts::tr("%1: %2", "field and its problem").arg(title, message);
}

QString distinctTitle(const ProjectKey& key) {
    const bool isShared = std::ranges::count(projectKeys(), key.title, &ProjectKey::title) > 1;
    const QString title = engineText(key.title);
    return isShared ? KeyTexts::tr("%1 (%2)", "title of a setting, its section")
                          .arg(title, engineText(key.section))
                    : title;
}

QString limitsText(const ProjectKey& key) {
    if (std::holds_alternative<Seed Project::*>(key.member))
        return KeyTexts::tr("%1 to %2, or %3 for a random one", "range and special value of a seed")
            .arg(0)
            .arg(std::numeric_limits<std::uint64_t>::max())
            .arg(QString::fromStdString(seedText({})));
    if (const auto* integers = std::get_if<IntegerRange>(&key.range))
        return integerLimits(*integers);
    if (const auto* reals = std::get_if<RealRange>(&key.range))
        return realLimits(*reals);
    return {};
}

QString wholeText(const Problem& problem) {
    const QString where = QString::fromStdString(problem.where());
    const QString message = sentenceText(problem.message);
    return withHint(
        where.isEmpty() ? message : KeyTexts::tr("%1: %2", "place and what is wrong").arg(where, message),
        sentenceText(problem.hint()));
}

}  // namespace meshreel
