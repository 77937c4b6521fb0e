// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

#include "engine/base/stop_token.h"
#include "engine/catalogue/prompt_helper.h"
#include "ui/values/background.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace meshreel {

struct Problem;
struct Project;

/// Returns what the project's prompt is for.
PromptUse promptUse(const Project& project);

/// Rewrites a prompt with the prompt helper. Nothing is sent before the user asks; the answer is a text to
/// edit, and becomes the prompt only when the dialog is accepted. Address, model and key are kept when it
/// asks, and removed when it closes without an address.
class PromptHelperDialog : public QDialog {
    Q_OBJECT

  public:
    PromptHelperDialog(const QString& prompt, PromptUse use, QWidget* parent = nullptr);
    /// Ends what is being asked.
    ~PromptHelperDialog() override;

    /// Returns the answer, as it was edited.
    [[nodiscard]] QString rewritten() const;
    /// Returns what is said about asking; empty when there is nothing to say.
    [[nodiscard]] QString remark() const;
    [[nodiscard]] bool isAsking() const { return m_isAsking; }

    struct Fields {
        QLineEdit *address, *model, *key;
        QPlainTextEdit *prompt, *answer;
        QPushButton *ask, *use;
    };
    [[nodiscard]] const Fields& fields() const { return m_fields; }

  private:
    QWidget* makeSettings();
    void readSettings();
    [[nodiscard]] PromptHelper settings() const;
    void askOrStop();
    void take(const QString& answer);
    void fail(const Problem& problem);
    void say(const QString& text, bool isError);
    void forgetWithoutAddress();
    void refresh();

    PromptUse m_use;
    Fields m_fields{};
    QLabel* m_remark;
    bool m_isAsking = false;
    bool m_hasRead = false;  ///< the settings that are kept
    StopSource m_stop;
    LatestOnly m_asking;
};

}  // namespace meshreel
