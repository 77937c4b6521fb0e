// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/importing/command_words.h"

#include <QStringList>
#include <string>
#include <vector>

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

}  // namespace

MaxDiffusionCommand readPastedCommand(const QString& text) {
    std::vector<std::string> words;
    for (const QString& word : WordReader().read(text))
        words.push_back(word.toStdString());
    return readMaxDiffusionCommand(words);
}

}  // namespace meshreel
