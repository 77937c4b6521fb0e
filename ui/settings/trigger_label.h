// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QString>
#include <QStringList>

#include "ui/values/background.h"

namespace meshreel {

struct TriggerWords;

/// Returns the prompt with a word behind it, parted by a comma; unchanged where it holds the word as a whole.
QString promptWithWord(const QString& prompt, const QString& word);

/// Below the line of an adapter: the words that its file says call it. Each is a link, which gives the word.
/// Hidden where the file cannot be read, or says none.
class TriggerLabel : public QLabel {
    Q_OBJECT

  public:
    explicit TriggerLabel(QWidget* parent = nullptr);

    /// Reads the file on another thread; its name is as `lora` spells it.
    void setAdapter(const QString& file);
    void showWords(const TriggerWords& words);
    /// Returns what can be clicked, in order.
    [[nodiscard]] const QStringList& words() const { return m_words; }

  signals:
    void wordTaken(const QString& word);

  private:
    LatestOnly m_reading;
    QStringList m_words;
};

}  // namespace meshreel
