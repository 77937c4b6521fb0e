// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/importing/command_words.h"

#include <QStringList>
#include <algorithm>
#include <utility>

namespace meshreel {

namespace {

/// Splits a text into words, one character after the other.
class WordReader {
  public:
    QStringList read(const QString& text) {
        for (const QChar letter : text)
            take(letter);
        endWord();
        return m_words;
    }

  private:
    void take(QChar letter) {
        if (m_escaped) {
            m_escaped = false;
            if (letter != QLatin1Char('\n'))
                add(letter);
        } else if (letter == QLatin1Char('\\') && m_quote != QLatin1Char('\'')) {
            m_escaped = true;
        } else if (!m_quote.isNull()) {
            if (letter == m_quote)
                m_quote = {};
            else
                add(letter);
        } else if (letter == QLatin1Char('"') || letter == QLatin1Char('\'')) {
            m_quote = letter;
            m_begun = true;
        } else if (letter.isSpace()) {
            endWord();
        } else {
            add(letter);
        }
    }

    void add(QChar letter) {
        m_word += letter;
        m_begun = true;
    }

    void endWord() {
        if (m_begun)
            m_words += m_word;
        m_word.clear();
        m_begun = false;
    }

    QStringList m_words;
    QString m_word;
    QChar m_quote;
    bool m_begun = false;
    bool m_escaped = false;
};

bool endsWithAny(const QString& word, std::initializer_list<const char*> endings) {
    return std::ranges::any_of(endings,
                               [&](const char* ending) { return word.endsWith(QLatin1String(ending)); });
}

bool isSetting(const QString& word) {
    return word.indexOf(QLatin1Char('=')) > 0 && !word.startsWith(QLatin1Char('-'));
}

}  // namespace

PastedCommand readPastedCommand(const QString& text) {
    const QStringList words = WordReader().read(text);
    PastedCommand command;
    bool started = false;
    for (const QString& word : words) {
        if (isSetting(word) || !endsWithAny(word, {".py", ".yml", ".yaml"})) {
            command.words.push_back(word.toStdString());
            continue;
        }
        if (!std::exchange(started, true))
            command.words.clear();  // its interpreter, and variables of its environment
        if (!word.endsWith(QLatin1String(".py")))
            command.config = word;
    }
    return command;
}

}  // namespace meshreel
