// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/library/prompt_helper_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPalette>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>
#include <string>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/project/project.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/screen_fit.h"

namespace meshreel {

namespace {

constexpr QSize usualHelperSize{640, 600};

/// The host of an address, as far as it can be read.
constexpr int leastLines = 3;  ///< of a text that are shown

QString hostIn(const QString& address) {
    const QString host = QUrl(address.trimmed()).host();
    return host.isEmpty() ? address.trimmed() : host;
}

}  // namespace

PromptUse promptUse(const Project& project) {
    const bool hasPicture = !project.image.empty() || !project.lastImage.empty() ||
                            !project.keyframes.empty() || !project.continueFrom.empty();
    return hasPicture ? PromptUse::Picture : PromptUse::Text;
}

PromptHelperDialog::PromptHelperDialog(const QString& prompt, PromptUse use, QWidget* parent)
    : QDialog(parent), m_use(use), m_remark(new QLabel(this)) {
    setWindowTitle(tr("Rewrite the prompt"));
    resize(usualHelperSize);
    fitIntoScreen(*this);
    auto* words =
        new QLabel(tr("A language model rewrites the prompt by the rules that Wan publishes. Nothing "
                      "is sent before you ask: then the prompt and the rules, to this address alone."),
                   this);
    words->setWordWrap(true);
    m_remark->setTextFormat(Qt::PlainText);
    m_remark->setWordWrap(true);
    m_fields.prompt = new QPlainTextEdit(prompt, this);
    m_fields.prompt->setAccessibleName(tr("Prompt to rewrite"));
    m_fields.prompt->setTabChangesFocus(true);
    m_fields.answer = new QPlainTextEdit(this);
    m_fields.answer->setAccessibleName(tr("Rewritten prompt"));
    m_fields.answer->setPlaceholderText(tr("The answer appears here, for you to edit"));
    m_fields.answer->setTabChangesFocus(true);
    for (QPlainTextEdit* text : {m_fields.prompt, m_fields.answer})
        text->setMinimumHeight(leastLines * fontMetrics().lineSpacing());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_fields.ask = buttons->addButton(tr("Ask"), QDialogButtonBox::ActionRole);
    m_fields.ask->setAutoDefault(false);  // Enter behind an address sends nothing
    m_fields.use = buttons->addButton(tr("Use it"), QDialogButtonBox::AcceptRole);
    m_fields.use->setDefault(true);

    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(panelMargin);
    layout->addWidget(words);
    layout->addWidget(makeSettings());
    layout->addWidget(m_fields.prompt, 1);
    layout->addWidget(m_remark);
    layout->addWidget(m_fields.answer, 1);
    layout->addWidget(buttons);
    tabAsLaidOut(*this);
    readSettings();
    for (QLineEdit* field : {m_fields.address, m_fields.model, m_fields.key})
        connect(field, &QLineEdit::textChanged, this, &PromptHelperDialog::refresh);
    for (QPlainTextEdit* text : {m_fields.prompt, m_fields.answer})
        connect(text, &QPlainTextEdit::textChanged, this, &PromptHelperDialog::refresh);
    connect(m_fields.ask, &QPushButton::clicked, this, &PromptHelperDialog::askOrStop);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::finished, this, &PromptHelperDialog::forgetWithoutAddress);
    refresh();
    (m_fields.address->text().isEmpty() ? static_cast<QWidget*>(m_fields.address) : m_fields.ask)->setFocus();
}

PromptHelperDialog::~PromptHelperDialog() {
    m_stop.request_stop();
}

QString PromptHelperDialog::rewritten() const {
    return m_fields.answer->toPlainText().simplified();
}

QString PromptHelperDialog::remark() const {
    return m_remark->text();
}

QWidget* PromptHelperDialog::makeSettings() {
    auto* settings = new QWidget(this);
    m_fields.address = new QLineEdit(settings);
    m_fields.address->setPlaceholderText(QStringLiteral("http://127.0.0.1:11434/v1"));
    m_fields.address->setToolTip(
        tr("Of a server with OpenAI's chat completions: llama.cpp, Ollama and others"));
    m_fields.model = new QLineEdit(settings);
    m_fields.model->setToolTip(tr("As the server calls it; empty: the one that it has"));
    m_fields.key = new QLineEdit(settings);
    m_fields.key->setEchoMode(QLineEdit::Password);
    m_fields.key->setToolTip(tr(
        "If the server asks for one. It is kept in a file that only you can read, and sent over https or to "
        "this machine only"));
    settings->setSizePolicy(QSizePolicy::Preferred,
                            QSizePolicy::Fixed);  // a small screen takes from the texts
    auto* form = new QFormLayout(settings);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(spacing);
    form->addRow(tr("Address"), m_fields.address);
    form->addRow(tr("Model"), m_fields.model);
    form->addRow(tr("Key"), m_fields.key);
    return settings;
}

void PromptHelperDialog::readSettings() {
    try {
        const PromptHelper helper = readPromptHelper();
        m_fields.address->setText(QString::fromStdString(helper.endpoint));
        m_fields.model->setText(QString::fromStdString(helper.model));
        m_fields.key->setText(QString::fromStdString(helper.key));
        m_hasRead = true;
    } catch (...) {
        fail(currentProblem());
    }
}

PromptHelper PromptHelperDialog::settings() const {
    return {.endpoint = m_fields.address->text().trimmed().toStdString(),
            .model = m_fields.model->text().trimmed().toStdString(),
            .key = m_fields.key->text().trimmed().toStdString()};
}

void PromptHelperDialog::askOrStop() {
    if (m_isAsking) {
        m_stop.request_stop();
        m_asking.forget();
        m_isAsking = false;
        say(tr("Stopped."), false);
        refresh();
        return;
    }
    const PromptHelper helper = settings();
    try {
        keepPromptHelper(helper);
    } catch (...) {
        return fail(currentProblem());
    }
    m_stop = StopSource();
    m_isAsking = true;
    say(tr("Asking %1…").arg(hostIn(m_fields.address->text())), false);
    refresh();
    const std::string prompt = m_fields.prompt->toPlainText().toStdString();
    m_asking.run(
        [helper, prompt, use = m_use, stop = m_stop.get_token()] {
            return QString::fromStdString(rewritePrompt(helper, prompt, use, stop));
        },
        [this](const QString& answer) { take(answer); }, [this](const Problem& problem) { fail(problem); });
}

void PromptHelperDialog::take(const QString& answer) {
    m_isAsking = false;
    m_fields.answer->setPlainText(answer);
    say(tr("Read and edit the answer before you use it."), false);
    refresh();
    m_fields.answer->setFocus();
}

void PromptHelperDialog::fail(const Problem& problem) {
    m_isAsking = false;
    say(withHint(sentenceText(problem.message), sentenceText(problem.hint())), true);
    refresh();
}

void PromptHelperDialog::say(const QString& text, bool isError) {
    m_remark->setText(text);
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, isError ? errorColor(colours) : mutedColor(colours));
    m_remark->setPalette(colours);
}

void PromptHelperDialog::forgetWithoutAddress() {
    if (m_hasRead && !settings().isOn())
        keepPromptHelper({});  // removes the file, which cannot fail
}

void PromptHelperDialog::refresh() {
    const bool mayAsk = settings().isOn() && !m_fields.prompt->toPlainText().trimmed().isEmpty();
    m_fields.ask->setText(m_isAsking ? tr("Stop") : tr("Ask"));
    m_fields.ask->setEnabled(m_isAsking || mayAsk);
    m_fields.use->setEnabled(!m_isAsking && !rewritten().isEmpty());
}

}  // namespace meshreel

#include "moc_prompt_helper_dialog.cpp"
