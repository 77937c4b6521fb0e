// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/trigger_label.h"

#include <QRegularExpression>
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/adapters.h"
#include "engine/weights/trigger_words.h"

namespace meshreel {

namespace {

constexpr double smallWords = 0.9;
constexpr std::size_t mostShown = 12;  ///< of each sort: two or three lines of a narrow form

/// The words as links, each by its number in `all`, to which they are added.
QString linksTo(const std::vector<TriggerWord>& words, QStringList& all) {
    QStringList links;
    for (std::size_t index = 0; index < std::min(words.size(), mostShown); ++index) {
        const QString word = QString::fromStdString(words[index].text);
        links +=
            QStringLiteral("<a href=\"%1\">%2</a>").arg(QString::number(all.size()), word.toHtmlEscaped());
        all += word;
    }
    return links.join(QStringLiteral(" · "));
}

}  // namespace

QString promptWithWord(const QString& prompt, const QString& word) {
    const QString words = prompt.trimmed();
    const QRegularExpression whole(
        QStringLiteral("(?<!\\w)%1(?!\\w)").arg(QRegularExpression::escape(word)),
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
    if (words.contains(whole))
        return prompt;
    if (words.isEmpty())
        return word;
    return words + (words.endsWith(QLatin1Char(',')) ? QLatin1String(" ") : QLatin1String(", ")) + word;
}

TriggerLabel::TriggerLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::RichText);  // links of words that are escaped
    setWordWrap(true);
    QSizePolicy policy = sizePolicy();
    policy.setHorizontalPolicy(QSizePolicy::Ignored);  // a stranger's word must not widen the form
    setSizePolicy(policy);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setToolTip(tr("Click a word to add it to the prompt"));
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * smallWords);
    setFont(small);
    hide();
    connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
        if (const int index = link.toInt(); index >= 0 && index < m_words.size())
            emit wordTaken(m_words.at(index));
    });
}

void TriggerLabel::setAdapter(const QString& file) {
    showWords({});
    if (file.isEmpty()) {
        m_reading.forget();
        return;
    }
    m_reading.run([name = file.toStdString()] { return readTriggerWords(findAdapter(name)); },
                  [this](const TriggerWords& words) { showWords(words); },
                  [](const Problem& /*problem*/) {});  // Problems says what is wrong with the adapter
}

void TriggerLabel::showWords(const TriggerWords& words) {
    m_words.clear();
    const bool areStated = !words.stated.empty();
    const QString line = areStated ? tr("Trigger words: %1") : tr("Most frequent in its captions: %1");
    setText(line.arg(linksTo(areStated ? words.stated : words.frequent, m_words)));
    setAccessibleName(line.arg(m_words.join(QStringLiteral(", "))));
    setVisible(!m_words.isEmpty());
}

}  // namespace meshreel

#include "moc_trigger_label.cpp"
